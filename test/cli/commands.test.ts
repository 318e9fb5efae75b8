import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../cli/command-table.ts';
import { aMessage } from '../harness/shapes.ts';
import { FakeServer } from './fake-server.ts';
import { collect, ended, launch, makeHome, makeScriptedHome, parley, serve, until } from './parley.ts';

describe('the program', () => {
  test('without arguments it explains itself', async () => {
    const { code, stdout } = await parley('/nonexistent', []);
    expect(stdout).toContain('First steps:');
    for (const { name } of COMMANDS) expect(stdout).toContain(name);
    expect(code).toBe(0);
  });

  test.each([
    [['chta'], "Error: unknown command 'chta'\n(Did you mean chat?)\n"],
    [['chat', '--mesage', 'x'], "Error: unknown option '--mesage'\n(Did you mean --message?)\n"],
    [['sessions', 'list', '--archvied'], "Error: unknown option '--archvied'\n(Did you mean --archived?)\n"],
  ])('suggests what was meant: %j', async (args, message) => {
    expect(await parley('/nonexistent', args)).toEqual({ code: 2, stdout: '', stderr: message });
  });

  test.each(COMMANDS.map(({ name }) => name))('%s has help', async (name) => {
    const { code, stdout } = await parley('/nonexistent', [name, '--help']);
    expect(stdout).toMatch(new RegExp(`^Usage: parley ${name}`));
    expect(code).toBe(0);
  });

  test('every command is described in the guide', () => {
    const guide = readFileSync(path.resolve(import.meta.dirname, '../../docs/cli.md'), 'utf8');
    expect(COMMANDS.filter(({ name }) => !guide.includes(`parley ${name}`))).toEqual([]);
  });

  test.each(['bash', 'zsh', 'fish'])('%s can complete', async (shell) => {
    const { stdout, code } = await parley('/nonexistent', ['completion', shell]);
    for (const { name } of COMMANDS) expect(stdout).toContain(name);
    expect(code).toBe(0);
  });
});

describe('sessions', () => {
  let home: string;
  const run = async (...args: string[]) => {
    const result = await parley(home, args);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    return result.stdout;
  };

  test('can be listed, named, pinned and archived', async () => {
    home = makeHome();
    await serve(home);
    expect(await run('sessions')).toContain('No sessions yet.');
    await run('chat', '-a', 'wisp/concierge', '-m', 'hello there');
    expect(await run('sessions')).toMatch(/^Session .*\ndefault\s+wisp\/concierge\s+active\s+2/);
    expect(await run('sessions', 'rename', 'default', 'trip')).toBe('Renamed "default" to "trip".\n');
    await run('sessions', 'pin', 'trip');
    expect(await run('sessions', 'list', '--pinned')).toContain('* trip');
    await run('sessions', 'unpin', 'trip');
    await run('sessions', 'archive', 'trip');
    expect(await run('sessions')).not.toContain('trip');
    await run('sessions', 'unarchive', 'trip');
    expect(await run('sessions')).toContain('trip');
  });

  test('can be forked, described, cleared and deleted', async () => {
    home = makeHome();
    await serve(home);
    await run('chat', '-a', 'wisp/concierge', '-s', 'trip', '-m', 'hello there');
    const described = await run('sessions', 'attributes', 'trip', 'city=Lisbon', 'days=3');
    expect(JSON.parse(described)).toEqual({ city: 'Lisbon', days: 3 });
    expect(JSON.parse(await run('sessions', 'attributes', 'trip', 'days='))).toEqual({ city: 'Lisbon' });
    expect(await run('sessions', 'fork', 'trip', '--name', 'trip-b')).toMatch(/^Forked "trip" as "trip-b", 2 messages/);
    expect(await parley(home, ['sessions', 'clear', 'trip-b'])).toMatchObject({ code: 2, stdout: '' });
    await run('sessions', 'clear', 'trip-b', '--yes');
    expect(await run('sessions', 'show', 'trip-b')).toContain('No messages yet.');
    expect(await run('sessions', 'clear', 'trip-b')).toBe('"trip-b" has no messages.\n');
    expect((await parley(home, ['sessions', 'delete', 'trip-b'])).stderr).toContain('Permanently delete "trip-b"?');
    await run('sessions', 'delete', 'trip-b', '--yes');
    expect((await parley(home, ['sessions', 'show', 'trip-b'])).stderr).toContain(
      'No session has the name or ID "trip-b"',
    );
  });

  test('can be found by what was said, exported, imported and summarised', async () => {
    home = makeHome();
    await serve(home);
    for (const text of ['about the dentist', 'about a haircut', 'about lunch', 'about tea'])
      await run('chat', '-a', 'wisp/concierge', '-m', text);
    expect(await run('search', 'dentist', 'from:user')).toContain('about the dentist');
    expect(await run('search', 'zebra')).toBe('No messages match zebra.\n');
    const file = path.join(home, 'copy.json');
    await parley(home, ['export', '-o', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8')).messages).toHaveLength(8);
    expect(await run('export', 'default', '-f', 'markdown')).toContain('about the dentist');
    expect(await run('import', file, '--name', 'copy')).toMatch(/^Imported "copy", 8 messages/);
    expect(await run('compact', '-s', 'copy', '--keep', '2')).toMatch(/^6 messages are now summarised/);
    expect(await run('seen')).toContain('about tea');
  });

  test('a plain file of messages can be imported from a pipe', async () => {
    home = makeHome();
    const input = JSON.stringify({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', agent: 'old/one', content: 'ho' },
      ],
    });
    const { stdout, code } = await parley(home, ['import', '-', '-n', 'old'], { input });
    expect(stdout).toMatch(/^Imported "old", 2 messages/);
    expect(code).toBe(0);
    expect((await parley(home, ['sessions', 'show', 'old'])).stdout).toContain('old/one: ho');
  });
});

describe('turns', () => {
  test('can be retried, and said differently', async () => {
    const { home } = await makeScriptedHome();
    await serve(home);
    await parley(home, ['chat', '-a', 'scripted', '-m', 'one']);
    expect((await parley(home, ['retry'])).stdout).toBe('scripted: You said: one\n');
    expect((await parley(home, ['edit', '-m', 'two'])).stdout).toBe('scripted: You said: two\n');
  });

  test('that wait can be moved, changed and taken back, and all can be cancelled', async () => {
    const { home, provider } = await makeScriptedHome();
    await serve(home);
    const held = ended(launch(home, ['chat', '-a', 'scripted', '-m', '[[chunks=1 hold]]']));
    await until(() => provider.requests.length === 1, 'the turn');
    const waiting = ['a', 'b'].map((text) => ended(launch(home, ['chat', '-a', 'scripted', '-m', text])));
    const queue = async () => (await parley(home, ['queue'])).stdout;
    await until(async () => (await queue()).split('\n').length === 4, 'both to wait');
    expect((await parley(home, ['queue', 'move', '2', '1'])).code).toBe(0);
    expect((await parley(home, ['queue', 'edit', '1', '-m', 'changed'])).stdout).toContain('changed');
    expect((await parley(home, ['queue', 'remove', '2'])).code).toBe(0);
    expect((await parley(home, ['queue', 'remove', '9'])).stderr).toContain('The queue has no message 9');
    expect((await parley(home, ['cancel'])).stdout).toBe('Stopped 2 turns.\n');
    expect((await held).stderr).toContain('The turn was cancelled.');
    const ends = (await Promise.all(waiting)).map(({ stderr }) => stderr);
    expect(ends.join()).toContain('The message was removed from the queue before it was answered.');
  });

  test('that are not there cannot be cancelled', async () => {
    const home = makeHome();
    await parley(home, ['chat', '-a', 'wisp/concierge', '-m', 'hi']);
    expect((await parley(home, ['cancel'])).stdout).toBe('Nothing was running.\n');
  });
});

describe('agents', () => {
  test('can be created, shown, changed and deleted', async () => {
    const home = makeHome();
    await serve(home);
    const file = path.join(home, 'draft.json');
    writeFileSync(file, JSON.stringify({ description: 'Writes', chat: { provider: 'demo', model: 'demo-fast' } }));
    expect((await parley(home, ['agents', 'create', 'team/w', '-f', file, '--color', '#ff8800'])).code).toBe(0);
    expect((await parley(home, ['agents'])).stdout).toMatch(/team\/w\s+demo\/demo-fast\s+Writes/);
    expect((await parley(home, ['agents', 'update', 'team/w', '--description', 'Writes well'])).code).toBe(0);
    expect((await parley(home, ['agents', 'show', 'team/w'])).stdout).toContain('"Writes well"');
    expect((await parley(home, ['agents', 'delete', 'team/w', '-y'])).stdout).toBe('Deleted team/w.\n');
    expect((await parley(home, ['agents', 'show', 'team/w'])).code).toBe(1);
  });

  test('get the memory of a deleted one only when the person says so', async () => {
    const home = makeHome();
    expect((await parley(home, ['agents', 'memories'])).stdout).toBe('No memories of deleted agents.\n');
    const db = new DatabaseSync(path.join(home, 'parley.db'));
    const columns = 'owner, holder, id, topic, text, tags, version, created_at, updated_at';
    const holder = 'gone~20260131T120000000Z';
    db.exec(`INSERT INTO memories (${columns})
      VALUES ('owner', '${holder}', '1j2k3m4n5p', '', 'The code is 12.', '[]', 1, 1, 1)`);
    db.close();
    await serve(home);
    expect((await parley(home, ['agents', 'memories'])).stdout).toMatch(/gone~20260131T120000000Z\s+gone\s+1\n/);
    const restore = ['agents', 'restore-memory', holder, 'wisp/concierge'];
    expect(await parley(home, restore)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    const list = ['tool', 'memory', 'list', '--agent', 'wisp/concierge'];
    expect((await parley(home, list)).stdout).not.toContain('12');
    const { stdout } = await parley(home, [...restore, '--yes']);
    expect(stdout).toBe('wisp/concierge has 1 more entry in its memory.\n');
    expect((await parley(home, list)).stdout).toContain('The code is 12.');
  });

  test('can be discovered from a key in the environment, which stays there', async () => {
    const home = makeHome();
    await serve(home, { ANTHROPIC_API_KEY: 'sk-ant-secret' });
    expect((await parley(home, ['agents', 'discover'])).stdout).toContain('claude');
    expect((await parley(home, ['agents', 'discover', '--add'])).stdout).toContain('Added claude.');
    expect(readFileSync(path.join(home, 'agents/claude.json'), 'utf8')).toContain('${ANTHROPIC_API_KEY}');
  });

  test('templates are listed', async () => {
    expect((await parley(makeHome(), ['agents', 'templates'])).stdout).toContain('reviewer');
  });
});

describe('tail', () => {
  test('follows one session word by word, and all of them message by message', async () => {
    const home = makeHome();
    await serve(home);
    await parley(home, ['chat', '-a', 'wisp/concierge', '-m', 'first']);
    const one = launch(home, ['tail', 'default', '-n', '1'], { input: 'open' });
    const all = launch(home, ['tail'], { input: 'open' });
    const seen = { one: '', all: '' };
    one.stdout.on('data', (chunk) => {
      seen.one += chunk;
    });
    all.stdout.on('data', (chunk) => {
      seen.all += chunk;
    });
    await until(() => seen.one !== '', 'the last message');
    await until(async () => {
      await parley(home, ['chat', '-a', 'wisp/scheduler', '-m', 'second']);
      return seen.one.includes('User: second\nwisp/scheduler: ') && /\[\S+\] wisp\/scheduler: /.test(seen.all);
    }, 'what was said');
  });

  test('ends quietly when its reader does', async () => {
    const home = makeHome();
    await serve(home);
    const child = launch(home, ['tail', '--json'], { input: 'open' });
    const done = ended(child);
    child.stdout.destroy();
    await until(async () => {
      await parley(home, ['chat', '-a', 'wisp/concierge', '-m', 'hi']);
      return child.exitCode !== null;
    }, 'its end');
    expect(await done).toMatchObject({ code: 0, stderr: '' });
  });

  test('says that events are missing after a reset, and shows the newest messages again', async () => {
    const fake = await FakeServer.start();
    const messages = [aMessage({ seq: 1, text: 'before' })];
    fake.answers.listMessages = () => ({ messages, before: null, after: null });
    const child = launch('/nonexistent/parley', ['tail', 'default'], { env: fake.env, input: 'open' });
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    await until(() => fake.asked('sessionEvents').length === 1, 'the stream');
    messages.push(aMessage({ seq: 2, text: 'missed meanwhile' }));
    fake.live({ type: 'reset', position: 9 });
    await until(() => stdout.text.includes('missed meanwhile'), 'the newest messages');
    expect(stderr.text).toMatch(/^Some messages may be missing here: .* The latest messages:\n$/);
  });

  test('says that nothing can happen without a server', async () => {
    expect(await parley(makeHome(), ['tail'])).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('what helps when something is wrong', () => {
  let home: string;

  test('config check names the file and the place', async () => {
    home = makeHome({ broken: { chat: { provider: 'nope' } } });
    const { code, stderr } = await parley(home, ['config', 'check']);
    expect(stderr).toContain('agents/broken.json');
    expect(code).toBe(1);
    expect((await parley(home, ['config', 'path'])).stdout.trim()).toBe(home);
    expect((await parley(home, ['config', 'show'])).stdout).toBe('{}');
  });

  test('config check and agents show warn about settings that have no effect', async () => {
    home = makeHome({ cold: { chat: { provider: 'demo', temperature: 0.2 } } });
    const warning = 'temperature has no effect: with these settings it is not sent to demo.';
    expect((await parley(home, ['config', 'check'])).stdout).toContain(`  Warning: cold: ${warning}\n`);
    expect((await parley(home, ['agents', 'show', 'cold'])).stderr).toBe(`Warning: ${warning}\n`);
  });

  test('doctor finds what keeps a server from starting, and changes nothing', async () => {
    home = makeHome();
    chmodSync(home, 0o700);
    const file = path.join(home, 'parley.db');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE other (a)');
    database.close();
    const files = readdirSync(home);
    const other = await parley(home, ['doctor']);
    expect(other).toMatchObject({ code: 1, stdout: expect.stringMatching(/BAD +Database .*another program/) });
    expect(readdirSync(home)).toEqual(files);
    renameSync(file, `${file}-wal`);
    const lost = await parley(home, ['doctor']);
    expect(lost).toMatchObject({ code: 1, stdout: expect.stringMatching(/BAD +Database .* is missing/) });
    rmSync(`${file}-wal`);
    await serve(home);
    rmSync(path.join(home, 'server.json'));
    const hidden = await parley(home, ['doctor']);
    expect(hidden).toMatchObject({ code: 1, stdout: expect.stringMatching(/BAD +Server .*is using/) });
  });

  test('doctor finds a folder that others can read, and a broken configuration', async () => {
    home = makeHome();
    const good = await parley(home, ['doctor']);
    expect(good.stdout).toMatch(/ok\s+SQLite/);
    expect(good.code).toBe(0);
    const { chmodSync } = await import('node:fs');
    chmodSync(home, 0o755);
    const bad = await parley(home, ['doctor']);
    expect(bad.stdout).toMatch(/BAD\s+Data folder .*chmod 700/);
    expect(bad.code).toBe(1);
  });
});
