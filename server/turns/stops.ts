import type { RunningTurn, Stop } from './running-turn.ts';
import type { Outcome } from './settle.ts';

/** The ways in which a turn is stopped from outside. */
export const CANCELLED: Stop = { state: 'cancelled', stopReason: 'cancelled', error: null };

export const QUEUE_CANCELLED: Outcome = { ...CANCELLED, usage: null };

export const INTERRUPTED: Stop = { state: 'interrupted', stopReason: 'interrupted_by_message', error: null };

/** Whoever asked for it no longer wants it. */
export const PARENT_STOPPED: Stop = { state: 'cancelled', stopReason: 'parent_stopped', error: null };

export const SHUTDOWN: Stop = {
  state: 'interrupted',
  stopReason: 'server_stopped',
  error: { code: 'server_stopped', message: 'Parley stopped during this turn. Retry it to go on.', retryable: true },
};

export const TURN_TIMEOUT: Stop = {
  state: 'failed',
  stopReason: 'turn_timeout',
  error: { code: 'turn_timeout', message: 'The turn took longer than allowed and was stopped.', retryable: true },
};

const ABORT_GRACE_MS = 3000;

/** An agent that does not end when told to is left behind. */
export async function afterGrace(running: RunningTurn): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<void>();
  running.signal.addEventListener('abort', () => setTimeout(resolve, ABORT_GRACE_MS).unref(), { once: true });
  await promise;
  const { state, stopReason, error } = running.stop!;
  return running.outcome(state, stopReason, error);
}
