import { CompiledQuery } from 'kysely';
import type { Db, Tables } from './tables.ts';

/** Executes a statement and returns its rows, without a promise. */
export type ExecuteNow = (text: string, parameters: readonly unknown[]) => unknown[];

/** Where statements are executed directly: the way through Kysely takes longer than most of them. */
const direct = new WeakMap<Db, ExecuteNow>();

/** For a database that is used only by the one that holds its connection. */
export function executeDirectly(db: Db, execute: ExecuteNow): void {
  direct.set(db, execute);
}

/** A statement every turn needs: written once, instead of built and compiled each time, which costs more than running it. */
export function statement<Row>(text: string): (db: Db, ...parameters: unknown[]) => Promise<Row[]> {
  return async (db, ...parameters) => {
    const execute = direct.get(db);
    if (execute) return execute(text, parameters) as Row[];
    return (await db.executeQuery<Row>(CompiledQuery.raw(text, parameters))).rows;
  };
}

/** So many rows are inserted by one statement at most: each number of rows is a statement of its own to prepare. */
const MOST_ROWS = 20;

/** Inserts several whole rows. The columns are those of the table: no list of them is kept beside its migration and its type. */
export function insertionOfMany<Row extends object>(table: keyof Tables, without?: string) {
  let known: Insertion<Row> | undefined;
  return async (db: Db, rows: readonly Row[]): Promise<void> => {
    known ??= await prepareInsertion<Row>(db, table, without);
    const { valuesOf, ofRows } = known;
    for (let from = 0; from < rows.length; from += MOST_ROWS) {
      const some = rows.slice(from, from + MOST_ROWS);
      await ofRows[some.length - 1]!(db, ...some.flatMap(valuesOf));
    }
  };
}

/** The same for one row. */
export function insertion<Row extends object>(table: keyof Tables, without?: string) {
  const insertRows = insertionOfMany<Row>(table, without);
  return (db: Db, row: Row): Promise<void> => insertRows(db, [row]);
}

interface Insertion<Row> {
  valuesOf: (row: Row) => unknown[];
  /** The statements for one row, for two and so on. */
  ofRows: ReturnType<typeof statement>[];
}

async function prepareInsertion<Row>(db: Db, table: keyof Tables, without?: string): Promise<Insertion<Row>> {
  const columns = (await columnsOf(db, table)).filter((column) => column !== without);
  const marks = `(${columns.map(() => '?').join(', ')})`;
  const begin = `INSERT INTO ${table} (${columns.join(', ')}) VALUES `;
  const ofRows = Array.from({ length: MOST_ROWS }, (_, index) =>
    statement(begin + Array.from({ length: index + 1 }, () => marks).join(', ')),
  );
  return { valuesOf: valueReader<Row>(columns), ofRows };
}

/**
 * A function that lists the values of a row. It is generated code: to look each column up by its name takes longer than
 * the insertion. The names are columns of our own tables.
 */
function valueReader<Row>(columns: readonly string[]): (row: Row) => unknown[] {
  return new Function('row', `return [${columns.map((column) => `row.${column}`).join(', ')}];`) as (
    row: Row,
  ) => unknown[];
}

/** A function that names the columns in which two rows differ, generated like `valueReader`. */
export function columnComparer<Row extends object>(
  columns: readonly string[],
): (row: Row, before: Row) => (keyof Row & string)[] {
  const comparisons = columns.map((column) => `if (row.${column} !== before.${column}) changed.push('${column}');`);
  return new Function('row', 'before', `const changed = []; ${comparisons.join(' ')} return changed;`) as (
    row: Row,
    before: Row,
  ) => (keyof Row & string)[];
}

export async function columnsOf(db: Db, table: keyof Tables): Promise<string[]> {
  return (await selectColumns(db, table)).map(({ name }) => name);
}

const selectColumns = statement<{ name: string }>('SELECT name FROM pragma_table_info(?)');
