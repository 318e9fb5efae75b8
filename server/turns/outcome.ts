import type { Part } from '../../contract/messages.ts';
import { say } from '../../contract/texts.ts';
import { type TurnError, type TurnState, toTurnError, type Usage } from '../../contract/turns.ts';

export type SettledState = Extract<TurnState, 'complete' | 'failed' | 'cancelled' | 'interrupted'>;

/** How a turn ended. */
export interface Outcome {
  state: SettledState;
  stopReason: string;
  error: TurnError | null;
  usage: Usage | null;
}

/** Why a turn was stopped from outside, and what that makes of it. */
export type Stop = Omit<Outcome, 'usage'>;

/** What a turn that ends has said since its last stored message. */
export interface Said {
  parts: Part[];
  /** Some of it is on disk as partials, which go now. */
  isFlushed: boolean;
  /** Tools were used, so calls and questions may be left open. */
  hasCalls: boolean;
}

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
