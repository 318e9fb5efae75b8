import { AppError } from '../../contract/errors.ts';
import type { CallbackTaken, ExternalCallback } from '../../contract/external.ts';
import { say } from '../../contract/texts.ts';
import type { RunningTurn } from './running-turn.ts';
import { findTurn } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

type Deps = Pick<TurnDeps, 'log' | 'agents' | 'coordinator'>;

/** The running turn that an agent elsewhere may tell about, because it shows the token that it was given for that turn. */
export async function turnOfCallback(deps: Deps, turnId: string, token: string): Promise<RunningTurn> {
  const turn = await findTurn(deps.log.db, turnId);
  const agent = turn && deps.agents.find(turn.agent_id);
  const running = deps.coordinator.running(turnId);
  const opened = running?.agent ?? (agent && deps.agents.open(agent));
  if (!opened?.callbacks?.allow(turnId, token)) throw new AppError('callback_refused', say('callback_refused'));
  if (turn?.ended_at !== null) throw new AppError('turn_ended', say('turn_ended'));
  if (running) return running;
  throw new AppError('turn_not_ready', say('turn_not_ready'), { retryAfterSeconds: 1 });
}

/** Answered once it is on disk: a sender that hears nothing sends the same piece again. */
export async function receiveCallback(
  { flusher }: Pick<TurnDeps, 'flusher'>,
  running: RunningTurn,
  piece: ExternalCallback,
): Promise<CallbackTaken> {
  const { session_id: sessionId } = running.turn;
  if ((piece.sessionId ?? sessionId) !== sessionId)
    throw new AppError('session_not_found', say('session_not_found', { id: piece.sessionId ?? '' }));
  const length = (await running.agent?.callbacks?.receive(running.id, piece)) ?? 0;
  if (piece.end || piece.error !== undefined) await running.done;
  else await flusher.flush();
  return { length };
}
