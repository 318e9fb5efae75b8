import type { Insertable } from 'kysely';
import { statement } from '../storage/statement.ts';
import type { Db, MessageRow } from '../storage/tables.ts';
import type { StoredMessage } from './message-store.ts';
import { type IndexedRow, toIndexed } from './search-tokens.ts';

/**
 * The search index follows the messages: they are stored without it, and indexed many at a time in a later transaction,
 * which also moves the mark of how far the index has come. A search reads what lies beyond the mark itself.
 */

const BATCH_ROWS = 200;
/** Indexing blocks everything else meanwhile. One message always fits. */
const BATCH_CHARACTERS = 200_000;

/** Whether there are messages that the search index does not know. */
export async function isIndexBehind(db: Db): Promise<boolean> {
  const { indexed_upto, newest } = await readProgress(db);
  return newest > indexed_upto;
}

async function readProgress(db: Db): Promise<{ indexed_upto: number; newest: number }> {
  return (await selectProgress(db))[0]!;
}

const selectProgress = statement<{ indexed_upto: number; newest: number }>(
  'SELECT indexed_upto, (SELECT coalesce(max(rid), 0) FROM messages) AS newest FROM search_progress',
);

/** Adds the oldest messages that are missing to the search index, one batch; says whether there may be more. */
export async function indexBatch(db: Db): Promise<boolean> {
  const { indexed_upto: from, newest } = await readProgress(db);
  if (newest <= from) return false;
  const upto = endOfBatch(await selectLengths(db, from)) ?? newest;
  await insertIndexed(db, (await selectRange(db, from, upto)).map(toIndexed));
  await moveMark(db, upto);
  return upto < newest;
}

/** The row up to which a batch goes; undefined when it takes all there is. */
function endOfBatch(rows: readonly { rid: number; length: number }[]): number | undefined {
  let characters = 0;
  const beyond = rows.findIndex(({ length }, index) => {
    characters += length;
    return index > 0 && characters > BATCH_CHARACTERS;
  });
  return beyond < 0 ? (rows.length < BATCH_ROWS ? undefined : rows.at(-1)?.rid) : rows[beyond - 1]!.rid;
}

/** The length of a text is known without reading the text. */
const selectLengths = statement<{ rid: number; length: number }>(
  `SELECT rid, octet_length(text) AS length FROM messages WHERE rid > ? ORDER BY rid LIMIT ${BATCH_ROWS}`,
);
const selectRange = statement<StoredMessage>(`SELECT * FROM messages WHERE rid > ? AND rid <= ? AND text <> ''`);
const moveMark = statement('UPDATE search_progress SET indexed_upto = ?');

async function insertIndexed(db: Db, rows: readonly IndexedRow[]): Promise<void> {
  for (const { rowid, text, tags } of rows) await insertIndexedRow(db, rowid, text, tags);
}

const insertIndexedRow = statement('INSERT INTO messages_fts (rowid, text, tags) VALUES (?, ?, ?)');

/** The words of a message have changed. One that is not indexed yet will be, with its new words. */
export async function reindexMessage(db: Db, id: string): Promise<void> {
  const [row] = await selectIfIndexed(db, id);
  if (!row) return;
  await deleteIndexed(db, JSON.stringify([row.rid]));
  if (row.text) await insertIndexed(db, [toIndexed(row)]);
}

const selectIfIndexed = statement<StoredMessage>(
  'SELECT messages.* FROM messages JOIN search_progress ON rid <= indexed_upto WHERE id = ?',
);

/** Row numbers as a JSON list; those that are not indexed are left alone. */
export const deleteIndexed = statement('DELETE FROM messages_fts WHERE rowid IN (SELECT value FROM json_each(?))');

/** Many rows per statement, since no other write can happen meanwhile. They are indexed at once: searches would read all of them. */
export async function insertMessages(db: Db, rows: Insertable<MessageRow>[]): Promise<void> {
  if (rows.length === 0) return;
  await db.insertInto('messages').values(rows).execute();
  while (await indexBatch(db));
}
