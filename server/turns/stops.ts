import { say } from '../../contract/texts.ts';
import { toTurnError } from '../../contract/turns.ts';
import type { RunningTurn, Stop } from './running-turn.ts';
import type { Outcome } from './settle.ts';

/** The ways in which a turn is stopped from outside. */
export const CANCELLED: Stop = { state: 'cancelled', stopReason: 'cancelled', error: null };

export const QUEUE_CANCELLED: Outcome = { ...CANCELLED, usage: null };

export const INTERRUPTED: Stop = { state: 'interrupted', stopReason: 'interrupted_by_message', error: null };

/** The turn that delegated it was stopped. */
export const PARENT_STOPPED: Stop = { state: 'cancelled', stopReason: 'parent_stopped', error: null };

/** The session in which a delegate worked was deleted. */
export const SESSION_REMOVED: Stop = {
  state: 'cancelled',
  stopReason: 'session_removed',
  error: toTurnError('session_removed', say('session_removed'), false),
};

export const SESSION_CLEARED: Stop = {
  ...SESSION_REMOVED,
  error: toTurnError('session_removed', say('session_removed.cleared'), false),
};

/** The agent that takes the turn was deleted, or another one has its name now. */
export function agentRemoved(agentId: string): Stop {
  const error = toTurnError('agent_removed', say('agent_removed', { id: agentId }), false);
  return { state: 'cancelled', stopReason: 'agent_removed', error };
}

export const SHUTDOWN: Stop = {
  state: 'interrupted',
  stopReason: 'server_stopped',
  error: toTurnError('server_stopped', say('server_stopped'), true),
};

export const TURN_TIMEOUT: Stop = {
  state: 'failed',
  stopReason: 'turn_timeout',
  error: toTurnError('turn_timeout', say('turn_timeout'), true),
};

/** Turns that continue after a restart, and the turns that wait for one of them. */
export function outlivingTurns(running: readonly RunningTurn[]): ReadonlySet<RunningTurn> {
  const outliving = running.filter((turn) => turn.waitsFor.size > 0 || turn.reattaches);
  const callers = new Set(outliving.flatMap(({ chain }) => chain.map(({ turnId }) => turnId)));
  return new Set([...outliving, ...running.filter((turn) => turn.idle > 0 && callers.has(turn.id))]);
}

const ABORT_GRACE_MS = 3000;

/** An agent that does not end when told to is left behind. */
export async function afterGrace(running: RunningTurn): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<void>();
  running.signal.addEventListener('abort', () => setTimeout(resolve, ABORT_GRACE_MS).unref(), { once: true });
  await promise;
  const { state, stopReason, error } = running.stop!;
  return running.outcome(state, stopReason, error);
}
