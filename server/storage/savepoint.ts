import { statement } from './statement.ts';
import type { Db } from './tables.ts';

export type Attempted<T> = { readonly result: T } | { readonly error: unknown };

/**
 * A part of a transaction. Where it fails, what it wrote is undone and the rest of the transaction goes on. Rejects only
 * where SQLite has rolled back the whole transaction, so that there is no savepoint any more.
 */
export async function inSavepoint<T>(db: Db, work: () => Promise<T>): Promise<Attempted<T>> {
  await begin(db);
  try {
    const result = await work();
    await release(db);
    return { result };
  } catch (error) {
    await rollBack(db, error);
    return { error };
  }
}

const begin = statement('SAVEPOINT part');
const release = statement('RELEASE part');
const rollBackRows = statement('ROLLBACK TO part');

async function rollBack(db: Db, reason: unknown): Promise<void> {
  try {
    await rollBackRows(db);
    await release(db);
  } catch {
    throw reason;
  }
}
