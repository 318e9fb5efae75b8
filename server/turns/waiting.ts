import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { Tx } from '../events/log.ts';
import { saveSession } from '../sessions/store.ts';
import type { ActionRow, SessionRow, TurnRow } from '../storage/tables.ts';
import type { Settled } from './actions.ts';
import type { RunningTurn } from './running-turn.ts';
import { findTurn, loadSessionRow, selectRunning, toTurn, updateTurnState } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

/**
 * Has a turn wait until an action is settled. `find` opens the action, or finds the one that was opened before the server
 * stopped; the session is saved for it. Rejects when `signal` aborts, by default when the turn is stopped.
 */
export async function waitForPerson(
  deps: TurnDeps,
  running: RunningTurn,
  key: string,
  find: (tx: Tx, session: SessionRow) => Promise<ActionRow>,
  signal: AbortSignal = running.signal,
): Promise<Settled> {
  running.waitsFor.add(key);
  running.hasAsked = true;
  try {
    const actionId = await deps.log.write(async (tx) => {
      const session = await loadSessionRow(tx.db, running.turn.session_id);
      // Both are gone when the session was deleted, the turn alone when it was cleared.
      if (!session || !(await findTurn(tx.db, running.id)))
        throw new AppError('turn_not_found', say('turn_not_found', { id: running.id }));
      const action = await find(tx, session);
      if (action.state === 'open') await noteWaiting(tx, session, running);
      await saveSession(tx.db, session);
      return action.id;
    });
    deps.coordinator.balance(running);
    return await deps.actions.settled(running.owner, actionId, signal);
  } finally {
    running.waitsFor.delete(key);
    await storeWaiting(deps, running);
  }
}

/** Stores whether a turn waits, in a transaction of its own. A turn that is being stopped ends in any case. */
export async function storeWaiting({ log, coordinator }: TurnDeps, running: RunningTurn): Promise<void> {
  if (running.stop) return;
  await log.write(async (tx) => {
    const session = await loadSessionRow(tx.db, running.turn.session_id);
    if (!session) return;
    await noteWaiting(tx, session, running);
    await saveSession(tx.db, session);
  });
  coordinator.balance(running);
}

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
  const turn: TurnRow = { ...running.turn, state, usage, ...waited };
  tx.afterwards.push(() => Object.assign(running.turn, { state, usage, ...waited }));
  const others = state === 'waiting' ? [] : await selectRunning(tx.db, session.id);
  const isWaiting = state === 'waiting' || others.some((turn) => turn.id !== running.id && turn.state === 'waiting');
  session.status = isWaiting ? 'waiting' : 'working';
  session.updated_at = tx.now;
  const type = state === 'waiting' ? 'turn.waiting' : 'turn.resumed';
  tx.append(session, { type, turn: toTurn(turn), status: session.status as 'waiting' });
}
