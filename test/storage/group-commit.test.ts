import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { Bus } from '../../server/events/bus.ts';
import { EventLog, type Tx } from '../../server/events/log.ts';
import { createSession } from '../../server/sessions/sessions.ts';
import { loadSession, saveSession } from '../../server/sessions/store.ts';
import { openSqlite, type SqliteStore } from '../../server/storage/sqlite.ts';

const OWNER = 'owner';
let folder: string;
let file: string;
let store: SqliteStore;
let log: EventLog;
/** What listeners and callers are told, in order. */
let told: string[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-commits-'));
  file = path.join(folder, 'parley.db');
  store = await openSqlite(file, { synchronous: 'full' });
  const bus = new Bus((error) => {
    throw error;
  });
  log = new EventLog(store.db, bus);
  told = [];
  bus.subscribe({ event: ({ event }) => told.push(`event ${event.sessionId} ${event.seq}`) });
  // The first transaction of a process also begins an epoch.
  await log.write((tx) => create(tx, 'first'));
  told.length = 0;
});
afterEach(async () => {
  await log.idle();
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function create(tx: Tx, id: string): Promise<string> {
  return (await createSession(tx, OWNER, { id, agentId: 'wisp/one' })).id;
}

async function touch(tx: Tx, id: string): Promise<void> {
  const session = await loadSession(tx.db, OWNER, id);
  tx.append(session, { type: 'session.cleared' });
  await saveSession(tx.db, session);
}

/** How a transaction ended for its caller. */
function outcomeOf(work: (tx: Tx) => Promise<unknown>, name: string): Promise<string> {
  const written = log.write(work).then(
    () => `${name} stored`,
    (error: Error) => `${name} failed: ${error instanceof AppError ? error.code : error.message}`,
  );
  void written.then((outcome) => told.push(outcome));
  return written;
}

async function storedSessions(): Promise<string[]> {
  const rows = await store.db.selectFrom('sessions').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

/** Session, number and position of every stored event. */
async function storedEvents(): Promise<string[]> {
  const rows = await store.db
    .selectFrom('events')
    .select(['session_id', 'seq', 'position'])
    .orderBy('position')
    .execute();
  return rows.map(({ session_id, seq, position }) => `${position}: ${session_id} ${seq}`);
}

/** The commits in the write-ahead log: the last frame of each says how large the database is. */
function countCommits(): number {
  const wal = readFileSync(`${file}-wal`);
  const [headerBytes, frameBytes] = [32, 24 + 4096];
  let commits = 0;
  for (let at = headerBytes; at + frameBytes <= wal.length; at += frameBytes)
    if (wal.readUInt32BE(at + 4) !== 0 && wal.compare(wal, 16, 24, at + 8, at + 16) === 0) commits += 1;
  return commits;
}

describe('transactions that are asked for together', () => {
  it('are one commit, and each caller gets its own result', async () => {
    const before = countCommits();
    const ids = Array.from({ length: 20 }, (_, index) => `s${index}`);
    expect(await Promise.all(ids.map((id) => log.write((tx) => create(tx, id))))).toEqual(ids);
    expect(countCommits() - before).toBe(1);
    expect(await storedSessions()).toEqual(['first', ...ids].toSorted());
  });

  it('include those that arrive in the same turn of the event loop, and not those of a later one', async () => {
    const before = countCommits();
    const arriving = (id: string) =>
      new Promise((resolve) => setImmediate(() => resolve(log.write((tx) => create(tx, id)))));
    await Promise.all([arriving('a'), arriving('b')]);
    await log.write((tx) => create(tx, 'c'));
    expect(countCommits() - before).toBe(2);
  });

  it('P5: one that fails is rolled back alone, and leaves no gap in event numbers and positions', async () => {
    const outcomes = await Promise.all([
      outcomeOf((tx) => create(tx, 'a'), 'a'),
      outcomeOf(async (tx) => {
        await touch(tx, 'first');
        await create(tx, 'b');
        throw new Error('changed its mind');
      }, 'b'),
      outcomeOf((tx) => touch(tx, 'first'), 'first'),
      outcomeOf((tx) => create(tx, 'a'), 'a again'),
      outcomeOf((tx) => create(tx, 'c'), 'c'),
    ]);
    expect(outcomes).toEqual([
      'a stored',
      'b failed: changed its mind',
      'first stored',
      'a again failed: session_id_taken',
      'c stored',
    ]);
    expect(await storedSessions()).toEqual(['a', 'c', 'first']);
    expect(await storedEvents()).toEqual(['1: first 1', '2: a 1', '3: first 2', '4: c 1']);
  });

  it('P1: no caller hears anything before the commit; then all events come first, and the answers in order', async () => {
    const commitsWhenTold: number[] = [];
    const before = countCommits();
    const written = ['a', 'b', 'c'].map((id) =>
      outcomeOf(async (tx) => {
        tx.afterwards.push(() => commitsWhenTold.push(countCommits() - before));
        await create(tx, id);
        if (id === 'b') throw new Error('no');
      }, id),
    );
    await Promise.all(written);
    expect(told).toEqual(['event a 1', 'event c 1', 'a stored', 'b failed: no', 'c stored']);
    expect(commitsWhenTold).toEqual([1, 1]);
  });

  it('are told one after the other: what the first does with its result is done before the second hears of its own', async () => {
    const first = log
      .write((tx) => create(tx, 'a'))
      .then(async () => {
        for (let step = 0; step < 20; step++) await Promise.resolve();
        told.push('a has gone on');
      });
    await Promise.all([first, outcomeOf((tx) => create(tx, 'b'), 'b')]);
    expect(told).toEqual(['event a 1', 'event b 1', 'a has gone on', 'b stored']);
  });

  it('a read that arrives meanwhile sees what was committed only after its callers know', async () => {
    const written = outcomeOf((tx) => create(tx, 'a'), 'a');
    const read = new Promise<void>((resolve) => {
      void log
        .write(async (tx) => {
          void storedSessions().then((ids) => {
            told.push(`read ${ids}`);
            resolve();
          });
          await create(tx, 'b');
        })
        .then(() => told.push('b stored'));
    });
    await Promise.all([written, read]);
    expect(told.slice(2)).toEqual(['a stored', 'b stored', 'read a,b,first']);
  });

  it('P1: all fail when the commit fails, nothing of them is stored or told, and later ones go on without a gap', async () => {
    await sql`PRAGMA foreign_keys = ON`.execute(store.db);
    await sql`CREATE TABLE parents (id TEXT PRIMARY KEY)`.execute(store.db);
    await sql`CREATE TABLE children (parent TEXT REFERENCES parents(id) DEFERRABLE INITIALLY DEFERRED)`.execute(
      store.db,
    );
    const outcomes = await Promise.all([
      outcomeOf((tx) => create(tx, 'a'), 'a'),
      outcomeOf((tx) => sql`INSERT INTO children VALUES ('nobody')`.execute(tx.db), 'orphan'),
      outcomeOf((tx) => touch(tx, 'first'), 'first'),
    ]);
    expect(outcomes).toEqual(['a', 'orphan', 'first'].map((name) => `${name} failed: FOREIGN KEY constraint failed`));
    expect(told).toEqual(outcomes);
    expect(await storedEvents()).toEqual(['1: first 1']);
    await Promise.all([log.write((tx) => create(tx, 'b')), log.write((tx) => touch(tx, 'first'))]);
    expect(await storedEvents()).toEqual(['1: first 1', '2: b 1', '3: first 2']);
  });

  it('P1, P12: a full disk fails what it may have to, stores nothing of it, and is over when there is room', async () => {
    const size = Number((await sql<{ page_count: number }>`PRAGMA page_count`.execute(store.db)).rows[0]!.page_count);
    store.limitSize((size + 4) * 4096);
    const large = (tx: Tx) =>
      sql`INSERT INTO audit (id, at, owner, action, detail) VALUES
      (${'large'}, 1, ${OWNER}, 'x', ${'x'.repeat(500_000)})`.execute(tx.db);
    const outcomes = await Promise.all([
      outcomeOf((tx) => touch(tx, 'first'), 'first'),
      outcomeOf(large, 'large'),
      outcomeOf((tx) => touch(tx, 'first'), 'first'),
    ]);
    expect(outcomes).toContain('large failed: storage_full');
    expect(outcomes.filter((outcome) => !/^first stored$|storage_full$/.test(outcome))).toEqual([]);
    const stored = outcomes.filter((outcome) => outcome === 'first stored').length;
    expect(await storedEvents()).toHaveLength(1 + stored);
    store.limitSize(null);
    expect(await outcomeOf(large, 'large')).toBe('large stored');
    await log.write((tx) => touch(tx, 'first'));
    expect((await storedEvents()).at(-1)).toBe(`${2 + stored}: first ${2 + stored}`);
  });

  it('an epoch begins with the first events that are stored, not with a transaction that failed', async () => {
    const epochs = async () => (await store.db.selectFrom('event_epochs').select('after_position').execute()).length;
    const fresh = new EventLog(store.db, new Bus(() => undefined));
    const before = await epochs();
    const failed = fresh.write(async (tx) => {
      await create(tx, 'a');
      throw new Error('no');
    });
    const all = [failed, fresh.write((tx) => create(tx, 'b')), fresh.write((tx) => create(tx, 'c'))];
    await Promise.allSettled(all);
    expect((await epochs()) - before).toBe(1);
  });
});
