import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import { migrate } from './migrations.ts';
import type { Tables } from './tables.ts';

export type Db = Kysely<Tables>;

export interface SqliteOptions {
  synchronous: 'full' | 'normal';
  maxBytes?: number | null;
}

export interface SqliteStore {
  db: Db;
  /** The same connection without the query builder, for the few statements that happen very often. */
  raw: DatabaseSync;
  close(): void;
}

const OLDEST_SAFE_SQLITE = [3, 51, 3];
const PAGE_BYTES = 4096;

export async function openSqlite(file: string, options: SqliteOptions): Promise<SqliteStore> {
  const raw = new DatabaseSync(file, { timeout: 5000 });
  assertSafeSqlite(raw);
  raw.exec('PRAGMA journal_mode = WAL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY');
  raw.exec('PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 67108864');
  raw.exec(`PRAGMA synchronous = ${options.synchronous === 'normal' ? 'NORMAL' : 'FULL'}`);
  if (options.maxBytes) raw.exec(`PRAGMA max_page_count = ${Math.floor(options.maxBytes / PAGE_BYTES)}`);
  const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(raw) });
  await migrate(db);
  return { db, raw, close: () => raw.close() };
}

/** A distribution's Node may link a system SQLite that loses data (WAL reset) or cuts text at a NUL. */
function assertSafeSqlite(raw: DatabaseSync): void {
  const row = raw.prepare('SELECT sqlite_version() AS version, ? AS echo').get('a\0b') as Record<string, string>;
  const version = String(row.version).split('.').map(Number);
  if (isOlder(version, OLDEST_SAFE_SQLITE))
    throw new Error(`SQLite ${row.version} is too old; 3.51.3 or newer is needed.`);
  if (row.echo !== 'a\0b') throw new Error('This SQLite cuts text at NUL bytes. Use Node >= 24.16.');
}

function isOlder(version: number[], than: number[]): boolean {
  for (const [index, wanted] of than.entries()) {
    const part = version[index] ?? 0;
    if (part !== wanted) return part < wanted;
  }
  return false;
}

class NodeSqliteDialect extends SqliteDialect {
  constructor(raw: DatabaseSync) {
    super({ database: new CachingDatabase(raw) });
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
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

  close(): void {
    this.#raw.close();
  }
}

class CachedStatement {
  readonly #statement: StatementSync;
  readonly reader: boolean;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.reader = statement.columns().length > 0;
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...(parameters as SQLInputValue[]));
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(...(parameters as SQLInputValue[]));
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...(parameters as SQLInputValue[]));
  }
}
