import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { type DatabaseConnection, SqliteAdapter, SqliteDialect, SqliteDriver, type TransactionSettings } from 'kysely';
import { asUnconfirmed, isBusy } from './failure.ts';
import { nameKey } from './name-key.ts';
import { searchWords } from './search-words.ts';
import type { ExecuteNow } from './statement.ts';

const LOCK_WAIT_MS = 1000;
const LOCK_PAUSE_MS = 25;

export class NodeSqliteDialect extends SqliteDialect {
  readonly #database: CachingDatabase;
  readonly transactions: Transactions;

  constructor(raw: DatabaseSync) {
    const database = new CachingDatabase(raw);
    super({ database });
    // Migrations use them.
    raw.function('search_words', { deterministic: true }, (text) => searchWords(String(text)));
    raw.function('name_key', { deterministic: true }, (text) => nameKey(String(text)));
    this.#database = database;
    this.transactions = new Transactions(raw, this.executeNow);
  }

  readonly executeNow: ExecuteNow = (text, parameters) => this.#database.execute(text, parameters);

  /** The same connection for the one that holds it already: its statements do not wait for anyone. */
  held(): SqliteDialect {
    return new HeldDialect({ database: this.#database });
  }

  override createDriver(): SqliteDriver {
    return new NodeSqliteDriver(this.#database, this.transactions);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }
}

class NodeSqliteDriver extends SqliteDriver {
  readonly #transactions: Transactions;

  constructor(database: CachingDatabase, transactions: Transactions) {
    super({ database });
    this.#transactions = transactions;
  }

  override beginTransaction(_connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    return this.#transactions.begin(settings?.accessMode === 'read only' ? 'begin' : 'begin immediate');
  }

  override async commitTransaction(): Promise<void> {
    this.#transactions.commit();
  }

  override async rollbackTransaction(): Promise<void> {
    this.#transactions.rollBack();
  }
}

/** The ends of a transaction. The caller holds the connection. */
export class Transactions {
  readonly #raw: DatabaseSync;
  readonly #execute: ExecuteNow;

  constructor(raw: DatabaseSync, execute: ExecuteNow) {
    this.#raw = raw;
    this.#execute = execute;
  }

  /** The write lock comes first: only here can another process be in the way, and this wait blocks no other work. */
  async begin(how: 'begin' | 'begin immediate'): Promise<void> {
    for (const deadline = Date.now() + LOCK_WAIT_MS; ; await setTimeout(LOCK_PAUSE_MS)) {
      try {
        return void this.#execute(how, []);
      } catch (error) {
        if (!isBusy(error) || Date.now() > deadline) throw error;
      }
    }
  }

  /** The last record of a transaction may be in the file although writing it through to the disk has failed. */
  commit(): void {
    try {
      this.#execute('commit', []);
    } catch (error) {
      throw asUnconfirmed(error);
    }
  }

  /** A full disk makes SQLite roll back by itself; to do it twice would hide the reason. */
  rollBack(): void {
    if (this.#raw.isTransaction) this.#execute('rollback', []);
  }
}

class HeldDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new UnlockedAdapter();
  }
}

/** Kysely locks a connection that cannot be used by several at once. */
class UnlockedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Shapes node:sqlite the way Kysely's SQLite dialect wants it, and keeps prepared statements: 5 µs instead of 15. */
class CachingDatabase {
  readonly #raw: DatabaseSync;
  readonly #statements = new Map<string, CachedStatement>();

  constructor(raw: DatabaseSync) {
    this.#raw = raw;
  }

  prepare(text: string): CachedStatement {
    const known = this.#statements.get(text);
    if (known) return known;
    if (this.#statements.size >= 500) this.#statements.clear();
    const statement = new CachedStatement(this.#raw.prepare(text));
    this.#statements.set(text, statement);
    return statement;
  }

  execute(text: string, parameters: readonly unknown[]): unknown[] {
    const statement = this.prepare(text);
    if (statement.reader) return statement.all(parameters);
    statement.run(parameters);
    return [];
  }

  close(): void {
    this.#raw.close();
  }
}

class CachedStatement {
  readonly #statement: StatementSync;
  readonly #toRow: (values: unknown[]) => unknown;
  readonly reader: boolean;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    const columns = statement.columns();
    this.reader = columns.length > 0;
    this.#toRow = rowMaker(columns.map((column) => column.name));
    statement.setReturnArrays(true);
  }

  all(parameters: readonly unknown[]): unknown[] {
    const rows = this.#statement.all(...(parameters as SQLInputValue[])) as unknown as unknown[][];
    return rows.map(this.#toRow);
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(...(parameters as SQLInputValue[]));
  }

  *iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    const rows = this.#statement.iterate(...(parameters as SQLInputValue[])) as unknown as Iterable<unknown[]>;
    for (const row of rows) yield this.#toRow(row);
  }
}

/**
 * A function that makes a row of its values. The objects node:sqlite makes are hash tables: reading fifty sessions from
 * them takes twice as long as from objects with a shape. The names are columns of our own statements.
 */
function rowMaker(names: string[]): (values: unknown[]) => unknown {
  const fields = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  return new Function('values', `return { ${fields.join(', ')} };`) as (values: unknown[]) => unknown;
}
