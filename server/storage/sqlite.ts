import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { describeDamage } from './failure.ts';
import { migrate } from './migrations.ts';
import { openReadOnly } from './read-only.ts';
import { assertKnownSchema, checkSchema, needsMigration } from './schema.ts';
import { NodeSqliteDialect, type Transactions } from './sqlite-dialect.ts';
import { executeDirectly } from './statement.ts';
import type { Db, Tables } from './tables.ts';
import { runInThread } from './thread.ts';

export interface SqliteOptions {
  synchronous: 'full' | 'normal';
  maxBytes?: number | null;
  /** Is told in words what takes long. */
  tell?: ((words: string) => void) | undefined;
}

export interface SqliteStore {
  db: Db;
  /** How large the file may grow from now on; null takes the limit away. */
  limitSize(maxBytes: number | null): void;
  close(): void;
}

/** A database for the one that holds its connection: nothing else can use it meanwhile. */
export interface HeldDatabase {
  db: Db;
  transactions: Transactions;
}

const held = new WeakMap<Db, HeldDatabase>();

/** Holds the connection while the work lasts. */
export function holding<T>(db: Db, work: (held: HeldDatabase) => Promise<T>): Promise<T> {
  const inside = held.get(db);
  if (!inside) throw new Error('this database was not opened here');
  // Kysely's `connection()` would make another Kysely each time, which takes longer than most statements.
  return db.getExecutor().provideConnection(() => work(inside));
}

const OLDEST_SAFE_SQLITE = [3, 51, 3];
const PAGE_BYTES = 4096;

const NO_LIMIT_PAGES = 4_294_967_294;
/** Waiting here blocks the whole process, so it is short; a transaction waits longer, without blocking. */
const BUSY_MS = 10;

/** What the thread that brings a database up to date is given. */
export interface UpgradeRequest {
  file: string;
  synchronous: SqliteOptions['synchronous'];
}

/** To bring a smaller database up to date takes a moment. */
const LARGE_BYTES = 16_000_000;

export async function openSqlite(file: string, options: SqliteOptions): Promise<SqliteStore> {
  assertUsable(file);
  if (sizeOf(file) > LARGE_BYTES && isOutdated(file)) await upgradeInThread(file, options);
  return openHere(file, options);
}

/**
 * A large database of an older version is brought up to date in a thread of its own, so that this one can say so.
 * Each migration is one transaction: after a kill, the next start goes on from there.
 */
async function upgradeInThread(file: string, { synchronous, tell }: SqliteOptions): Promise<void> {
  tell?.(
    `Updating the database (${Math.round(sizeOf(file) / 1e6)} MB) for this version of Parley. This can take a while.`,
  );
  const onProgress = (seconds: number) => tell?.(`Still updating the database (${seconds} s).`);
  const request: UpgradeRequest = { file, synchronous };
  // What keeps the thread from it keeps this one from it as well, and is reported in its own words when the file is opened.
  await runInThread('upgrade-worker', request, { onProgress, everySeconds: 5 }).catch(() => undefined);
}

/** Opens a database and brings it up to date in this thread. */
export async function openHere(file: string, options: SqliteOptions): Promise<SqliteStore> {
  makePrivate(file);
  const raw = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    assertSafeSqlite(raw);
    setUp(raw, options);
    checkSchema(raw, file);
    const dialect = new NodeSqliteDialect(raw);
    const db = new Kysely<Tables>({ dialect });
    const inside = new Kysely<Tables>({ dialect: dialect.held() });
    executeDirectly(inside, dialect.executeNow);
    held.set(db, { db: inside, transactions: dialect.transactions });
    await migrate(db);
    return { db, limitSize: (maxBytes) => limitSize(raw, maxBytes), close: () => raw.close() };
  } catch (error) {
    raw.close();
    throw describeDamage(error, file);
  }
}

/** Fails when this version of Parley cannot use the database. Changes nothing. */
export function assertUsable(file: string): void {
  assertNotLost(file);
  if (sizeOf(file) === 0) return;
  const raw = openReadOnly(file, BUSY_MS);
  try {
    assertKnownSchema(raw, file);
  } catch (error) {
    throw describeDamage(error, file);
  } finally {
    raw.close();
  }
}

function isOutdated(file: string): boolean {
  const raw = openReadOnly(file, BUSY_MS);
  try {
    return needsMigration(raw, file);
  } finally {
    raw.close();
  }
}

/** Beside a write-ahead log with data, a missing or empty database is a lost one: opening it would delete the log. */
function assertNotLost(file: string): void {
  if (sizeOf(file) > 0 || sizeOf(`${file}-wal`) === 0) return;
  throw new AppError(
    'storage_unavailable',
    `The database ${file} is missing, but its write-ahead log ${file}-wal exists. Nothing was changed. ` +
      'Restore a backup of the data folder, or move the log away to start with an empty database.',
  );
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** SQLite gives its other files the mode of this one. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

function setUp(raw: DatabaseSync, options: SqliteOptions): void {
  raw.exec('PRAGMA journal_mode = WAL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY');
  raw.exec('PRAGMA wal_autocheckpoint = 8000; PRAGMA journal_size_limit = 67108864');
  // What is deleted is overwritten instead of left in pages that are free now.
  raw.exec('PRAGMA secure_delete = ON');
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
    throw new Error(`SQLite ${row.version} is too old; Parley needs 3.51.3 or newer.`);
  if (row.echo !== 'a\0b') throw new Error('This SQLite cuts text at NUL bytes. Use Node >= 24.16.');
}

function isOlder(version: number[], than: number[]): boolean {
  for (const [index, wanted] of than.entries()) {
    const part = version[index] ?? 0;
    if (part !== wanted) return part < wanted;
  }
  return false;
}
