import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collect, launch, makeHome, parley, putAgent, serve, until } from './parley.ts';
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
    spawnSync('mount', ['-o', 'remount,ro', mounted]);
    expect(await sentence(home, 'serve', '--port', '0')).toContain('read-only');
    expect(await sentence(path.join(mounted, 'other'), 'serve', '--port', '0')).toContain('read-only');
  });

  test('is reached through a link that leads nowhere', async () => {
    const home = path.join(makeHome(), 'link');
    symlinkSync('/nonexistent/parley', home);
    await sentence(home, 'serve', '--port', '0');
  });
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
