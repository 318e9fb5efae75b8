import type { Tx } from '../events/log.ts';
import { saveSession } from '../sessions/store.ts';
import type { TurnRow } from '../storage/tables.ts';
import { withdrawEverything } from './actions.ts';
import {
  detachDelegations,
  detachWorkers,
  type Given,
  selectGiven,
  selectOpenDelegates,
  selectOpenWork,
} from './deletion-store.ts';
import type { Stop } from './running-turn.ts';
import { type EndOfTurn, settleQueued, toColumns } from './settle.ts';
import { PARENT_STOPPED, SESSION_REMOVED } from './stops.ts';
import { endTurn, findTurn, loadSessionRow } from './store.ts';

/**
 * Ends every delegation that crosses the border of these sessions, before they are cleared or deleted, in the same
 * transaction. Callers elsewhere are told that their delegate was removed; delegates elsewhere stop, and nothing they
 * say is delivered. Returns the turns elsewhere that still run and have to be stopped once this is committed.
 */
export async function endDelegationsOf(
  tx: Tx,
  end: EndOfTurn,
  sessionIds: readonly string[],
  stop: Stop = SESSION_REMOVED,
): Promise<string[]> {
  for (const turn of await selectOpenDelegates(tx.db, sessionIds)) await endDelegate(tx, end, turn, stop);
  const stopped = await endWork(tx, end, await selectGiven(tx.db, { sessionIds }));
  await detachWorkers(tx.db, sessionIds);
  return stopped;
}

/** The same for turns that are deleted out of a session that stays. */
export async function endDelegationsFrom(tx: Tx, end: EndOfTurn, turnIds: readonly string[]): Promise<string[]> {
  return endWork(tx, end, await selectGiven(tx.db, { turnIds }));
}

async function endDelegate(tx: Tx, end: EndOfTurn, turn: TurnRow, stop: Stop): Promise<void> {
  const session = (await loadSessionRow(tx.db, turn.session_id))!;
  const ending = { ...toColumns(tx, turn, { ...stop, usage: null }), answer_id: turn.answer_id };
  if (!(await endTurn(tx.db, turn.id, ending))) return;
  Object.assign(turn, ending);
  await withdrawEverything(tx, session, turn.id);
  await end.delegateEnded(tx, session, turn);
  await saveSession(tx.db, session);
}

/** The turns that carry them out stop; what they said stays in their own sessions. */
async function endWork(tx: Tx, end: EndOfTurn, given: readonly Given[]): Promise<string[]> {
  const open = await selectOpenWork(
    tx.db,
    given.map(({ turn_id }) => turn_id),
  );
  await detachDelegations(tx.db, given);
  const running: string[] = [];
  for (const { id } of open) if (!(await endQueued(tx, end, id))) running.push(id);
  return running;
}

async function endQueued(tx: Tx, end: EndOfTurn, turnId: string): Promise<boolean> {
  const turn = await findTurn(tx.db, turnId);
  if (turn?.state !== 'queued') return false;
  const session = (await loadSessionRow(tx.db, turn.session_id))!;
  return settleQueued(tx, end, session, turn, { ...PARENT_STOPPED, usage: null });
}
