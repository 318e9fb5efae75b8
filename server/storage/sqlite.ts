import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { describeDamage } from './failure.ts';
import { migrate } from './migrations.ts';
import { NodeSqliteDialect } from './sqlite-dialect.ts';
import type { Tables } from './tables.ts';

export type Db = Kysely<Tables>;

export interface SqliteOptions {
  synchronous: 'full' | 'normal';
  maxBytes?: number | null;
}

export interface SqliteStore {
  db: Db;
  /** How large the file may grow from now on; null takes the limit away. */
  limitSize(maxBytes: number | null): void;
  close(): void;
}

const OLDEST_SAFE_SQLITE = [3, 51, 3];
const PAGE_BYTES = 4096;

const NO_LIMIT_PAGES = 4_294_967_294;
/** Blocks everyone in this process, so it is short; a transaction waits longer, without blocking. */
const BUSY_MS = 10;

export async function openSqlite(file: string, options: SqliteOptions): Promise<SqliteStore> {
  makePrivate(file);
  const raw = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    assertSafeSqlite(raw);
    setUp(raw, options);
    const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(raw) });
    await migrate(db);
    return { db, limitSize: (maxBytes) => limitSize(raw, maxBytes), close: () => raw.close() };
  } catch (error) {
    raw.close();
    throw describeDamage(error, file);
  }
}

/** SQLite gives its other files the mode of this one. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

function setUp(raw: DatabaseSync, options: SqliteOptions): void {
  raw.exec('PRAGMA journal_mode = WAL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY');
  raw.exec('PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = 67108864');
  raw.exec(`PRAGMA synchronous = ${options.synchronous === 'normal' ? 'NORMAL' : 'FULL'}`);
  if (options.maxBytes) limitSize(raw, options.maxBytes);
}

function limitSize(raw: DatabaseSync, maxBytes: number | null): void {
  raw.exec(`PRAGMA max_page_count = ${maxBytes === null ? NO_LIMIT_PAGES : Math.floor(maxBytes / PAGE_BYTES)}`);
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
