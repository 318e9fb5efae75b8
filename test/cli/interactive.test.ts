import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHome, makeScriptedHome, parley, serve } from './parley.ts';
import { hasPython, Person } from './person.ts';

describe.skipIf(!hasPython)('a conversation at the terminal (needs python3 for a pseudo-terminal)', () => {
  test('asks and answers, invites a guest, switches and leaves', async () => {
    const home = makeHome();
    await serve(home);
    const person = new Person(home, ['chat', '-a', 'wisp/concierge']);
    await person.sees('you → wisp/concierge › ');
    person.type('hello there\r');
    await person.sees('\nwisp/concierge: ');
    await person.sees('you → wisp/concierge › ');
    person.type('@wisp/scheduler and you?\r');
    await person.sees('\nwisp/scheduler (guest): ');
    await person.sees('you → wisp/concierge › ');
    person.type('/switch wisp/scheduler\r');
    await person.sees('Switched to wisp/scheduler.');
    await person.sees('you → wisp/scheduler › ');
    person.type('@nobody hm?\r');
    await person.sees('nobody');
    person.type('/nonsense\r');
    await person.sees('Unknown command /nonsense');
    for (const [command, words] of [
      ['/help', '/compact'],
      ['/agents', 'wisp/concierge'],
      ['/sessions', '* default'],
      ['/queue', 'The queue is empty.'],
      ['/stop', 'Nothing is running.'],
    ] as const) {
      person.type(`${command}\r`);
      await person.sees(words);
    }
    await person.sees('› ');
    person.type('/quit\r');
    expect(await person.exitCode).toBe(0);
    const history = path.join(home, 'history');
    expect(statSync(history).mode & 0o777).toBe(0o600);
    expect(readFileSync(history, 'utf8')).toContain('hello there\n@wisp/scheduler and you?\n');
    const { messages } = JSON.parse((await parley(home, ['sessions', 'show', 'default', '--json'])).stdout);
    expect(messages.map((message: { agent: string | null }) => message.agent)).toEqual([
      null,
      'wisp/concierge',
      null,
      'wisp/scheduler',
    ]);
  });

  test('works without a server', async () => {
    const person = new Person(makeHome(), ['chat', '-a', 'wisp/concierge']);
    await person.sees('› ');
    person.type('hello\r');
    await person.sees('\nwisp/concierge: ');
    await person.sees('› ');
    person.type('\u0004');
    expect(await person.exitCode).toBe(0);
  });

  test('what is typed while an answer streams waits, and says so; Ctrl-C stops the turn; twice leaves', async () => {
    const { home, provider } = await makeScriptedHome();
    await serve(home);
    const person = new Person(home, ['chat', '-a', 'scripted']);
    await person.sees('› ');
    person.type('[[chunks=2 text=lala hold]]\r');
    await person.sees('scripted: lala lala');
    person.type('me next\r');
    await person.sees('(queued: me next)');
    person.type('\u0003');
    await person.sees('(stopping; press Ctrl-C again to leave)');
    await person.sees('The turn was cancelled.');
    await person.sees('User: me next');
    await person.sees('scripted: You said: me next');
    await person.sees('› ');
    person.type('/retry\r');
    await person.sees('scripted: You said: me next');
    await person.sees('› ');
    await new Promise((resolve) => setTimeout(resolve, 2100));
    person.type('\u0003');
    await person.sees('(press Ctrl-C again to leave)');
    person.type('\u0003');
    expect(await person.exitCode).toBe(0);
    expect(provider.requests[0]?.abortedAt).toBeDefined();
  });

  test('what somebody else says in the session is shown, too', async () => {
    const { home } = await makeScriptedHome();
    await serve(home);
    const person = new Person(home, ['chat', '-a', 'scripted']);
    await person.sees('› ');
    await parley(home, ['chat', '-a', 'scripted', '-m', 'from elsewhere']);
    await person.sees('User: from elsewhere\nscripted: You said: from elsewhere');
    await person.sees('› ');
  });

  test('serve tells a newcomer what to do next', async () => {
    const person = new Person(makeHome(), ['serve', '--port', '0']);
    await person.sees('Parley is listening on http://127.0.0.1:');
    await person.sees('#code=');
    await person.sees('parley chat -a wisp/concierge -m');
    person.type('\u0003');
    expect(await person.exitCode).toBe(0);
  });

  test('colours are for eyes', async () => {
    const home = makeHome({ red: { color: '#ff0000', chat: { provider: 'demo', model: 'demo-fast' } } });
    const ask = ['chat', '-a', 'red', '-m', 'hi'];
    expect((await parley(home, ask)).stdout).not.toContain('\u001b');
    const forced = await parley(home, ask, { env: { FORCE_COLOR: '3' } });
    expect(forced.stdout).toMatch(/^.\[1;38;2;255;0;0mred.\[0m: /);
    expect((await parley(home, ask, { env: { FORCE_COLOR: '3', NO_COLOR: '1' } })).stdout).not.toContain('\u001b');
  });
});
