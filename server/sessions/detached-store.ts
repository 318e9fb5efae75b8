import { statement } from '../storage/statement.ts';
import type { Db } from '../storage/tables.ts';
import { deleteIndexed } from './search-index-store.ts';

/** Marks what is stored under an id as belonging to no session, with its events up to a number. */
export async function detachContents(db: Db, sessionId: string, eventsUpto: number): Promise<void> {
  await insertDetached(db, sessionId, eventsUpto);
}

const insertDetached = statement(
  'INSERT INTO detached_contents (session_id, events_upto) VALUES (?, ?) ON CONFLICT DO NOTHING',
);

/** What was stored under the id belongs to a session from now on, or is gone. */
export const deleteDetachedMark = statement('DELETE FROM detached_contents WHERE session_id = ?');

export const selectDetached = statement<{ session_id: string }>('SELECT session_id FROM detached_contents');

/** What deleted sessions have left. A session that is being copied or imported has no events yet. */
export const selectDeleted = statement<{ session_id: string }>(
  'SELECT session_id FROM detached_contents WHERE events_upto > 0',
);

const selectMark = statement<{ session_id: string }>('SELECT session_id FROM detached_contents WHERE session_id = ?');

/**
 * Deletes one piece of what is stored under an id that has no session; says whether there may be more. Without a mark the
 * contents belong to a session again: a copy that has been completed, or a new session under the id of a deleted one.
 */
export async function deleteDetachedPiece(db: Db, sessionId: string): Promise<boolean> {
  if ((await selectMark(db, sessionId)).length === 0) return false;
  for (const deletePiece of PIECES) if (await deletePiece(db, sessionId)) return true;
  for (const deleteRest of RESTS) await deleteRest(db, sessionId);
  return false;
}

const PIECE = 400;
const GIVEN = 'IN (SELECT value FROM json_each(?))';
const PIECES = [deleteMessages, deleteTurns, deleteCalls, deleteEvents];

const RESTS = [
  'DELETE FROM compactions WHERE session_id = ?',
  'DELETE FROM session_agents WHERE session_id = ?',
  'DELETE FROM message_files WHERE session_id = ?',
  'DELETE FROM deleted_turn_usage WHERE session_id = ?',
  'DELETE FROM agent_states WHERE session_id = ?',
  'DELETE FROM detached_contents WHERE session_id = ?',
].map((text) => statement(text));

/** Rows before the search index: on a full disk the index needs the room that the rows leave. */
async function deleteMessages(db: Db, sessionId: string): Promise<boolean> {
  const rows = await selectMessages(db, sessionId);
  const rids = JSON.stringify(rows.map(({ rid }) => rid));
  await deleteMessageRows(db, rids);
  await postponeMerging(db);
  await deleteIndexed(db, rids);
  await allowMerging(db);
  return rows.length > 0;
}

/**
 * For every few hundred words that it forgets the index would rewrite a large part of itself, for a quarter of a second.
 * Later writes do that a little at a time.
 */
const postponeMerging = statement(`INSERT INTO messages_fts (messages_fts, rank) VALUES ('deletemerge', 0)`);
const allowMerging = statement(`INSERT INTO messages_fts (messages_fts, rank) VALUES ('deletemerge', 10)`);

const selectMessages = statement<{ rid: number }>(`SELECT rid FROM messages WHERE session_id = ? LIMIT ${PIECE}`);
const deleteMessageRows = statement(`DELETE FROM messages WHERE rid ${GIVEN}`);

async function deleteTurns(db: Db, sessionId: string): Promise<boolean> {
  const rows = await selectTurns(db, sessionId);
  const ids = JSON.stringify(rows.map(({ id }) => id));
  for (const remove of REMOVE_TURNS) await remove(db, ids);
  return rows.length > 0;
}

const selectTurns = statement<{ id: string }>(`SELECT id FROM turns WHERE session_id = ? LIMIT ${PIECE / 4}`);
const REMOVE_TURNS = [
  `DELETE FROM turn_requests WHERE turn_id ${GIVEN}`,
  `DELETE FROM partials WHERE turn_id ${GIVEN}`,
  `DELETE FROM extensions WHERE root_turn_id ${GIVEN}`,
  `DELETE FROM turns WHERE id ${GIVEN}`,
].map((text) => statement(text));

async function deleteCalls(db: Db, sessionId: string): Promise<boolean> {
  return (await deleteCallRows(db, sessionId)).length > 0;
}

const deleteCallRows = statement(`DELETE FROM tool_calls WHERE id IN
  (SELECT id FROM tool_calls WHERE session_id = ? LIMIT ${PIECE}) RETURNING id`);

async function deleteEvents(db: Db, sessionId: string): Promise<boolean> {
  return (await deleteEventRows(db, sessionId)).length > 0;
}

const deleteEventRows = statement(`DELETE FROM events WHERE position IN
  (SELECT position FROM events JOIN detached_contents USING (session_id)
    WHERE session_id = ? AND seq <= events_upto LIMIT ${PIECE}) RETURNING position`);
