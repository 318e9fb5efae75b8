import { describe, expect, test } from 'vitest';
import { makeHome, makeScriptedHome, parley, serve } from './parley.ts';
import { hasPython, Person } from './person.ts';

async function setUp() {
  const { home, provider } = await makeScriptedHome();
  await serve(home);
  const run = async (...args: string[]) => {
    const result = await parley(home, args);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    return result.stdout;
  };
  const said = async (id: string) => {
    const { messages } = JSON.parse(await run('sessions', 'show', id, '--json'));
    return messages.map((message: { text: string }) => message.text);
  };
  const newest = async () => JSON.parse(await run('sessions', 'list', '--json'))[0];
  return { home, provider, run, said, newest };
}

describe('templates', () => {
  test('are made, listed, shown, changed and deleted', async () => {
    const { home, run } = await setUp();
    expect(await run('templates')).toContain('No templates yet.');
    const made = await run('templates', 'create', 'My standup', '-a', 'scripted', '--opening', 'Today I ', '--send');
    expect(made).toBe(`Created "My standup". Use it with: parley chat --template 'My standup'\n`);
    expect(await run('templates')).toMatch(/^Template .*\nMy standup\s+scripted\s+-\s+→ Today I\s+just now\n$/);
    await run('templates', 'update', 'my standup', '--name', 'Daily', '--folder', 'Mornings', '--mode', 'read-only');
    await run('templates', 'update', 'Daily', '--title', 'What is up', '--no-send');
    expect(await run('templates', 'show', 'Daily')).toBe(
      'Daily\nscripted · title What is up · folder Mornings · read-only\n\nToday I \n',
    );
    await run('templates', 'update', 'Daily', '--agent', '', '--title', '', '--folder', '');
    expect(JSON.parse(await run('templates', 'show', 'Daily', '--json'))).toMatchObject({
      name: 'Daily',
      agentId: null,
      title: null,
      folder: null,
      mode: 'read-only',
      opening: 'Today I ',
      sendsOpening: false,
    });
    expect(await parley(home, ['templates', 'delete', 'Daily'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run('templates', 'delete', 'Daily', '--yes')).toBe('Deleted "Daily".\n');
    expect(await run('templates', 'list', '--json')).toBe('[]\n');
  });

  test('take an opening through a pipe, or everything from a session', async () => {
    const { home, run } = await setUp();
    await parley(home, ['templates', 'create', 'long', '--opening', '-'], { input: 'one\n\ntwo\n' });
    expect(JSON.parse(await run('templates', 'show', 'long', '--json')).opening).toBe('one\n\ntwo');
    expect(await run('templates')).toMatch(/long\s+-\s+-\s+one…/);
    await run('chat', '-a', 'scripted', '-s', 'trip', '-m', 'plan a trip');
    await run('chat', '-a', 'scripted', '-s', 'trip', '-m', 'a shorter one');
    await run('sessions', 'mode', 'trip', 'read-only');
    const made = JSON.parse(await run('templates', 'create', 'trips', '--from', 'trip', '--folder', 'Trips', '--json'));
    expect(made).toMatchObject({ agentId: 'scripted', folder: 'Trips', mode: 'read-only', opening: 'plan a trip' });
  });

  test.each([
    [['templates', 'show', 'nothing'], 1, 'No template has the name or ID "nothing"'],
    [['templates', 'create', 'x', '-a', 'nobody'], 1, 'Agent not found: nobody.'],
    [['templates', 'update', 'x'], 2, 'Nothing to change'],
    [['sessions', 'new', '--template', 'nothing'], 1, 'For a list: parley templates'],
    [['chat', '--template', 'nothing', '-m', 'x'], 1, 'No template has the name or ID "nothing"'],
    [['chat', '--template', 'x', '--new', '-m', 'x'], 2, 'cannot be used with option'],
  ])('say what is wrong: %j', async (args, code, words) => {
    const ended = await parley(makeHome(), args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(words);
  });

  test('are completed by the shell', async () => {
    const { run } = await setUp();
    await run('templates', 'create', 'standup');
    await run('templates', 'create', 'not; safe');
    expect(await run('completion', 'templates')).toBe('standup\n');
  });
});

describe('a session from a template', () => {
  test('is made without saying anything, with whatever is named besides', async () => {
    const { run } = await setUp();
    await run('templates', 'create', 'standup', '-a', 'scripted', '--title', 'Up', '--folder', 'Mornings', '--send');
    expect(await run('sessions', 'new', '--template', 'standup')).toMatch(/^Created "Up": [0-9a-f-]{36}\n$/);
    const given = ['-a', 'wisp/concierge', '-n', 'mine', '--folder', 'Else', '--mode', 'read-only'];
    const made = JSON.parse(await run('sessions', 'new', '-t', 'standup', ...given, '--json'));
    expect(made).toMatchObject({ agentId: 'wisp/concierge', name: 'mine', folder: 'Else', mode: 'read-only' });
    expect(made.messageCount).toBe(0);
  });

  test('is talked in at once: the opening comes first, then what was asked', async () => {
    const { home, run, said, newest } = await setUp();
    await run('templates', 'create', 'review', '-a', 'scripted', '--title', 'Review', '--opening', 'Look at this:\n');
    expect(await run('chat', '--template', 'review')).toBe('scripted: You said: Look at this:\n');
    expect((await newest()).title).toBe('Review');
    await run('chat', '-t', 'review', '-s', 'first', '-m', 'a plan');
    expect((await said('first'))[0]).toBe('Look at this:\n\na plan');
    await parley(home, ['chat', '-t', 'review', '-s', 'second', '-a', 'wisp/concierge'], { input: 'a diff\n' });
    expect((await said('second'))[0]).toBe('Look at this:\n\na diff\n');
    await run('templates', 'create', 'standup', '-a', 'scripted', '--opening', 'Yesterday I ');
    await run('chat', '-t', 'standup', '-s', 'third', '-m', 'slept.');
    expect((await said('third'))[0]).toBe('Yesterday I slept.');
    expect(JSON.parse(await run('sessions', 'show', 'second', '--json')).session.agentId).toBe('wisp/concierge');
    const again = await parley(home, ['chat', '-t', 'review', '-s', 'first', '-m', 'x']);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('A session named "first" already exists.');
  });

  test('needs an agent and a message, from whomever', async () => {
    const { home, run } = await setUp();
    await run('templates', 'create', 'bare');
    const nobody = await parley(home, ['chat', '-t', 'bare', '-m', 'x']);
    expect([nobody.code, nobody.stderr]).toEqual([2, 'Error: The template "bare" has no agent. Choose one with -a.\n']);
    const nothing = await parley(home, ['chat', '-t', 'bare', '-a', 'scripted']);
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      'Error: No message: the template has no opening message. Use -m.\n',
    ]);
    expect(await run('sessions', 'list', '--json')).toBe('[]\n');
  });

  test('goes on with another agent when its own is gone', async () => {
    const { home, run, newest } = await setUp();
    await run('agents', 'create', 'passing', '--provider', 'demo');
    await run('templates', 'create', 'kept', '-a', 'passing', '--folder', 'Kept');
    await run('agents', 'delete', 'passing', '--yes');
    const gone = await parley(home, ['chat', '-t', 'kept', '-m', 'x']);
    expect(gone).toMatchObject({ code: 1, stdout: '' });
    expect(gone.stderr).toContain('The template "kept" uses passing, which no longer exists.');
    await run('chat', '-t', 'kept', '-a', 'scripted', '-m', 'x');
    expect(await newest()).toMatchObject({ agentId: 'scripted', folder: 'Kept' });
  });

  describe.skipIf(!hasPython)('at the terminal (needs python3 for a pseudo-terminal)', () => {
    test('has the opening on the line, to be finished', async () => {
      const { home, run, said, newest } = await setUp();
      await run('templates', 'create', 'standup', '-a', 'scripted', '--opening', 'Yesterday I\nslept. Today I ');
      const person = new Person(home, ['chat', '--template', 'standup']);
      await person.sees('you → scripted › Yesterday I slept. Today I ');
      person.type('work\r');
      await person.sees('scripted: You said: Yesterday I slept. Today I work');
      await person.sees('› ');
      person.type('/quit\r');
      expect(await person.exitCode).toBe(0);
      expect((await said((await newest()).id))[0]).toBe('Yesterday I slept. Today I work');
    });

    test('has it sent already where the template says so', async () => {
      const { home, run } = await setUp();
      await run('templates', 'create', 'briefing', '-a', 'scripted', '--opening', 'What is on?', '--send');
      const person = new Person(home, ['chat', '--template', 'briefing']);
      await person.sees('User: What is on?');
      await person.sees('scripted: You said: What is on?');
      await person.sees('you → scripted › ');
      person.type('/quit\r');
      expect(await person.exitCode).toBe(0);
    });
  });
});
