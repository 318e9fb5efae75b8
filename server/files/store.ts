import { insertion, statement } from '../storage/statement.ts';
import type { Db, FileRow, MessageFileRow } from '../storage/tables.ts';

export const insertFile = insertion<FileRow>('files');

/** Through its owner, and only while it is wanted: what was sent and is nowhere any more is gone. */
export async function findFile(db: Db, owner: string, id: string): Promise<FileRow | undefined> {
  return (await selectFile(db, id, owner))[0];
}

const IS_LINKED = `(EXISTS (SELECT 1 FROM message_files WHERE message_files.file_id = files.id)
  OR EXISTS (SELECT 1 FROM artifact_files WHERE artifact_files.file_id = files.id)
  OR EXISTS (SELECT 1 FROM knowledge_sources WHERE knowledge_sources.file_id = files.id))`;
const selectFile = statement<FileRow>(
  `SELECT * FROM files WHERE id = ? AND owner = ? AND (sent_at IS NULL OR ${IS_LINKED})`,
);

/** Unless it is part of a message, kept as a file or a source of knowledge, which it may have become a moment ago. */
export async function deleteFile(db: Db, id: string): Promise<boolean> {
  return (await deleteUnlinked(db, id)).length === 1;
}

const deleteUnlinked = statement<{ id: string }>(`DELETE FROM files WHERE id = ? AND NOT ${IS_LINKED} RETURNING id`);

/** What one person has sent up and neither put into a message nor kept. */
export async function unsentBytes(db: Db, owner: string): Promise<number> {
  return (await sumUnsent(db, owner))[0]?.bytes ?? 0;
}

const sumUnsent = statement<{ bytes: number }>(
  'SELECT coalesce(sum(bytes), 0) AS bytes FROM files WHERE owner = ? AND sent_at IS NULL',
);

/** What was sent up before a moment and never used, and what nothing links to any more. */
export const selectForgotten = statement<{ id: string }>(
  `SELECT id FROM files WHERE (sent_at IS NOT NULL OR created_at < ?) AND NOT ${IS_LINKED}`,
);

export const selectFileIds = statement<{ id: string }>('SELECT id FROM files');

/** They are part of a message from now on. */
export async function linkFiles(
  db: Db,
  message: { id: string; session_id: string },
  fileIds: readonly string[],
  now: number,
): Promise<void> {
  for (const [place, file_id] of fileIds.entries()) {
    await insertLink(db, { message_id: message.id, place, file_id, session_id: message.session_id });
    await markSent(db, now, file_id);
  }
}

const insertLink = insertion<MessageFileRow>('message_files');
export const markSent = statement('UPDATE files SET sent_at = coalesce(sent_at, ?) WHERE id = ?');
