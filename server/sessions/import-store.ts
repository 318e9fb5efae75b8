import type { Insertable } from 'kysely';
import type { MessageRow } from '../storage/tables.ts';
import { indexBatch } from './search-index-store.ts';
import type { Connection } from './store.ts';

/** Many rows per statement, since no other write can happen meanwhile. They are indexed at once: searches would read all of them. */
export async function insertMessages(db: Connection, rows: Insertable<MessageRow>[]): Promise<void> {
  if (rows.length === 0) return;
  await db.insertInto('messages').values(rows).execute();
  while (await indexBatch(db));
}

/** A session keeps the time at which it began, wherever that was. */
export async function backdateSession(db: Connection, sessionId: string, createdAt: number): Promise<void> {
  await db.updateTable('sessions').set({ created_at: createdAt }).where('id', '=', sessionId).execute();
}
