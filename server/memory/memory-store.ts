import { UNNAMED_SESSION } from '../../contract/unnamed-session.ts';
import { insertion, statement } from '../storage/statement.ts';
import type { Db, MemoryChangeRow, MemoryRow } from '../storage/tables.ts';

export const insertMemory = insertion<MemoryRow>('memories');
export const insertChange = insertion<MemoryChangeRow>('memory_changes');

/** With what is known of where it was remembered. */
export interface ShownMemoryRow extends MemoryRow {
  origin_session_id: string | null;
  origin_title: string | null;
  origin_message_id: string | null;
}

const SHOWN = `SELECT memories.*, sessions.id AS origin_session_id,
    coalesce(sessions.name, sessions.title, '${UNNAMED_SESSION}') AS origin_title, messages.id AS origin_message_id
  FROM memories
  LEFT JOIN sessions ON sessions.id = memories.created_by ->> '$.sessionId' AND sessions.owner = memories.owner
  LEFT JOIN turns ON turns.id = memories.created_by ->> '$.turnId' AND turns.session_id = sessions.id
  LEFT JOIN messages ON messages.id = turns.message_id`;

/** Deleted ones as well. */
export async function findMemory(db: Db, owner: string, id: string): Promise<ShownMemoryRow | undefined> {
  return (await selectMemory(db, owner, id))[0];
}

const selectMemory = statement<ShownMemoryRow>(`${SHOWN} WHERE memories.owner = ? AND memories.id = ?`);

/** Newest first. */
export const selectOfHolder = statement<ShownMemoryRow>(`${SHOWN} WHERE memories.owner = ? AND memories.holder = ?
  AND memories.id < ? AND memories.deleted_at IS NULL ORDER BY memories.id DESC LIMIT ?`);

export const selectOfAll = statement<ShownMemoryRow>(`${SHOWN} WHERE memories.owner = ? AND memories.id < ?
  AND memories.deleted_at IS NULL ORDER BY memories.id DESC LIMIT ?`);

export async function findSameText(db: Db, owner: string, holder: string, text: string): Promise<string | undefined> {
  return (await selectSame(db, owner, holder, text))[0]?.id;
}

const selectSame = statement<{ id: string }>(
  'SELECT id FROM memories WHERE owner = ? AND holder = ? AND text = ? AND deleted_at IS NULL',
);

export async function countMemories(db: Db, owner: string, holder: string): Promise<number> {
  return (await selectCount(db, owner, holder))[0]!.count;
}

const selectCount = statement<{ count: number }>(
  'SELECT count(*) AS count FROM memories WHERE owner = ? AND holder = ? AND deleted_at IS NULL',
);

export function saveMemory(db: Db, row: MemoryRow): Promise<unknown> {
  const { topic, text, tags, version, updated_at, updated_by, deleted_at, owner, id } = row;
  return update(db, topic, text, tags, version, updated_at, updated_by, deleted_at, owner, id);
}

const update =
  statement(`UPDATE memories SET topic = ?, text = ?, tags = ?, version = ?, updated_at = ?, updated_by = ?,
  deleted_at = ? WHERE owner = ? AND id = ?`);

/** For good, with its history. */
export async function eraseMemory(db: Db, owner: string, id: string): Promise<void> {
  await removeChanges(db, owner, id);
  await remove(db, owner, id);
}

const remove = statement('DELETE FROM memories WHERE owner = ? AND id = ?');
const removeChanges = statement('DELETE FROM memory_changes WHERE owner = ? AND memory_id = ?');

/** Deleted before a time. */
export const selectForgotten = statement<{ owner: string; id: string }>(
  'SELECT owner, id FROM memories WHERE deleted_at < ? ORDER BY deleted_at LIMIT ?',
);

export const selectChanges = statement<MemoryChangeRow>(
  'SELECT * FROM memory_changes WHERE owner = ? AND memory_id = ? ORDER BY version DESC LIMIT ?',
);

/** Keeps the newest changes of a memory. */
export const deleteOldChanges = statement(`DELETE FROM memory_changes WHERE owner = ?1 AND memory_id = ?2 AND version <
  (SELECT version FROM memory_changes WHERE owner = ?1 AND memory_id = ?2 ORDER BY version DESC LIMIT 1 OFFSET ?3)`);
