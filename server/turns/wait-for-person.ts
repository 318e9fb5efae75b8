import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { saveSession } from '../sessions/store.ts';
import type { ActionRow, SessionRow } from '../storage/tables.ts';
import type { Actions, Settled } from './actions.ts';
import type { RunningTurn } from './running-turn.ts';
import { findTurn, loadSessionRow } from './store.ts';
import { noteWaiting } from './waiting.ts';

export interface PersonDeps {
  readonly log: EventLog;
  readonly actions: Actions;
  /** Called when the turn starts or stops waiting: a waiting turn needs no slot. */
  balance(running: RunningTurn): void;
}

/**
 * Has a turn wait until an action is settled. `find` opens the action, or finds the one that was opened before the server
 * stopped; the session is saved for it. Rejects when `signal` aborts, by default when the turn is stopped.
 */
export async function waitForPerson(
  deps: PersonDeps,
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
    deps.balance(running);
    return await deps.actions.settled(running.owner, actionId, signal);
  } finally {
    await goOn(deps, running, key);
  }
}

async function goOn({ log, balance }: PersonDeps, running: RunningTurn, key: string): Promise<void> {
  running.waitsFor.delete(key);
  if (running.stop) return;
  await log.write(async (tx) => {
    const session = await loadSessionRow(tx.db, running.turn.session_id);
    if (!session) return;
    await noteWaiting(tx, session, running);
    await saveSession(tx.db, session);
  });
  balance(running);
}
