import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS, migrate } from '../../server/storage/migrations.ts';
import { NodeSqliteDialect } from '../../server/storage/sqlite-dialect.ts';
import type { Tables } from '../../server/storage/tables.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { PROGRAM } from '../harness/program.ts';
import { Fixture } from './fixture.ts';

const databaseOf = (fixture: Fixture) => path.join(fixture.parley.home, 'parley.db');

/** Starts a server that should not start, and says how it ended. */
async function tryToServe(home: string): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--home', home, '--port', '0'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PARLEY_NO_OPEN: '1' },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  return { code, stderr };
}

async function withFixture(work: (fixture: Fixture) => Promise<void>): Promise<void> {
  const fixture = await Fixture.open();
  try {
    await work(fixture);
  } finally {
    await fixture.close();
  }
}

describe('the database in trouble', { timeout: 60_000 }, () => {
  it('locked by another process: writes say so and succeed later, turns settle, the process goes on', () =>
    withFixture(async (fixture) => {
      const { id } = await fixture.session();
      fixture.delayMs = 20;
      const slow = await fixture.send(id, { content: 'slow' });
      const other = new DatabaseSync(databaseOf(fixture));
      other.exec('BEGIN IMMEDIATE');
      const refused = await fixture.ledger.send(fixture.parley, id, { content: 'while locked' });
      expect(refused.status).toBe(503);
      expect(refused.body).toMatchObject({ code: 'storage_unavailable' });
      expect(refused.headers.get('retry-after')).toBeTruthy();
      const began = Date.now();
      expect((await fixture.parley.request('GET', '/health')).status).toBe(200);
      expect(Date.now() - began).toBeLessThan(500);
      expect((await fixture.parley.request('GET', `/api/sessions/${id}/messages`)).status).toBe(200);
      other.exec('ROLLBACK');
      other.close();
      await until(
        () => fixture.parley.turn(slow.turn.id),
        (turn) => turn.state === 'complete',
        15_000,
      );
      await fixture.say(id, { content: 'after the lock' });
      await checkPromises(fixture.parley, fixture.ledger);
    }));

  it.each([
    ['not a database at all', (file: string) => overwrite(file, 0, Buffer.alloc(4096, 'x'))],
    ['damaged in its schema', (file: string) => overwrite(file, 100, Buffer.alloc(3900, 0xff))],
    ['cut short', (file: string) => truncateSync(file, 6000)],
  ])('a file that is %s is named, and not made worse', (_, damage) =>
    withFixture(async (fixture) => {
      const { id } = await fixture.session();
      await fixture.say(id, { content: 'before' });
      await fixture.parley.stop();
      const file = databaseOf(fixture);
      damage(file);
      const before = readFileSync(file);
      const { code, stderr } = await tryToServe(fixture.parley.home);
      expect(code).not.toBe(0);
      expect(code).not.toBeNull();
      expect(stderr).toContain('damaged');
      expect(stderr).toContain('parley.db');
      expect(stderr).not.toContain('    at ');
      expect(readFileSync(file).equals(before)).toBe(true);
    }),
  );

  it('damage that no statement meets is found at the start after a kill, and after the file was changed', () =>
    withFixture(async (fixture) => {
      const { id } = await fixture.session();
      await fixture.say(id, { content: 'before' });
      await fixture.parley.restart();
      await fixture.parley.kill();
      const file = databaseOf(fixture);
      const intact = readFileSync(file);
      damageTable(file, 'plugin_items');
      const { code, stderr } = await tryToServe(fixture.parley.home);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`The database ${file} is damaged`)]);
      expect(stderr).toContain('Restore a backup');
      const doctor = spawnSync(process.execPath, [PROGRAM, 'doctor', '--home', fixture.parley.home], {
        encoding: 'utf8',
      });
      expect([doctor.status, doctor.stdout]).toEqual([1, expect.stringMatching(/BAD .*Database .*is damaged/)]);
      writeFileSync(file, intact);
      await fixture.parley.restart();
      await checkPromises(fixture.parley, fixture.ledger);
      await fixture.parley.stop();
      damageTable(file, 'plugin_items');
      expect((await tryToServe(fixture.parley.home)).stderr).toContain('is damaged');
    }));

  it('a large database is checked while the server works already, which then stops and says why', () =>
    withFixture(async (fixture) => {
      await fixture.parley.stop();
      const file = databaseOf(fixture);
      const db = new DatabaseSync(file);
      db.exec(`WITH RECURSIVE item(id) AS (VALUES (1) UNION ALL SELECT id + 1 FROM item WHERE id < 80)
        INSERT INTO plugin_items SELECT 'o', 'p', 'h', id, '', hex(zeroblob(500000)), '', 0, 0 FROM item`);
      db.close();
      await fixture.parley.restart();
      await until(
        async () => fixture.parley.stderr,
        (text) => text.includes('the database is intact'),
      );
      await fixture.parley.stop();
      expect(fixture.parley.stderr.split('checking the database')).toHaveLength(2);
      damageTable(file, 'files');
      await fixture.parley.restart();
      expect(await fixture.parley.waitForExit()).toBe(1);
      expect(fixture.parley.stderr).toContain(`Error: The database ${file} is damaged`);
    }));

  it('P1, P14: a torn write-ahead log costs nothing that was acknowledged before the tear', () =>
    withFixture(async (fixture) => {
      const { id } = await fixture.session();
      await fixture.say(id, { content: 'acknowledged' });
      await fixture.parley.kill();
      const wal = `${databaseOf(fixture)}-wal`;
      expect(existsSync(wal)).toBe(true);
      // A frame that was being written when the power went: garbage after the last whole one.
      const torn = openSync(wal, 'a');
      writeSync(torn, Buffer.alloc(2500, 0xab));
      closeSync(torn);
      await fixture.parley.restart();
      await checkPromises(fixture.parley, fixture.ledger);
    }));

  it('P14: a log cut in the middle of a transaction loses that one whole, never half of it', () =>
    withFixture(async (fixture) => {
      const { id } = await fixture.session();
      await fixture.say(id, { content: 'kept or gone as a whole' });
      await fixture.parley.kill();
      const copy = path.join(fixture.parley.home, 'copy');
      for (const cut of [4096 * 2 + 77, 4096 * 7 + 1, 4096 * 13 + 4000]) {
        const file = databaseOf(fixture);
        for (const end of ['', '-wal']) cpSync(file + end, `${copy}.db${end}`);
        if (statSync(`${copy}.db-wal`).size > cut) truncateSync(`${copy}.db-wal`, cut);
        const db = new DatabaseSync(`${copy}.db`);
        expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
        db.close();
        for (const end of ['', '-wal', '-shm']) rmSync(`${copy}.db${end}`, { force: true });
      }
      await fixture.parley.restart();
      await checkPromises(fixture.parley, fixture.ledger);
    }));

  it('two servers on one data folder: the second refuses and says why', () =>
    withFixture(async (fixture) => {
      const { code, stderr } = await tryToServe(fixture.parley.home);
      expect(code).not.toBe(0);
      expect(stderr).toContain('Another Parley server is using');
      expect(stderr).toContain(fixture.parley.home);
      const { id } = await fixture.session();
      await fixture.say(id, { content: 'the first goes on' });
      await checkPromises(fixture.parley, fixture.ledger);
    }));

  it('a second server is refused also when the lock file was deleted, before and after a further attempt', () =>
    withFixture(async (fixture) => {
      const lock = path.join(fixture.parley.home, 'lock');
      rmSync(lock);
      for (const attempt of [1, 2]) {
        const { code, stderr } = await tryToServe(fixture.parley.home);
        expect([attempt, code, stderr]).toEqual([
          attempt,
          1,
          expect.stringContaining('Another Parley server is using'),
        ]);
      }
      const { id } = await fixture.session();
      await fixture.say(id, { content: 'the first goes on' });
      await fixture.parley.kill();
      await fixture.parley.restart();
      await checkPromises(fixture.parley, fixture.ledger);
    }));

  it('a commit that cannot be written through is said to be unknown, and may be sent again after a kill', async ({
    skip,
  }) => {
    const faults = failingSync();
    if (faults === null) return skip('needs a C compiler and LD_PRELOAD');
    const fixture = await Fixture.open({ env: { LD_PRELOAD: faults.library, FAILING_SYNC: faults.flag } });
    try {
      const { id } = await fixture.session();
      await fixture.say(id, { content: 'before' });
      const message = { id: 'unknown', content: 'was it saved?' };
      writeFileSync(faults.flag, '');
      const refused = await fixture.ledger.send(fixture.parley, id, message);
      expect(refused).toMatchObject({ status: 503, body: { code: 'storage_unconfirmed' } });
      expect(JSON.stringify(refused.body)).not.toContain('Nothing was saved');
      await fixture.parley.kill();
      rmSync(faults.flag);
      await fixture.parley.restart();
      // The refused message is there: what the server could not know has turned out to be so.
      expect(await fixture.parley.transcript(id)).toContain('user: was it saved?');
      const receipt = await fixture.say(id, message);
      expect(receipt.duplicate).toBe(true);
      expect((await fixture.parley.transcript(id)).filter((line) => line === 'user: was it saved?')).toHaveLength(1);
      await checkPromises(fixture.parley, fixture.ledger);
    } finally {
      await fixture.close();
      rmSync(faults.folder, { recursive: true, force: true });
    }
  });

  it('P1: a commit that fails fails everything that shares it, and the server goes on without a restart', async ({
    skip,
  }) => {
    const faults = failingSync();
    if (faults === null) return skip('needs a C compiler and LD_PRELOAD');
    const fixture = await Fixture.open({ env: { LD_PRELOAD: faults.library, FAILING_SYNC: faults.flag } });
    try {
      const ids = Array.from({ length: 8 }, (_, index) => `together-${index}`);
      for (const id of ids) await fixture.session(undefined, { id });
      const sendAll = () =>
        Promise.all(ids.map((id) => fixture.ledger.send(fixture.parley, id, { id: `of-${id}`, content: `to ${id}` })));
      writeFileSync(faults.flag, '');
      const refused = await sendAll();
      expect(refused.map(({ status }) => status)).toEqual(ids.map(() => 503));
      expect(refused.map(({ body }) => body)).toEqual(
        ids.map(() => expect.objectContaining({ code: 'storage_unconfirmed' })),
      );
      for (const id of ids) expect(await fixture.parley.transcript(id)).toEqual([]);
      rmSync(faults.flag);
      const accepted = await sendAll();
      expect(accepted.map(({ status, body }) => [status, body.duplicate])).toEqual(ids.map(() => [202, false]));
      for (const { body } of accepted) await fixture.settled(body);
      await checkPromises(fixture.parley, fixture.ledger);
      await fixture.parley.kill();
      await fixture.parley.restart({});
      await checkPromises(fixture.parley, fixture.ledger);
    } finally {
      await fixture.close();
      rmSync(faults.folder, { recursive: true, force: true });
    }
  });

  it('P14: a newer schema is refused and left as it is', () =>
    withFixture(async (fixture) => {
      const { id } = await fixture.session();
      await fixture.say(id, { content: 'from the future' });
      await fixture.parley.stop();
      const db = new DatabaseSync(databaseOf(fixture));
      db.exec('INSERT INTO schema_version (version) VALUES (999); PRAGMA wal_checkpoint(TRUNCATE)');
      db.close();
      const before = readFileSync(databaseOf(fixture));
      const { code, stderr } = await tryToServe(fixture.parley.home);
      expect(code).not.toBe(0);
      expect(stderr).toContain('newer version of Parley');
      expect(readFileSync(databaseOf(fixture)).equals(before)).toBe(true);
    }));

  it('P14: a kill in the middle of the first migration is simply begun again', () =>
    withFixture(async (fixture) => {
      await fixture.parley.stop();
      for (const end of ['', '-wal', '-shm']) rmSync(databaseOf(fixture) + end, { force: true });
      await expect(fixture.parley.restart({ PARLEY_FAULT: 'migration.before-commit' })).rejects.toThrow(
        'ended with null',
      );
      await fixture.parley.restart({});
      const { id } = await fixture.session();
      await fixture.say(id, { content: 'a fresh start' });
      await checkPromises(fixture.parley, fixture.ledger);
    }));

  it('P14: a migration that fails leaves the schema and the data as they were', async () => {
    const raw = new DatabaseSync(':memory:');
    const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(raw) });
    await migrate(db);
    raw.exec(`INSERT INTO audit (id, at, owner, action) VALUES ('kept', 1, 'owner', 'x')`);
    const schema = () => JSON.stringify(raw.prepare('SELECT name, sql FROM sqlite_master ORDER BY name').all());
    const before = schema();
    const statements = ['CREATE TABLE half (id TEXT)', 'UPDATE audit SET action = 1', 'CREATE TABLE half (id TEXT)'];
    const broken = [...MIGRATIONS, { name: 'broken', statements }];
    await expect(migrate(db, broken)).rejects.toThrow('already exists');
    expect(schema()).toBe(before);
    expect(raw.prepare('SELECT action FROM audit').get()).toEqual({ action: 'x' });
    expect((await sql<{ v: number }>`SELECT max(version) AS v FROM schema_version`.execute(db)).rows[0]?.v).toBe(
      MIGRATIONS.length,
    );
    await migrate(db, [...MIGRATIONS, { name: 'mended', statements: ['CREATE TABLE whole (id TEXT)'] }]);
    raw.close();
  });
});

/** Garbage in the page of a table that no start reads. */
function damageTable(file: string, table: string): void {
  const db = new DatabaseSync(file, { readOnly: true });
  const { rootpage } = db.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(table)!;
  db.close();
  overwrite(file, (Number(rootpage) - 1) * 4096, Buffer.alloc(64, 0xa5));
}

/** A library in whose presence nothing can be written through to the disk while the flag is there. */
function failingSync(): { library: string; flag: string; folder: string } | null {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-sync-'));
  const [library, flag] = [path.join(folder, 'sync.so'), path.join(folder, 'fails')];
  const source = `#include <errno.h>
    #include <stdlib.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    static int sync_file(long call, int fd) {
      const char *flag = getenv("FAILING_SYNC");
      if (flag && access(flag, F_OK) == 0) { errno = EIO; return -1; }
      return syscall(call, fd);
    }
    int fsync(int fd) { return sync_file(SYS_fsync, fd); }
    int fdatasync(int fd) { return sync_file(SYS_fdatasync, fd); }`;
  const built = spawnSync('cc', ['-shared', '-fPIC', '-o', library, '-x', 'c', '-'], { input: source });
  if (built.status === 0 && process.platform === 'linux') return { library, flag, folder };
  rmSync(folder, { recursive: true });
  return null;
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
}
