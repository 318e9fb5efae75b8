import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { TurnRow } from '../storage/tables.ts';
import type { AcceptContext, Addressed } from './accept.ts';

export interface QueuePosition {
  order: number;
  steerInto: string | null;
  interrupts: string | null;
}

/** Where a message waits in a busy session, and what its coming means for the turn that runs. */
export function placeInQueue(open: TurnRow[], wanted: Addressed, context: AcceptContext): QueuePosition {
  // The innermost running turn takes steering messages; the outermost one is interrupted.
  const running = open.findLast((turn) => turn.state !== 'queued');
  const queued = open.filter((turn) => turn.state === 'queued');
  const last = { order: (open.at(-1)?.queue_order ?? 0) + 1, steerInto: null, interrupts: null };
  if (open.length === 0) return last;
  if (wanted.busy === 'reject' || wanted.branch) {
    throw new AppError('session_busy', say('session_busy'));
  }
  // A message that interrupts does not wait, so a full queue does not keep it out.
  if (queued.length >= context.queueLimit && wanted.busy !== 'interrupt') {
    throw new AppError('queue_full', say('queue_full', { count: queued.length }));
  }
  const next = queued[0] ? queued[0].queue_order - 1 : last.order;
  if (wanted.busy === 'steer' && running && isFor(running, wanted)) {
    // A guest's answer is kept as a whole or not at all, so what is added is answered next, by a turn of its own.
    if (running.guest === 1) return { ...last, order: next };
    if (!context.canSteer(running.id)) {
      throw new AppError('steer_unsupported', say('steer_unsupported', { agent: running.agent_id }));
    }
    return { ...last, steerInto: running.id };
  }
  if (wanted.busy !== 'interrupt') return last;
  return { ...last, order: next, interrupts: open.find((turn) => turn.state !== 'queued')?.id ?? null };
}

/** A message that names another agent waits for that agent's turn, however it was meant to be sent. */
function isFor(running: TurnRow, { agent, guest, guests, work }: Addressed): boolean {
  if (work || guests.length > 1) return false;
  const invited = guest ?? guests[0];
  // A message that names no agent, or a new primary, is not for the guest that speaks just now.
  if (running.guest === 1) return invited === running.agent_id;
  const named = agent ?? invited;
  return named === undefined || named === running.agent_id;
}
