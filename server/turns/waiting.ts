import type { Tx } from '../events/log.ts';
import type { SessionRow } from '../storage/tables.ts';
import type { RunningTurn } from './running-turn.ts';
import { selectRunning, toTurn, updateTurnState } from './store.ts';

/**
 * Writes down whether a turn waits for a person, from what it waits for at this moment. The caller saves the session.
 * Transactions come one after the other, so the last one is right whatever order they were asked for in.
 */
export async function noteWaiting(tx: Tx, session: SessionRow, running: RunningTurn): Promise<void> {
  const state = running.waitsFor.size > 0 ? 'waiting' : 'running';
  // Most turns never wait, and nothing is asked of the database for them.
  if (state === 'running' && !running.hasWaited) return;
  running.hasWaited = true;
  const usage = running.usage && JSON.stringify(running.usage);
  const [waited] = await updateTurnState(tx.db, state, usage, running.id, tx.now);
  if (!waited) return;
  Object.assign(running.turn, { state, usage, ...waited });
  const others = state === 'waiting' ? [] : await selectRunning(tx.db, session.id);
  const isWaiting = state === 'waiting' || others.some((turn) => turn.id !== running.id && turn.state === 'waiting');
  session.status = isWaiting ? 'waiting' : 'working';
  session.updated_at = tx.now;
  const type = state === 'waiting' ? 'turn.waiting' : 'turn.resumed';
  tx.append(session, { type, turn: toTurn(running.turn), status: session.status as 'waiting' });
}
