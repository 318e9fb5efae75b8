import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../server/storage/migrations.ts';
import { NEWEST_SCHEMA, schemaDigest } from '../../server/storage/schema.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';

const SCHEMAS = path.join(import.meta.dirname, 'schemas');
const folder = mkdtempSync(path.join(tmpdir(), 'parley-schema-'));
let file: string;
let count = 0;
beforeEach(() => {
  file = path.join(folder, `${++count}.db`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Migrations are history: a released one is never edited, a mistake is mended by a further one. */
const FROZEN: Record<string, string> = {
  'sessions, messages, turns, events': 'a3d9767cb17f561f',
  'tool calls, actions, delegations': '0f562a8e588c6682',
  'files, shares': '240b3ca37ff0f231',
  'session templates': '10700868a91eff4b',
  'tool calls: answers and waiting time': '309db36c5b6a67a8',
  'turns: time spent waiting for a person': 'd4f1e0282cf2b9bc',
  'sessions made for delegation': '941260f70be66a62',
  'speakers of tasks and results, Chinese and Japanese in the index': 'b1dbedc755fc75fd',
  'what turns mean for the primary, usage of summaries': '63731c3d52898acb',
  'usage of deleted turns': '95e9cc99ed787aa8',
  'tool calls: what a translation of the reason needs': '69c38e9570684a06',
  'sessions by the session they work for': '2e28fd97966ee5e6',
  'sign-ins with a key, bound to the token': '41d8de9d64741d8d',
  'agents as they were last defined': 'f4ce0f4ca84596e9',
  'contents that belong to no session': '4a09906b0e670028',
  'epochs of the event log': '25f927dcb4c1cefd',
  'prompts and tool lists of requests, each stored once': '07909fe5a75bab6d',
  'turns numbered in the order in which they were accepted': '5de4fa414ba625ce',
  'state of agents that own their context': '1d6c7f3c8ae7548e',
  'the cards of remote agents as they were approved, to show what changed': '69a7d970d3023717',
  'tool calls that agents ran themselves': 'c4a9f3d8b074d56b',
  'folders that people choose for sessions': '96d422cd6cec833f',
  'messages are indexed after they are stored; turns by their number only': 'eb2ef94e30cacc1f',
  'how many servers a message has passed through': '0143a4ed9b8f71fc',
  'where clients of A2A want to be told how a task stands': '04509153d3e5b824',
  'lists, notes and views': '6eb41874182aad11',
  schedules: '6a3fd9614f23a9fc',
  'browsers that are notified': '608962c717a72539',
  teams: '027e5ad7c804c7f0',
  'to-dos, links and journal pages become items of lists and notes': '3bc78ac265c789d1',
  'files that people and agents keep': '694937d78ce5b503',
  'notifications end with the sign-in of the browser': 'af16dfcc99ca8a5c',
  'knowledge that agents can search': 'cda96c1031872357',
  'sessions by their activity in one index': 'a5ed602c6ab5f9c3',
  webhooks: '155667b06037a470',
  'what agents remember has a history and an origin': '75581c274b09f00d',
  'sessions that only try an agent or a team, by their activity': '46518479db082a8e',
};

describe('migrations', () => {
  it('are only ever appended to', () => {
    const hashes = MIGRATIONS.map(({ name, statements }) => [name, hashOf(statements)]);
    expect(Object.fromEntries(hashes)).toEqual(FROZEN);
  });

  it('make the schema that a start takes as known', async () => {
    (await openSqlite(file, { synchronous: 'normal' })).close();
    expect(NEWEST_SCHEMA).toBe(schemaDigest(new DatabaseSync(file)));
  });
});

describe('a database of an unreleased version', () => {
  it.each(readdirSync(SCHEMAS))('%s becomes like a new one and keeps its rows', async (schema) => {
    const old = new DatabaseSync(file);
    old.exec(readFileSync(path.join(SCHEMAS, schema), 'utf8'));
    const before = fillEveryTable(old);
    old.close();
    (await openSqlite(file, { synchronous: 'normal' })).close();
    const mended = new DatabaseSync(file);
    expect(schemaOf(mended)).toEqual(await newSchema());
    for (const [table, row] of before) {
      if (ENDED.has(table)) continue;
      const kept = mended.prepare(`SELECT * FROM "${table}"`).get()!;
      const common = Object.keys(kept).filter((column) => column in row);
      for (const column of common) expect([table, column, kept[column]]).toEqual([table, column, row[column]]);
    }
    for (const table of ENDED) expect(mended.prepare(`SELECT * FROM "${table}"`).all()).toEqual([]);
    mended.close();
  });
});

/** Sign-ins made before they had a key are ended: a browser signs in again. */
const ENDED = new Set(['sign_ins']);

describe('a database whose triggers are not those of its version', () => {
  it.each([
    ['are gone', 'DROP TRIGGER turn_requests_deleted'],
    [
      'do something else',
      `DROP TRIGGER turn_requests_deleted;
      CREATE TRIGGER turn_requests_deleted AFTER DELETE ON turn_requests BEGIN DELETE FROM request_texts; END`,
    ],
    ['have others beside them', 'CREATE TRIGGER more AFTER INSERT ON turns BEGIN DELETE FROM messages; END'],
    ['stood on a table that is rebuilt', `ALTER TABLE request_texts ADD COLUMN more TEXT`],
  ])('becomes like a new one when they %s', async (_, change) => {
    (await openSqlite(file, { synchronous: 'normal' })).close();
    const raw = new DatabaseSync(file);
    raw.exec(`INSERT INTO request_texts (hash, text) VALUES ('h', 'kept')`);
    raw.exec(change);
    raw.close();
    (await openSqlite(file, { synchronous: 'normal' })).close();
    const mended = new DatabaseSync(file);
    expect(schemaOf(mended)).toEqual(await newSchema());
    expect(mended.prepare('SELECT text FROM request_texts').all()).toMatchObject([{ text: 'kept' }]);
    mended.close();
  });
});

describe('a database that is not ours, or not whole', () => {
  it('of another program is refused and left as it is', async () => {
    const other = new DatabaseSync(file);
    other.exec('CREATE TABLE sessions (a); INSERT INTO sessions VALUES (1)');
    other.close();
    chmodSync(file, 0o644);
    const before = readFileSync(file);
    await expect(openSqlite(file, { synchronous: 'normal' })).rejects.toThrow('it belongs to another program');
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect(schemaOf(new DatabaseSync(file))).toEqual(['CREATE TABLE sessions (a)']);
  });

  it('that has lost a table is refused', async () => {
    (await openSqlite(file, { synchronous: 'normal' })).close();
    const damaged = new DatabaseSync(file);
    damaged.exec('DROP TABLE turns');
    damaged.close();
    await expect(openSqlite(file, { synchronous: 'normal' })).rejects.toThrow('its table turns is missing');
  });

  it.each([
    ['missing', null],
    ['empty', ''],
  ])('%s beside its write-ahead log is refused, and the log stays', async (_, left) => {
    writeFileSync(`${file}-wal`, 'what was written last');
    if (left !== null) writeFileSync(file, left);
    await expect(openSqlite(file, { synchronous: 'normal' })).rejects.toThrow('its write-ahead log');
    expect(readFileSync(`${file}-wal`, 'utf8')).toBe('what was written last');
  });
});

function hashOf(statements: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 16);
}

async function newSchema(): Promise<string[]> {
  const fresh = `${file}.new`;
  (await openSqlite(fresh, { synchronous: 'normal' })).close();
  return schemaOf(new DatabaseSync(fresh));
}

function schemaOf(db: DatabaseSync): string[] {
  const rows = db.prepare('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name').all();
  return rows.map(({ sql }) => String(sql).replace(/\s+/g, ' '));
}

/** One row in every table, with a value of its own in every column that takes one. */
function fillEveryTable(db: DatabaseSync): [table: string, row: Record<string, unknown>][] {
  const tables = db
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table'
    AND name NOT LIKE 'messages_fts%' AND name NOT IN ('schema_version', 'event_retention')`)
    .all();
  return tables.map(({ name }) => {
    const columns = db.prepare(`PRAGMA table_info("${name}")`).all();
    const row = Object.fromEntries(columns.map((column, index) => [column.name, valueFor(column, index)]));
    const places = columns.map(() => '?').join(', ');
    db.prepare(`INSERT INTO "${name}" VALUES (${places})`).run(...(Object.values(row) as string[]));
    return [String(name), row];
  });
}

function valueFor({ type, name }: Record<string, unknown>, index: number): string | number {
  if (type === 'TEXT') return JSON_COLUMNS.has(String(name)) ? '[]' : `${name}-value`;
  return index;
}

const JSON_COLUMNS = new Set(['parts', 'messages', 'agents', 'attributes', 'chain']);
