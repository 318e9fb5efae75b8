import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

type Connection = Kysely<Tables> | Transaction<Tables>;

/** A statement every turn needs: written once, instead of built and compiled each time, which costs more than running it. */
export function statement<Row>(text: string): (db: Connection, ...parameters: unknown[]) => Promise<Row[]> {
  return async (db, ...parameters) => (await db.executeQuery<Row>(CompiledQuery.raw(text, parameters))).rows;
}

/** The same for a whole row; `returning` names a column to give back. */
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
