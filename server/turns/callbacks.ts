import { AppError } from '../../contract/errors.ts';
import type { CallbackTaken, ExternalCallback } from '../../contract/external.ts';
import { textOf } from '../../contract/streamed-messages.ts';
import { say } from '../../contract/texts.ts';
import type { TurnEngine } from './engine.ts';
import { findTurn } from './store.ts';

/**
 * Takes what an agent elsewhere sends about its turn. The turn's own token is what allows it. Answered once it is on disk: a
 * sender that hears nothing sends the same piece again.
 */
export async function receiveCallback(
  engine: TurnEngine,
  turnId: string,
  token: string,
  piece: ExternalCallback,
): Promise<CallbackTaken> {
  const turn = await findTurn(engine.log.db, turnId);
  const agent = turn && engine.agents.find(turn.agent_id);
  const opened = engine.running(turnId)?.agent ?? (agent && engine.agents.open(agent));
  if (!turn || !opened?.callbacks?.allow(turnId, token))
    throw new AppError('callback_refused', say('callback_refused'));
  if ((piece.sessionId ?? turn.session_id) !== turn.session_id)
    throw new AppError('session_not_found', say('session_not_found', { id: piece.sessionId ?? '' }));
  if (turn.ended_at !== null) throw new AppError('turn_ended', say('turn_ended'));
  await opened.callbacks.receive(turnId, piece);
  const running = engine.running(turnId);
  if (piece.end || piece.error !== undefined) await running?.done;
  else await engine.flusher.flush();
  return { length: running ? textOf(running.output.toParts()).length : 0 };
}
