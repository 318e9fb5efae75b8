import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

type Connection = Kysely<Tables> | Transaction<Tables>;

/** Executes a statement and returns its rows, without a promise. */
export type ExecuteNow = (text: string, parameters: readonly unknown[]) => unknown[];

/** Where statements are executed directly: the way through Kysely takes longer than most of them. */
const direct = new WeakMap<Connection, ExecuteNow>();

/** For a database that is used only by the one that holds its connection. */
export function executeDirectly(db: Kysely<Tables>, execute: ExecuteNow): void {
  direct.set(db, execute);
}

/** A statement every turn needs: written once, instead of built and compiled each time, which costs more than running it. */
export function statement<Row>(text: string): (db: Connection, ...parameters: unknown[]) => Promise<Row[]> {
  return async (db, ...parameters) => {
    const execute = direct.get(db);
    if (execute) return execute(text, parameters) as Row[];
    return (await db.executeQuery<Row>(CompiledQuery.raw(text, parameters))).rows;
  };
}

/** So many rows are inserted by one statement at most: each number of rows is a statement of its own to prepare. */
const MOST_ROWS = 20;

/** The same for several whole rows. */
export function insertionOfMany<Row extends object>(
  table: keyof Tables | 'messages_fts',
  columns: (keyof Row & string)[],
) {
  const marks = `(${columns.map(() => '?').join(', ')})`;
  const begin = `INSERT INTO ${table} (${columns.join(', ')}) VALUES `;
  const statements = Array.from({ length: MOST_ROWS }, (_, index) =>
    statement(begin + Array.from({ length: index + 1 }, () => marks).join(', ')),
  );
  return async (db: Connection, rows: readonly Row[]) => {
    for (let from = 0; from < rows.length; from += MOST_ROWS) {
      const some = rows.slice(from, from + MOST_ROWS);
      await statements[some.length - 1]!(db, ...some.flatMap((row) => columns.map((column) => row[column])));
    }
  };
}

/** The same for one whole row; `returning` names a column to give back. */
export function insertion<Row extends object>(
  table: keyof Tables,
  columns: (keyof Row & string)[],
  returning?: string,
) {
  const marks = columns.map(() => '?').join(', ');
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})${returning ? ` RETURNING ${returning}` : ''}`;
  const run = statement<Record<string, number>>(text);
  return (db: Connection, row: Row) => run(db, ...columns.map((column) => row[column]));
}
