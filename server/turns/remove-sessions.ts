import type { Session } from '../../contract/sessions.ts';
import type { Tx } from '../events/log.ts';
import { removeDetached } from '../sessions/detached.ts';
import { assignName, clearSession as clearContents, removeSession } from '../sessions/sessions.ts';
import {
  findSessionByName,
  loadSession,
  type ScratchSession,
  saveSession,
  selectScratch,
  selectToolSessions,
  selectWithDescendants,
} from '../sessions/store.ts';
import { toSession } from '../sessions/views.ts';
import type { TurnRow } from '../storage/tables.ts';
import { withdrawEverything } from './actions.ts';
import { abandon } from './cancel.ts';
import {
  detachDelegations,
  detachWorkers,
  type Given,
  selectGiven,
  selectOpenDelegates,
  selectOpenWork,
} from './deletion-store.ts';
import { PARENT_STOPPED, SESSION_CLEARED, SESSION_REMOVED, type Stop } from './outcome.ts';
import { settleQueued, toColumns } from './settle.ts';
import { endTurn, findTurn, loadSessionRow } from './store.ts';
import type { TurnDeps } from './turn-deps.ts';

/** Deletes a session with everything in it and every session that was opened for it. */
export async function deleteSession(deps: TurnDeps, owner: string, id: string): Promise<void> {
  const removed = await deps.log.write((tx) => removeWithTurns(tx, deps, owner, id));
  await finishRemoval(deps, removed.sessionIds, removed.turnIds);
}

/**
 * Deletes sessions that only tried an agent or a team and that the page did not delete when it was closed, because it
 * crashed or lost its connection. One that a person has kept in this moment stays.
 */
export async function removeScratch(deps: TurnDeps, isLeft: (session: ScratchSession) => boolean): Promise<void> {
  for (const { id } of (await selectScratch(deps.log.db)).filter(isLeft)) {
    const removed = await deps.log.write(async (tx) => {
      const session = (await selectScratch(tx.db)).find((one) => one.id === id && isLeft(one));
      return session && removeWithTurns(tx, deps, session.owner, id);
    });
    if (removed) await finishRemoval(deps, removed.sessionIds, removed.turnIds);
  }
}

/** Deletes the history and keeps the identity: id, agent, name, folder, attributes and pin stay. */
export async function clearSession(deps: TurnDeps, owner: string, id: string): Promise<Session> {
  const { session, removed } = await deps.log.write(async (tx) => {
    await loadSession(tx.db, owner, id);
    const tools = await removeAll(tx, deps, owner, await selectToolSessions(tx.db, id));
    const turnIds = await endDelegationsOf(tx, deps, [id], SESSION_CLEARED);
    const session = await loadSession(tx.db, owner, id);
    await clearContents(tx, session);
    const removed = { sessionIds: tools.sessionIds, turnIds: [...turnIds, ...tools.turnIds] };
    return { session: toSession(session), removed };
  });
  abandon(deps, [id], []);
  await finishRemoval(deps, removed.sessionIds, removed.turnIds);
  return session;
}

/** Names are unique among an owner's sessions; `replace` takes one over and deletes the session that had it. */
export async function renameSession(
  deps: TurnDeps,
  owner: string,
  id: string,
  { name, replace }: { name: string; replace: boolean },
): Promise<Session> {
  const { session, removed } = await deps.log.write(async (tx) => {
    await loadSession(tx.db, owner, id);
    const holder = replace ? await findSessionByName(tx.db, owner, name) : undefined;
    const removed = await removeAll(tx, deps, owner, holder && holder.id !== id ? [holder.id] : []);
    return { session: await assignName(tx, owner, id, name), removed };
  });
  await finishRemoval(deps, removed.sessionIds, removed.turnIds);
  return session;
}

/**
 * Stops what runs in sessions that are gone, and deletes what is left of them. They are no longer shown, so what cannot be
 * deleted now, on a full disk, is deleted later.
 */
export async function finishRemoval(
  deps: TurnDeps,
  sessionIds: readonly string[],
  turnIds: readonly string[],
): Promise<void> {
  abandon(deps, sessionIds, turnIds);
  await removeDetached(deps.log, sessionIds).catch(() => undefined);
}

/** What has to be stopped in this process once a removal is committed. */
interface Removed {
  sessionIds: string[];
  turnIds: string[];
}

async function removeAll(tx: Tx, deps: TurnDeps, owner: string, ids: readonly string[]): Promise<Removed> {
  const all: Removed = { sessionIds: [], turnIds: [] };
  for (const id of ids) {
    const { sessionIds, turnIds } = await removeWithTurns(tx, deps, owner, id);
    all.sessionIds.push(...sessionIds);
    all.turnIds.push(...turnIds);
  }
  return all;
}

async function removeWithTurns(tx: Tx, deps: TurnDeps, owner: string, id: string): Promise<Removed> {
  await loadSession(tx.db, owner, id);
  const turnIds = await endDelegationsOf(tx, deps, await selectWithDescendants(tx.db, id));
  const sessionIds = await removeSession(tx, await loadSession(tx.db, owner, id));
  return { sessionIds, turnIds };
}

/**
 * Ends every delegation that crosses the border of these sessions, before they are cleared or deleted, in the same
 * transaction. Callers elsewhere are told that their delegate was removed; delegates elsewhere stop, and nothing they
 * say is delivered. Returns the turns elsewhere that still run and have to be stopped once this is committed.
 */
async function endDelegationsOf(
  tx: Tx,
  deps: TurnDeps,
  sessionIds: readonly string[],
  stop: Stop = SESSION_REMOVED,
): Promise<string[]> {
  for (const turn of await selectOpenDelegates(tx.db, sessionIds)) await endDelegate(tx, deps, turn, stop);
  const stopped = await endWork(tx, deps, await selectGiven(tx.db, { sessionIds }));
  await detachWorkers(tx.db, sessionIds);
  return stopped;
}

/** The same for turns that are deleted out of a session that stays. */
export async function endDelegationsFrom(tx: Tx, deps: TurnDeps, turnIds: readonly string[]): Promise<string[]> {
  return endWork(tx, deps, await selectGiven(tx.db, { turnIds }));
}

async function endDelegate(tx: Tx, deps: TurnDeps, turn: TurnRow, stop: Stop): Promise<void> {
  const session = (await loadSessionRow(tx.db, turn.session_id))!;
  const ending = { ...toColumns(tx, turn, { ...stop, usage: null }), answer_id: turn.answer_id };
  if (!(await endTurn(tx.db, turn.id, ending))) return;
  Object.assign(turn, ending);
  await withdrawEverything(tx, session, turn.id);
  await deps.delegation.ended(deps, tx, session, turn);
  await saveSession(tx.db, session);
}

/** The turns that carry them out stop; what they said stays in their own sessions. */
async function endWork(tx: Tx, deps: TurnDeps, given: readonly Given[]): Promise<string[]> {
  const open = await selectOpenWork(
    tx.db,
    given.map(({ turn_id }) => turn_id),
  );
  await detachDelegations(tx.db, given);
  const running: string[] = [];
  for (const { id } of open) if (!(await endQueued(tx, deps, id))) running.push(id);
  return running;
}

async function endQueued(tx: Tx, deps: TurnDeps, turnId: string): Promise<boolean> {
  const turn = await findTurn(tx.db, turnId);
  if (turn?.state !== 'queued') return false;
  const session = (await loadSessionRow(tx.db, turn.session_id))!;
  return settleQueued(tx, deps, session, turn, { ...PARENT_STOPPED, usage: null });
}
