import { type Insertable, sql } from 'kysely';
import { searchWords } from '../storage/search-words.ts';
import type { MessageRow } from '../storage/tables.ts';
import { searchTags } from './search-tag.ts';
import type { Connection } from './store.ts';

/** Many rows per statement, since no other write can happen until the import is done. */
export async function insertMessages(db: Connection, rows: Insertable<MessageRow>[]): Promise<void> {
  if (rows.length === 0) return;
  const inserted = await db.insertInto('messages').values(rows).returning(['rid', 'id']).execute();
  const rids = new Map(inserted.map((row) => [row.id, row.rid]));
  const words = rows
    .filter((row) => row.text)
    .map((row) => sql`(${rids.get(row.id)}, ${searchWords(row.text)}, ${searchTags(row)})`);
  if (words.length > 0) await sql`INSERT INTO messages_fts (rowid, text, tags) VALUES ${sql.join(words)}`.execute(db);
}

/** A session keeps the time at which it began, wherever that was. */
export async function backdateSession(db: Connection, sessionId: string, createdAt: number): Promise<void> {
  await db.updateTable('sessions').set({ created_at: createdAt }).where('id', '=', sessionId).execute();
}
