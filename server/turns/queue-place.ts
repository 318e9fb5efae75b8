import { AppError } from '../../contract/errors.ts';
import type { TurnRow } from '../storage/tables.ts';
import type { Acceptance, AcceptContext } from './accept.ts';

export interface QueuePlace {
  order: number;
  steerInto: string | null;
  interrupts: string | null;
}

/** Where a message waits in a busy session, and what its coming means for the turn that runs. */
export function placeInQueue(open: TurnRow[], wanted: Acceptance, context: AcceptContext): QueuePlace {
  // The innermost of those that run is the one that listens; the outermost is the one that gives way.
  const running = open.findLast((turn) => turn.state !== 'queued');
  const queued = open.filter((turn) => turn.state === 'queued');
  const last = { order: (open.at(-1)?.queue_order ?? 0) + 1, steerInto: null, interrupts: null };
  if (open.length === 0) return last;
  if (wanted.busy === 'reject' || wanted.branch) {
    throw new AppError('session_busy', 'The session is busy. Wait for the turn, stop it, or let the message queue.');
  }
  if (queued.length >= context.queueLimit) {
    throw new AppError('queue_full', `${queued.length} messages wait in this session already; that is the limit.`);
  }
  if (wanted.busy === 'steer' && running && isFor(running, wanted)) {
    if (!context.canSteer(running.id)) {
      throw new AppError('steer_unsupported', `${running.agent_id} cannot take a message while it works.`);
    }
    return { ...last, steerInto: running.id };
  }
  if (wanted.busy !== 'interrupt') return last;
  const first = queued[0]?.queue_order ?? last.order;
  return {
    order: queued.length > 0 ? first - 1 : first,
    steerInto: null,
    interrupts: open.find((turn) => turn.state !== 'queued')?.id ?? null,
  };
}

/** A message that names somebody else waits for them, however it was meant to be sent. */
function isFor(running: TurnRow, { agent, guest, guests, errand }: Acceptance): boolean {
  if (errand || (guests?.length ?? 0) > 1) return false;
  const named = agent ?? guest ?? guests?.[0];
  return named === undefined || named === running.agent_id;
}
