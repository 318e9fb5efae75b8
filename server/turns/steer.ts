import { newId } from '../../contract/ids.ts';
import type { AttributedMessage } from '../agents/agent.ts';
import type { Tx } from '../events/log.ts';
import { saveSession } from '../sessions/store.ts';
import { toHistory } from '../sessions/transcript.ts';
import type { SessionRow } from '../storage/tables.ts';
import { attachCalls } from './call-store.ts';
import { TurnOutput } from './output.ts';
import type { RunningTurn } from './running-turn.ts';
import { settleQueued } from './settle.ts';
import { placeAnswer } from './start.ts';
import { deletePartials, loadSessionRow, saveTurn, selectOpenTurns } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

/**
 * Hands a running turn what the person added to it. What was said before becomes a message of its own, so that the
 * transcript keeps the order of what happened; the added messages need no turn of their own any more.
 */
export async function takeSteering(deps: TurnDeps, running: RunningTurn): Promise<AttributedMessage[]> {
  // What a turn that is being stopped has not taken is answered afterwards, by a turn of its own.
  if (!running.hasSteering || running.stop) return [];
  running.hasSteering = false;
  await deps.flusher.release(running);
  try {
    const added = await deps.log.write((tx) => steerIn(tx, deps, running));
    deps.coordinator.noteQueued(-added.filter(({ role }) => role === 'user').length);
    return added;
  } catch (error) {
    running.hasSteering = true;
    throw error;
  }
}

async function steerIn(tx: Tx, deps: TurnDeps, running: RunningTurn): Promise<AttributedMessage[]> {
  const session = await loadSessionRow(tx.db, running.turn.session_id);
  if (!session) return [];
  const wanted = (await selectOpenTurns(tx.db, session.id)).filter((turn) => turn.steer_into === running.id);
  if (wanted.length === 0) return [];
  await deletePartials(tx.db, running.id);
  const said = await storeWhatWasSaid(tx, session, running);
  const added: AttributedMessage[] = [];
  for (const turn of wanted) {
    turn.steered_at = tx.now;
    await saveTurn(tx.db, turn.id, { steered_at: tx.now });
    await settleQueued(tx, deps, session, turn, {
      state: 'complete',
      stopReason: 'steered',
      error: null,
      usage: null,
    });
    added.push(lastPlaced(tx));
  }
  await saveSession(tx.db, session);
  return said ? [said, ...added] : added;
}

/**
 * Stores what a turn has said as a message. The turn's next words begin a new speech in the same tick in which the
 * message is published, so that no client is sent a partial with words that it already has as a message.
 */
export async function storeWhatWasSaid(
  tx: Tx,
  session: SessionRow,
  running: RunningTurn,
): Promise<AttributedMessage | null> {
  if (running.output.isEmpty) return null;
  const answer = await placeAnswer(tx, session, {
    id: newId(tx.now),
    agentId: running.turn.agent_id,
    turnId: running.id,
    guest: running.turn.guest === 1,
    parts: running.output.toParts(),
    status: 'complete',
    delegated: running.turn.parent_turn_id !== null,
  });
  tx.afterwards.push(() => {
    running.turn.answer_id = answer.id;
    running.output = new TurnOutput(answer.id);
  });
  await saveTurn(tx.db, running.id, { answer_id: answer.id });
  if (running.output.calls.length > 0) await attachCalls(tx.db, answer.id, running.id);
  return toHistory(answer, answer.seq!);
}

function lastPlaced(tx: Tx): AttributedMessage {
  const last = tx.staged.at(-1)?.event;
  const message = last?.type === 'turn.settled' ? last.message : null;
  return message ? toHistory(message, message.seq ?? 0) : { role: 'user', agent: null, text: '' };
}
