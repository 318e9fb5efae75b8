import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../contract/errors.ts';
import { MIGRATIONS, SchemaTooNewError } from './migrations.ts';

/** One table, index, trigger or view, with the statement that makes it. */
interface SchemaObject {
  name: string;
  type: 'table' | 'index' | 'trigger' | 'view';
  table: string;
  sql: string;
}

type Schema = ReadonlyMap<string, SchemaObject>;

/** Digest of the schema that all migrations make: a database that has it need not be compared object by object. */
export const NEWEST_SCHEMA = 'c38a742627167d16';

/**
 * Compares the tables, indexes, triggers and views of a database with those its version should have, before anything
 * relies on them. What an unreleased version left otherwise is rebuilt in one transaction; anything else is refused and
 * left as it is.
 */
export function checkSchema(raw: DatabaseSync, file: string): void {
  const version = versionOf(raw, file);
  if (version === 0 || version > MIGRATIONS.length) return;
  const found = readSchema(raw);
  if (isNewest(version, found)) return;
  const expected = expectedSchema(version);
  assertComplete(found, expected, file);
  const different = [...expected.values()].filter(({ name, sql }) => found.get(name)?.sql !== sql);
  const surplus = [...found.values()].filter(({ name, type, table }) => isSurplus(name, type, table, expected));
  if (different.length > 0 || surplus.length > 0) rebuild(raw, { expected, found, different, surplus });
}

/** Fails for a database of another program or of a newer version, and for one that has lost a table. Reads only. */
export function assertKnownSchema(raw: DatabaseSync, file: string): void {
  const version = versionOf(raw, file);
  if (version > MIGRATIONS.length) throw new SchemaTooNewError(version);
  const found = readSchema(raw);
  if (!isNewest(version, found)) assertComplete(found, expectedSchema(version), file);
}

/** What `NEWEST_SCHEMA` has to be when the database was made by all migrations. */
export function schemaDigest(raw: DatabaseSync): string {
  return digestOf(readSchema(raw));
}

/** Whether an older version wrote the database. */
export function needsMigration(raw: DatabaseSync, file: string): boolean {
  return versionOf(raw, file) < MIGRATIONS.length;
}

function versionOf(raw: DatabaseSync, file: string): number {
  const tables = raw.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
  if (tables.length === 0) return 0;
  if (!tables.some(({ name }) => name === 'schema_version')) throw refuse(file, 'it belongs to another program');
  return Number(raw.prepare('SELECT coalesce(max(version), 0) AS version FROM schema_version').get()!.version);
}

function isNewest(version: number, found: Schema): boolean {
  return version === MIGRATIONS.length && digestOf(found) === NEWEST_SCHEMA;
}

function digestOf(schema: Schema): string {
  const objects = [...schema.values()].map(({ name, type, table, sql }) => JSON.stringify([name, type, table, sql]));
  return createHash('sha256').update(objects.sort().join('\n')).digest('hex').slice(0, 16);
}

/** What a database has that was made by the first migrations. */
function expectedSchema(version: number): Schema {
  const known = expectedSchemas.get(version) ?? buildSchema(version);
  expectedSchemas.set(version, known);
  return known;
}

const expectedSchemas = new Map<number, Schema>();

function buildSchema(version: number): Schema {
  const fresh = new DatabaseSync(':memory:');
  try {
    const statements = MIGRATIONS.slice(0, version).flatMap((migration) => migration.statements);
    for (const text of statements) if (/^\s*(CREATE|ALTER|DROP)\b/i.test(text)) fresh.exec(text);
    return readSchema(fresh);
  } finally {
    fresh.close();
  }
}

/** Without what SQLite and its search index keep for themselves. */
function readSchema(raw: DatabaseSync): Schema {
  const rows = raw
    .prepare(`SELECT name, type, tbl_name AS "table", sql FROM sqlite_master WHERE sql IS NOT NULL`)
    .all() as unknown as SchemaObject[];
  const virtual = rows.filter(({ sql }) => /^CREATE VIRTUAL/i.test(sql)).map(({ name }) => `${name}_`);
  const own = rows.filter(
    ({ name }) => name !== 'schema_version' && !virtual.some((prefix) => name.startsWith(prefix)),
  );
  return new Map(own.map((row) => [row.name, { ...row, sql: row.sql.replace(/\s+/g, ' ') }]));
}

function assertComplete(found: Schema, expected: Schema, file: string): void {
  for (const { name, type, sql } of expected.values()) {
    if (type !== 'table') continue;
    const actual = found.get(name);
    if (!actual) throw refuse(file, `its table ${name} is missing`);
    if (/^CREATE VIRTUAL/i.test(sql) && actual.sql !== sql)
      throw refuse(file, `its search index ${name} is not the expected one`);
  }
}

/** An index or a trigger on a table of ours that this version does not have. */
function isSurplus(name: string, type: string, table: string, expected: Schema): boolean {
  return (type === 'index' || type === 'trigger') && !expected.has(name) && expected.has(table);
}

interface Difference {
  expected: Schema;
  found: Schema;
  different: SchemaObject[];
  surplus: SchemaObject[];
}

function rebuild(raw: DatabaseSync, { expected, found, different, surplus }: Difference): void {
  raw.exec('BEGIN IMMEDIATE');
  try {
    // A trigger would follow the table that it names to the table's other name, and stay with what is dropped.
    const triggers = [...found.values()].filter(({ type, table }) => type === 'trigger' && expected.has(table));
    const dropped = [...surplus, ...triggers, ...different.filter(({ type }) => type !== 'table')];
    for (const { name, type } of dropped) raw.exec(`DROP ${type} IF EXISTS "${name.replaceAll('"', '""')}"`);
    for (const object of different) if (object.type === 'table') rebuildTable(raw, object);
    const present = readSchema(raw);
    for (const { name, type, sql } of expected.values()) if (type !== 'table' && !present.has(name)) raw.exec(sql);
    raw.exec('COMMIT');
  } catch (error) {
    raw.exec('ROLLBACK');
    throw error;
  }
}

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
}

/** Rows keep the columns that both have. A new column that needs a value gets an empty one. */
function rebuildTable(raw: DatabaseSync, { name, sql }: SchemaObject): void {
  const old = new Set(columnsOf(raw, name).map((column) => column.name));
  raw.exec(`ALTER TABLE "${name}" RENAME TO "${name}_old"`);
  raw.exec(sql);
  const columns = columnsOf(raw, name).filter((column) => old.has(column.name) || needsValue(column));
  const values = columns.map((column) => (old.has(column.name) ? column.name : emptyValue(column)));
  const names = columns.map((column) => column.name);
  raw.exec(`INSERT INTO "${name}" (${names.join(', ')}) SELECT ${values.join(', ')} FROM "${name}_old"`);
  raw.exec(`DROP TABLE "${name}_old"`);
}

function columnsOf(raw: DatabaseSync, table: string): Column[] {
  return raw.prepare(`PRAGMA table_info("${table}")`).all() as unknown as Column[];
}

function needsValue({ notnull, dflt_value }: Column): boolean {
  return notnull === 1 && dflt_value === null;
}

function emptyValue({ type }: Column): string {
  return type === 'TEXT' ? `''` : '0';
}

function refuse(file: string, reason: string): AppError {
  return new AppError(
    'storage_unavailable',
    `Can't use the database ${file}: ${reason}. Nothing was changed. ` +
      'Restore a backup of the data folder, or move the file away to start with an empty database.',
  );
}
