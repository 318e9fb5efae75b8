import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROGRAM } from '../harness/program.ts';
import { collect, ended, environment, launch, makeHome, makeScriptedHome, parley, serve, until } from './parley.ts';

describe.each(['in process', 'against a running server'])('chat, %s', (where) => {
  const prepare = async (home: string) => {
    if (where !== 'in process') await serve(home);
    return home;
  };

  test('prints the answer with the speaker in front and exits 0', async () => {
    const home = await prepare(makeHome());
    const { code, stdout, stderr } = await parley(home, ['chat', '-a', 'wisp/concierge', '-m', "what's on today?"]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^wisp\/concierge: .+/);
    expect(stdout).toMatch(/\n$/);
    expect(code).toBe(0);
  });

  test('agents switch inside one session, and everyone is named', async () => {
    const home = await prepare(makeHome());
    await parley(home, ['chat', '-a', 'wisp/concierge', '-m', 'hello']);
    await parley(home, ['chat', '-a', 'wisp/scheduler', '-m', 'clear my afternoon']);
    const { stdout } = await parley(home, ['sessions', 'show', 'default', '--json']);
    const { session, messages } = JSON.parse(stdout);
    expect(messages.map((message: { agent: string }) => message.agent)).toEqual([
      null,
      'wisp/concierge',
      null,
      'wisp/scheduler',
    ]);
    expect(session.agentId).toBe('wisp/scheduler');
  });

  test('a guest answers once and the session stays with its agent', async () => {
    const home = await prepare(makeHome());
    const { stdout } = await parley(home, ['chat', '-a', 'wisp/concierge', '--guest', 'wisp/scheduler', '-m', 'well?']);
    expect(stdout).toMatch(/^wisp\/scheduler \(guest\): /);
    const { stdout: shown } = await parley(home, ['sessions', 'show', 'default', '--json']);
    expect(JSON.parse(shown).session.agentId).toBe('wisp/concierge');
  });

  test('a guest without -a leaves the agent of the session as it is, and may begin one without an agent', async () => {
    const home = await prepare(makeHome());
    const primary = async (name: string) => {
      const { stdout } = await parley(home, ['sessions', 'show', name, '--json']);
      return JSON.parse(stdout).session.agentId;
    };
    await parley(home, ['chat', '-a', 'wisp/concierge', '-m', 'hello']);
    const { code, stdout } = await parley(home, ['chat', '--guest', 'wisp/scheduler', '-m', 'well?']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^wisp\/scheduler \(guest\): /)]);
    expect(await primary('default')).toBe('wisp/concierge');
    expect((await parley(home, ['chat', '--guest', 'wisp/scheduler', '-s', 'other', '-m', 'hi'])).code).toBe(0);
    expect(await primary('other')).toBe(null);
  });

  test('a name that no agent has is said to be unknown, and the message goes to the agent of -a', async () => {
    const home = await prepare(makeHome());
    const { code, stdout, stderr } = await parley(home, ['chat', '-a', 'wisp/concierge', '-m', '@nobody hi']);
    expect(stderr).toBe('No agent is called nobody. The message goes to wisp/concierge.\n');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^wisp\/concierge: /)]);
  });

  test('a failed turn says why and what to do, and exits non-zero', async () => {
    const { home } = await makeScriptedHome();
    await prepare(home);
    const { code, stdout, stderr } = await parley(home, ['chat', '-a', 'scripted', '-m', '[[fail=401 message=nope]]']);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^Error: .+/);
    expect(code).toBe(1);
  });

  test('an unknown agent is refused and leaves nothing behind', async () => {
    const home = await prepare(makeHome());
    const { code, stderr } = await parley(home, ['chat', '-a', 'nobody', '-m', 'hi']);
    expect(stderr).toContain('nobody');
    expect(code).toBe(1);
    expect(JSON.parse((await parley(home, ['sessions', '--json'])).stdout)).toEqual([]);
  });
});

describe('chat', () => {
  test('sends the message and what is piped in below it, in a block that the text cannot close', async () => {
    const home = makeHome();
    const input = 'THE DIFF\n```js\nx\n```\n';
    const { code } = await parley(home, ['chat', '-a', 'wisp/concierge', '-m', 'review this'], { input });
    expect(code).toBe(0);
    const { stdout } = await parley(home, ['sessions', 'show', 'default', '--json']);
    const [sent, answer] = JSON.parse(stdout).messages;
    expect(sent.text).toBe(`review this\n\n\`\`\`\`\n${input}\`\`\`\``);
    expect(answer.agent).toBe('wisp/concierge');
  });

  test('sends the message alone when stdin stays open and silent, and waits for input that has begun', async () => {
    const home = makeHome();
    const asked = ['chat', '-a', 'wisp/concierge', '-m', 'review this'];
    const silent = await parley(home, asked, { input: 'open' });
    expect([silent.code, silent.stderr]).toEqual([0, expect.stringContaining('sending the message without it')]);
    const child = launch(home, asked, { input: 'open' });
    const stderr = collect(child.stderr);
    const done = ended(child);
    child.stdin.write('first, ');
    await until(() => stderr.text.includes('Reading the rest'), 'the note');
    child.stdin.end('then last');
    expect((await done).code).toBe(0);
    const { stdout } = await parley(home, ['sessions', 'show', 'default', '--json']);
    const sent = JSON.parse(stdout).messages.filter(({ role }: { role: string }) => role === 'user');
    expect(sent.map(({ text }: { text: string }) => text)).toEqual([
      'review this',
      'review this\n\n```\nfirst, then last\n```',
    ]);
  });

  test('leaves the input of a loop to the loop', async () => {
    const home = makeHome();
    const file = path.join(home, 'lines');
    writeFileSync(file, 'one\ntwo\n');
    const input = openSync(file, 'r');
    readSync(input, Buffer.alloc(4));
    const child = spawn(process.execPath, [PROGRAM, 'chat', '-a', 'wisp/concierge', '-m', 'one'], {
      env: environment(home),
      stdio: [input, 'ignore', 'ignore'],
    });
    await new Promise((resolve) => child.on('close', resolve));
    const { stdout } = await parley(home, ['sessions', 'show', 'default', '--json']);
    expect(JSON.parse(stdout).messages[0].text).toBe('one');
    expect(readSync(input, Buffer.alloc(8))).toBe(4);
    closeSync(input);
  });

  test.each([
    ['length', 'maximum reply length'],
    ['content_filter', 'content filter'],
  ])('an answer cut by %s is marked, also later, and has an exit code of its own', async (finish, words) => {
    const { home } = await makeScriptedHome();
    const asked = ['chat', '-a', 'scripted', '-m', `[[chunks=1 finish=${finish} text=half]]`];
    const { code, stdout, stderr } = await parley(home, asked);
    expect(stdout).toMatch(/^scripted: half.*\n\(cut off: .+\)\n$/);
    expect(stderr).toMatch(/^Error: The reply of scripted was cut off: .+\n$/);
    expect([stdout, stderr].join()).toContain(words);
    expect(code).toBe(4);
    expect((await parley(home, ['sessions', 'show', 'default'])).stdout).toMatch(/half.*\n\(cut off: .+\)/);
  });

  test('a tool call in an answer that was cut off is not carried out', async () => {
    const { home } = await makeScriptedHome();
    const words = '[[finish=length tool=todo_add args={"title":"x"}]]';
    const { code, stderr } = await parley(home, ['chat', '-a', 'scripted', '-m', words]);
    expect(stderr).toContain('cut off in the middle of a tool call');
    expect(code).toBe(1);
    expect((await parley(home, ['tool', 'todo', 'list'])).stdout).not.toContain('x');
  });

  test('what it has shown is read', async () => {
    const home = makeHome();
    await parley(home, ['chat', '-a', 'wisp/concierge', '-m', 'hello']);
    const { stdout } = await parley(home, ['sessions', '--json']);
    expect(JSON.parse(stdout)[0].unreadCount).toBe(0);
  });

  test.each([[['chat']], [['chat', '-m', 'hi']], [['chat', '-m', 'hi', '--new', '-s', 'x']]])(
    'without -a it says exactly how to name an agent, before anything else: %j',
    async (args) => {
      const { code, stdout, stderr } = await parley('/nonexistent/parley', args);
      expect(stderr).toBe('Error: Please specify an agent with -a (e.g., -a wisp/concierge)\n');
      expect(stdout).toBe('');
      expect(code).not.toBe(0);
    },
  );

  test('takes the message from a pipe', async () => {
    const { home } = await makeScriptedHome();
    const { stdout, code } = await parley(home, ['chat', '-a', 'scripted'], { input: 'from a pipe\n' });
    expect(stdout).toContain('You said: from a pipe');
    expect(code).toBe(0);
  });

  test('an empty pipe is no message', async () => {
    const { stderr, code } = await parley(makeHome(), ['chat', '-a', 'wisp/concierge'], { input: '' });
    expect(stderr).toBe('Error: No message. Use -m or pipe one in.\n');
    expect(code).toBe(2);
  });

  test('--json prints one event per line, from acceptance to the end', async () => {
    const { stdout } = await parley(makeHome(), ['chat', '-a', 'wisp/concierge', '-m', 'hi', '--json']);
    const frames = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const types = frames.map(({ type }) => type).filter((type) => type !== 'delta');
    expect(types).toEqual(['turn.queued', 'turn.started', 'message.created', 'turn.settled']);
    const said = frames.flatMap((frame) => (frame.type === 'delta' ? [frame.text] : [])).join('');
    expect(frames.find(({ type }) => type === 'message.created').message.text).toBe(said);
  });

  test('--new starts afresh under the same name', async () => {
    const home = makeHome();
    await serve(home);
    await parley(home, ['chat', '-a', 'wisp/concierge', '-m', 'one']);
    await parley(home, ['chat', '-a', 'wisp/concierge', '-m', 'two', '--new']);
    const { stdout } = await parley(home, ['sessions', '--json']);
    const sessions = JSON.parse(stdout);
    expect(sessions).toHaveLength(1);
    expect(sessions[0]).toMatchObject({ name: 'default', messageCount: 2 });
  });

  test('--new that fails leaves the old session as it was', async () => {
    const { home } = await makeScriptedHome();
    await serve(home);
    await parley(home, ['chat', '-a', 'scripted', '-m', 'one']);
    const failed = await parley(home, ['chat', '-a', 'scripted', '-m', '[[fail=401]]', '--new']);
    expect(failed.code).toBe(1);
    const { stdout } = await parley(home, ['sessions', 'show', 'default', '--json']);
    expect(JSON.parse(stdout).messages.map((message: { text: string }) => message.text)).toEqual([
      'one',
      'You said: one',
    ]);
  });

  test('Ctrl-C stops the turn on the server and exits 130', async () => {
    const { home, provider } = await makeScriptedHome();
    await serve(home);
    const child = launch(home, ['chat', '-a', 'scripted', '-m', '[[chunks=3 hold]]']);
    const done = ended(child);
    let seen = '';
    child.stdout.on('data', (chunk) => {
      seen += chunk;
    });
    await until(() => seen.includes('word word'), 'the first words');
    child.kill('SIGINT');
    expect((await done).code).toBe(130);
    await until(() => provider.requests[0]?.abortedAt !== undefined, 'the model call to end');
    const { stdout } = await parley(home, ['sessions', '--json']);
    expect(JSON.parse(stdout)[0].status).toBe('active');
  });

  test('a message to a busy session waits its turn, or is refused when asked to', async () => {
    const { home, provider } = await makeScriptedHome();
    await serve(home);
    const first = ended(launch(home, ['chat', '-a', 'scripted', '-m', '[[chunks=1 hold]]']));
    await until(() => provider.requests.length === 1, 'the first turn');
    const refused = await parley(home, ['chat', '-a', 'scripted', '-m', 'me too', '--busy', 'reject']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    const second = ended(launch(home, ['chat', '-a', 'scripted', '-m', 'me too']));
    await until(async () => (await parley(home, ['queue'])).stdout.includes('me too'), 'the queue');
    provider.release();
    expect((await first).code).toBe(0);
    expect(await second).toMatchObject({ code: 0, stdout: 'scripted: You said: me too\n' });
  });

  test('what a model says cannot drive the terminal', async () => {
    const { home, provider } = await makeScriptedHome();
    const text = 'a\u001b]0;owned\u0007b\u009b31mc\u202ed\re\nf';
    provider.script(() => ({ steps: [{ kind: 'text', text }] }));
    const { stdout } = await parley(home, ['chat', '-a', 'scripted', '-m', 'hi']);
    expect(stdout).toBe('scripted: a␛]0;owned␇b<U+009B>31mc<U+202E>d␍e\nf\n');
  });

  test('two commands on one folder without a server take turns', async () => {
    const home = makeHome();
    const both = ['one', 'two'].map((text) => parley(home, ['chat', '-a', 'wisp/concierge', '-s', text, '-m', text]));
    for (const { code, stderr } of await Promise.all(both)) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('a command without a server does not begin what waits for one', async () => {
    const { home, provider } = await makeScriptedHome();
    const { child } = await serve(home);
    void ended(launch(home, ['chat', '-a', 'scripted', '-m', '[[chunks=1 hold]]']));
    await until(() => provider.requests.length === 1, 'the first turn');
    void ended(launch(home, ['chat', '-a', 'scripted', '-m', 'I wait']));
    await until(async () => (await parley(home, ['queue'])).stdout.includes('I wait'), 'the queue');
    child.kill('SIGKILL');
    await until(() => child.signalCode !== null, 'its end');
    expect((await parley(home, ['sessions'])).code).toBe(0);
    expect((await parley(home, ['queue'])).stdout).toContain('I wait');
    expect(provider.requests).toHaveLength(1);
  });

  test('a server that died without a word does not confuse it, nor does it get the token', async () => {
    const home = makeHome();
    const { child, url } = await serve(home);
    child.kill('SIGKILL');
    await until(() => child.signalCode !== null, 'its end');
    const { createServer } = await import('node:http');
    const { instance } = JSON.parse(readFileSync(path.join(home, 'server.json'), 'utf8'));
    const headers: unknown[] = [];
    const stranger = createServer((request, response) => {
      headers.push(request.headers.authorization);
      response.end(JSON.stringify({ status: 'ok', name: 'parley', version: '1', instance, proof: 'guessed' }));
    });
    await new Promise<void>((resolve) => stranger.listen(Number(new URL(url).port), '127.0.0.1', resolve));
    const { code } = await parley(home, ['chat', '-a', 'wisp/concierge', '-m', 'hi']);
    stranger.close();
    expect(code).toBe(0);
    expect(headers).toEqual([undefined]);
  });
});
