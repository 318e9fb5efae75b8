import { columnComparer, statement } from './statement.ts';
import type { Db, Tables } from './tables.ts';

/** The same few columns change again and again. */
const MOST_UPDATES = 100;

/**
 * What rows of a table were when they came from the database, so that saving one writes, and indexes, only what changed:
 * SQLite moves a row in every index of a column that an UPDATE names, also where the value stays the same.
 */
export class ChangedColumns<Row extends object> {
  readonly #table: keyof Tables;
  readonly #key: keyof Row & string;
  readonly #stored = new WeakMap<Row, Row>();
  readonly #updates = new Map<string, ReturnType<typeof statement>>();
  #compare: ReturnType<typeof columnComparer<Row>> | undefined;

  constructor(table: keyof Tables, key: keyof Row & string) {
    this.#table = table;
    this.#key = key;
  }

  /** The row is in the database as it is now. */
  remember(row: Row): void {
    this.#stored.set(row, { ...row });
  }

  /** Another statement may have changed the column since: it is written in any case. */
  doubt(row: Row, column: keyof Row): void {
    const before = this.#stored.get(row);
    if (before) delete (before as Partial<Row>)[column];
  }

  /** The whole row where it is not known what it was. */
  async save(db: Db, row: Row): Promise<void> {
    const before = this.#stored.get(row);
    const changed = before ? this.#changed(row, before) : (Object.keys(row) as (keyof Row & string)[]);
    if (changed.length === 0) return;
    await this.#updateOf(changed)(db, ...changed.map((column) => row[column]), row[this.#key]);
    if (before) Object.assign(before, row);
  }

  #changed(row: Row, before: Row): (keyof Row & string)[] {
    this.#compare ??= columnComparer<Row>(Object.keys(before));
    return this.#compare(row, before);
  }

  #updateOf(columns: readonly string[]): ReturnType<typeof statement> {
    const key = columns.join();
    const known = this.#updates.get(key);
    if (known) return known;
    const values = columns.map((column) => `${column} = ?`).join(', ');
    const update = statement(`UPDATE ${this.#table} SET ${values} WHERE ${this.#key} = ?`);
    if (this.#updates.size >= MOST_UPDATES) this.#updates.clear();
    this.#updates.set(key, update);
    return update;
  }
}
