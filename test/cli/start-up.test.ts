import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PROGRAM } from '../harness/program.ts';
import { collect, environment, launch, makeHome, parley, putAgent, serve, until } from './parley.ts';
import { hasPython, Person } from './person.ts';

/** One sentence that a person can act on: no stack, no name of an error of the system. */
async function sentence(home: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await parley(home, args);
  expect(stderr).toMatch(/^Error: .+\n$/);
  expect(stderr).not.toMatch(/\n\s+at |E[A-Z]{4,}|SQLITE/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
}

describe('a data folder that cannot be used', () => {
  test.each([['sessions'], ['search', 'x'], ['agents'], ['export'], ['usage']])(
    'is not created by a command that only reads: %j',
    async (...args) => {
      const home = path.join(makeHome(), 'typo');
      expect(await sentence(home, ...args)).toContain(`No data folder at ${home}.`);
      expect(existsSync(home)).toBe(false);
    },
  );

  test('is a file', async () => {
    const file = path.join(makeHome(), 'parley.json');
    expect(await sentence(file, 'sessions')).toContain('is a file, not a folder');
    expect(await sentence(file, 'serve', '--port', '0')).toContain('is a file, not a folder');
    expect(await sentence(path.join(file, 'home'), 'serve', '--port', '0')).toContain('is a file, not a folder');
    for (const home of [file, path.join(file, 'home')]) {
      const { code, stdout, stderr } = await parley(home, ['doctor']);
      expect(stdout).toContain(`${file} is a file, not a folder`);
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    }
  });

  test('has a file where the folder of the agents should be', async () => {
    const home = makeHome();
    rmSync(path.join(home, 'agents'), { recursive: true });
    writeFileSync(path.join(home, 'agents'), 'none');
    const { code, stderr } = await parley(home, ['serve', '--port', '0']);
    expect(stderr).toMatch(`Error: The configuration in ${home} is invalid: agents: must be a folder\n`);
    expect(code).toBe(1);
  });

  test('is not named, and no other is taken instead', async () => {
    const { code, stderr } = await parley(makeHome(), ['sessions', '--home', '']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'Error: --home needs a folder.\n' });
  });

  test('belongs to another user', async ({ skip }) => {
    const asOther = (...args: string[]) =>
      spawnSync('setpriv', ['--reuid', '65534', '--clear-groups', process.execPath, ...args], {
        env: environment(home),
        encoding: 'utf8',
      });
    const home = makeHome();
    if (asOther(PROGRAM, '--version').status !== 0) return skip('only root may act as another user');
    for (const mode of [0o700, 0o000]) {
      chmodSync(home, mode);
      const { stderr, status } = asOther(PROGRAM, 'serve', '--port', '0');
      expect(stderr).toBe(`Error: No permission to use ${home}. Change its permissions or its owner.\n`);
      expect(status).toBe(1);
    }
  });

  test('lies in a folder that does not exist', async () => {
    const home = path.join(makeHome(), 'typo', 'home');
    expect(await sentence(home, 'serve', '--port', '0')).toContain('its parent folder does not exist');
    expect(await sentence(home, 'chat', '-a', 'a', '-m', 'x')).toContain('its parent folder does not exist');
    expect(existsSync(path.dirname(home))).toBe(false);
  });

  test('has a lock that is none', async () => {
    const home = makeHome();
    writeFileSync(path.join(home, 'lock'), 'no lock '.repeat(1000));
    expect(await sentence(home, 'serve', '--port', '0')).toContain('lock is not a lock file');
  });

  test.each(['lock', 'parley.db', 'token'])('has a folder where the file %s should be', async (name) => {
    const home = makeHome();
    mkdirSync(path.join(home, name));
    expect(await sentence(home, 'serve', '--port', '0')).toContain(home);
  });

  test('is on a disk that is full or read-only', async ({ skip }) => {
    const mounted = mkdtempSync(path.join(tmpdir(), 'parley-tiny-'));
    onTestFinished(() => rmSync(mounted, { recursive: true, force: true }));
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', mounted], { stdio: 'ignore' });
    if (status !== 0) return skip('only root may mount a file system');
    onTestFinished(() => void spawnSync('umount', [mounted]));
    const home = path.join(mounted, 'home');
    expect(await sentence(home, 'serve', '--port', '0')).toContain('full');
    const full = await parley(home, ['doctor']);
    expect(full.stdout).toMatch(/BAD +Disk +the disk with .+ is full \(0 MB free\)\. Free some space\n/);
    expect(full).toMatchObject({ code: 1, stderr: '' });
    spawnSync('mount', ['-o', 'remount,ro', mounted]);
    expect(await sentence(home, 'serve', '--port', '0')).toContain('read-only');
    expect(await sentence(path.join(mounted, 'other'), 'serve', '--port', '0')).toContain('read-only');
    const readOnly = await parley(home, ['doctor']);
    expect(readOnly.stdout).toMatch(/BAD +Data folder +the disk with .+ is read-only; Parley needs write access\n/);
    expect(readOnly).toMatchObject({ code: 1, stderr: '' });
  });

  test('is reached through a link that leads nowhere', async () => {
    const home = path.join(makeHome(), 'link');
    symlinkSync('/nonexistent/parley', home);
    await sentence(home, 'serve', '--port', '0');
  });
});

describe('a large database of an older version', () => {
  const SCHEMA = path.join(import.meta.dirname, '../storage/schemas/first.sql');

  /** Some Chinese, which is indexed anew, and twenty million bytes of what is not looked at. */
  function makeOld(home: string): void {
    const db = new DatabaseSync(path.join(home, 'parley.db'));
    db.exec(readFileSync(SCHEMA, 'utf8'));
    db.exec(`INSERT INTO sessions (id, owner, type, status, agent_id, sender, name, head_id, message_seq, message_count,
        created_at, updated_at, last_activity_at)
      VALUES ('old', 'owner', 'conversation', 'active', 'wisp/concierge', 'user', 'Old', 'm', 1, 1, 1, 1, 1)`);
    db.exec(`INSERT INTO messages (id, session_id, seq, role, status, text, created_at)
      VALUES ('m', 'old', 1, 'user', 'complete', '我们明天去北京开会', 1)`);
    db.exec(`INSERT INTO messages_fts (rowid, text, tags) SELECT rid, text, '' FROM messages`);
    db.exec(
      `INSERT INTO audit (id, at, owner, action, detail) VALUES ('a', 1, 'owner', 'test', hex(zeroblob(10000000)))`,
    );
    db.close();
  }

  test('is updated with a word about it, also after a kill in the middle, and nothing is lost', async () => {
    const home = makeHome();
    makeOld(home);
    const PARLEY_FAULT = 'migration.before-commit:8';
    const killed = await parley(home, ['sessions'], { env: { PARLEY_FAULT } });
    expect(killed).toMatchObject({ code: null, stdout: '' });
    const words = /^Updating the database \(\d\d MB\) for this version of Parley\. This can take a while\.\n/;
    expect(killed.stderr).toMatch(words);
    const { code, stdout, stderr } = await parley(home, ['search', '北京', '--json']);
    expect(stderr).toMatch(words);
    expect(JSON.parse(stdout).hits[0]).toMatchObject({ sessionId: 'old', seq: 1 });
    expect(code).toBe(0);
  });
});

describe('a command', () => {
  /** Prints what Node has loaded of its own modules by the end. */
  const tellModules = `process.on('exit', () => console.error(process.moduleLoadList.join()))`;
  const NODE_OPTIONS = `--import "data:text/javascript,${encodeURIComponent(tellModules)}"`;

  test.each([['sessions'], ['chat', '-a', 'wisp/concierge', '-m', 'hello']])(
    'asks a server on this machine without loading the fetch of Node: %j',
    async (...args) => {
      const home = makeHome();
      await serve(home);
      const { code, stderr } = await parley(home, args, { env: { NODE_OPTIONS } });
      expect(code).toBe(0);
      expect(stderr).toContain('NativeModule _http_client');
      expect(stderr).not.toContain('undici');
    },
  );
});

describe('a sub-command that does not exist', () => {
  test.each(['queue', 'agents', 'mcp', 'sessions', 'templates', 'config'])('of %s is said plainly', async (command) => {
    const { code, stderr } = await parley('/nonexistent', [command, 'frob']);
    expect(stderr).toMatch(new RegExp(`^Error: \`parley ${command}\` has no sub-command "frob". It has: .+\n$`));
    expect(code).toBe(2);
  });

  test('of a tool neither', async () => {
    const { code, stderr } = await parley(makeHome(), ['tool', 'zzz', 'add']);
    expect(stderr).toContain('Tool not found: zzz add.');
    expect(code).toBe(1);
  });
});

describe('a broken file', () => {
  const breakAgent = (home: string) => writeFileSync(path.join(home, 'agents/wisp/scheduler.json'), '{ "chat": ');

  test('of an agent keeps neither the server nor the others from working, and is named wherever agents are', async () => {
    const home = makeHome();
    breakAgent(home);
    await serve(home);
    const { stdout, stderr, code } = await parley(home, ['agents']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/wisp\/scheduler.+unavailable: agents\/wisp\/scheduler\.json: line 1/);
    expect(stderr).toContain('Problem: agents/wisp/scheduler.json: line 1');
    expect((await parley(home, ['chat', '-a', 'wisp/concierge', '-m', 'hello'])).code).toBe(0);
    const refused = await parley(home, ['chat', '-a', 'wisp/scheduler', '-m', 'hello']);
    expect(refused.stderr).toContain('agents/wisp/scheduler.json: line 1');
    expect(refused.code).toBe(1);
  });

  test('of an agent is found by config check and doctor without a server', async () => {
    const home = makeHome();
    breakAgent(home);
    putAgent(home, 'other', { icon: 5 });
    for (const command of [['config', 'check'], ['doctor']]) {
      const { code, stdout, stderr } = await parley(home, command);
      expect([stdout, stderr].join()).toContain('agents/wisp/scheduler.json: line 1');
      expect([stdout, stderr].join()).toContain('agents/other.json: icon must be a string');
      expect(code).toBe(1);
    }
  });

  test('of a plugin is named by tools, config check and doctor, and logged without a stack', async () => {
    const home = makeHome();
    writeFileSync(path.join(home, 'parley.json'), JSON.stringify({ plugins: ['nope'] }));
    const words = 'plugins/nope: the folder does not exist';
    const server = launch(home, ['serve', '--port', '0']);
    const log = collect(server.stderr);
    await until(() => log.text.includes(words), 'the log');
    expect(log.text).not.toMatch(/"stack"|\\n\s+at /);
    expect((await parley(home, ['tools'])).stderr).toContain(`Problem: ${words}`);
    expect((await parley(home, ['config', 'check'])).stderr).toContain(words);
    expect((await parley(home, ['doctor'])).stdout).toContain(words);
  });

  test.skipIf(!hasPython)('is a readable line at a terminal, below the address and what to do next', async () => {
    const home = makeHome();
    writeFileSync(path.join(home, 'parley.json'), JSON.stringify({ plugins: ['nope'] }));
    const person = new Person(home, ['serve', '--port', '0']);
    await person.sees('Press Ctrl-C to stop');
    expect(person.screen).toMatch(/\d\d:\d\d:\d\d warning: .+ skipped: plugins\/nope: the folder does not exist\n/);
    expect(person.screen).toContain('Parley is listening on http://127.0.0.1:');
    expect(person.screen).not.toContain('{"');
  });
});
