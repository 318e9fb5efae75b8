import type { Session } from '../../contract/sessions.ts';
import type { Tx } from '../events/log.ts';
import { removeDetached } from '../sessions/detached.ts';
import { assignName, clearSession as clearContents, removeSession } from '../sessions/sessions.ts';
import { findSessionByName, loadSession, selectToolSessions, selectWithDescendants } from '../sessions/store.ts';
import { toSession } from '../sessions/views.ts';
import { endDelegationsOf } from './end-delegations.ts';
import type { TurnEngine } from './engine.ts';
import { SESSION_CLEARED } from './stops.ts';

/** Deletes a session with everything in it and every session that was opened for it. */
export async function deleteSession(engine: TurnEngine, owner: string, id: string): Promise<void> {
  const removed = await engine.log.write((tx) => removeWithTurns(tx, engine, owner, id));
  await finishRemoval(engine, removed.sessionIds, removed.turnIds);
}

/** Deletes the history and keeps the identity: id, agent, name, folder, attributes and pin stay. */
export async function clearSession(engine: TurnEngine, owner: string, id: string): Promise<Session> {
  const { session, removed } = await engine.log.write(async (tx) => {
    await loadSession(tx.db, owner, id);
    const tools = await removeAll(tx, engine, owner, await selectToolSessions(tx.db, id));
    const turnIds = await endDelegationsOf(tx, engine.endOfTurn, [id], SESSION_CLEARED);
    const session = await loadSession(tx.db, owner, id);
    await clearContents(tx, session);
    const removed = { sessionIds: tools.sessionIds, turnIds: [...turnIds, ...tools.turnIds] };
    return { session: toSession(session), removed };
  });
  engine.abandon([id], []);
  await finishRemoval(engine, removed.sessionIds, removed.turnIds);
  return session;
}

/** Names are unique among an owner's sessions; `replace` takes one over and deletes the session that had it. */
export async function renameSession(
  engine: TurnEngine,
  owner: string,
  id: string,
  { name, replace }: { name: string; replace: boolean },
): Promise<Session> {
  const { session, removed } = await engine.log.write(async (tx) => {
    await loadSession(tx.db, owner, id);
    const holder = replace ? await findSessionByName(tx.db, owner, name) : undefined;
    const removed = await removeAll(tx, engine, owner, holder && holder.id !== id ? [holder.id] : []);
    return { session: await assignName(tx, owner, id, name), removed };
  });
  await finishRemoval(engine, removed.sessionIds, removed.turnIds);
  return session;
}

/**
 * Stops what runs in sessions that are gone, and deletes what is left of them. They are no longer shown, so what cannot be
 * deleted now, on a full disk, is deleted later.
 */
export async function finishRemoval(
  engine: TurnEngine,
  sessionIds: readonly string[],
  turnIds: readonly string[],
): Promise<void> {
  engine.abandon(sessionIds, turnIds);
  await removeDetached(engine.log, sessionIds).catch(() => undefined);
}

/** What has to be stopped in this process once a removal is committed. */
interface Removed {
  sessionIds: string[];
  turnIds: string[];
}

async function removeAll(tx: Tx, engine: TurnEngine, owner: string, ids: readonly string[]): Promise<Removed> {
  const all: Removed = { sessionIds: [], turnIds: [] };
  for (const id of ids) {
    const { sessionIds, turnIds } = await removeWithTurns(tx, engine, owner, id);
    all.sessionIds.push(...sessionIds);
    all.turnIds.push(...turnIds);
  }
  return all;
}

async function removeWithTurns(tx: Tx, engine: TurnEngine, owner: string, id: string): Promise<Removed> {
  await loadSession(tx.db, owner, id);
  const turnIds = await endDelegationsOf(tx, engine.endOfTurn, await selectWithDescendants(tx.db, id));
  const sessionIds = await removeSession(tx, await loadSession(tx.db, owner, id));
  return { sessionIds, turnIds };
}
