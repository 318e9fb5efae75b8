/**
 * Named places at which a test can have the process killed, to prove that a crash at any of them loses nothing.
 * `PARLEY_FAULT=accept.committed` kills at the first passage, `accept.committed:3` at the third. Unset, it costs a call.
 */
const [wanted, passages] = (process.env.PARLEY_FAULT ?? '').split(':');
let left = Number(passages ?? 1);

export type FaultPoint =
  | 'write.before-commit'
  | 'write.committed'
  | 'accept.committed'
  | 'turn.started'
  | 'turn.said'
  | 'flush.before-commit'
  | 'settle.before-commit'
  | 'settle.committed'
  | 'tool.before-start'
  | 'tool.started'
  | 'tool.executing'
  | 'tool.executed'
  | 'tool.ended'
  | 'delegation.before-accept'
  | 'delegation.accepted'
  | 'delegation.before-delivery'
  | 'delegation.nested'
  | 'action.answered'
  | 'recovery.before-commit'
  | 'compaction.before-commit'
  | 'detached.written'
  | 'detached.removed'
  | 'search.before-commit'
  | 'knowledge.stored'
  | 'knowledge.ready'
  | 'knowledge.waits-again'
  | 'schedule.stored'
  | 'schedule.accepted'
  | 'config.journal'
  | 'config.edit'
  | 'team.stored'
  | 'team.before-ready'
  | 'team.hidden'
  | 'webhook.sent'
  | 'webhook.accepted'
  | 'migration.before-commit';

export function reach(point: FaultPoint): void {
  if (wanted !== point) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}
