import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { collect, ended, launch, makeHome, parley, serve, until } from './parley.ts';

const chat = { provider: 'demo', model: 'demo-fast' };

test('an agent is made by talking about it: described, changed, agreed to', async () => {
  const home = makeHome({ ada: { chat } });
  await serve(home);
  const begun = await parley(home, ['agents', 'build', 'an agent that plans trips']);
  expect(begun.code).toBe(0);
  expect(begun.stdout).toContain('⚙ builder_draft');
  expect(begun.stdout).toContain('Here is a draft of **Trips Planner** (`trips-planner`).');
  expect(begun.stderr).toContain('"displayName": "Trips Planner"');
  const [, session = ''] = /Change it or create it: parley agents build -s (\S+) /.exec(begun.stderr) ?? [];
  const changed = await parley(home, ['agents', 'build', '-s', session, 'call it Scout']);
  expect(changed.stderr).toContain('"agentId": "scout"');
  const making = launch(home, ['agents', 'build', '-s', session, 'create', 'it']);
  const stderr = collect(making.stderr);
  const done = ended(making);
  await until(() => stderr.text.includes('parley approve'), 'the question');
  expect((await parley(home, ['agents', 'show', 'scout'])).stderr).toContain('Agent not found: scout');
  expect((await parley(home, ['approve'])).code).toBe(0);
  expect(await done).toMatchObject({ code: 0, stdout: expect.stringContaining('Created Scout (scout).') });
  expect(stderr.text).not.toContain('Change it or make it');
  expect((await parley(home, ['agents', 'show', 'scout'])).stdout).toContain('"extends": "planner"');
});

test('what was said elsewhere is piped in, and the draft lands in a file from which it can be made', async () => {
  const home = makeHome({ ada: { chat } });
  await serve(home);
  const file = path.join(home, 'draft.json');
  const input = 'I need an assistant called Scribe that keeps my journal\n';
  const { code, stderr } = await parley(home, ['agents', 'build', '--out', file], { input });
  expect(code).toBe(0);
  expect(stderr).toContain(`Draft written to ${file}. Create it with: parley agents create -f ${file}`);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ agentId: 'scribe', toolAllowlist: ['journal_*'] });
  expect(await parley(home, ['agents', 'create', '-f', file])).toMatchObject({ code: 0 });
});

test('bad wishes are told apart: nothing said, nothing drafted, no such conversation', async () => {
  const home = makeHome({ ada: { chat } });
  await serve(home);
  const [nothing, greeted, lost] = await Promise.all([
    parley(home, ['agents', 'build']),
    parley(home, ['agents', 'build', 'hello', '-o', path.join(home, 'none.json')]),
    parley(home, ['agents', 'build', '-s', 'nowhere', 'call it Scout']),
  ]);
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('Describe what the agent should do') });
  expect(greeted).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no draft yet.') });
  expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('No session has the name or ID "nowhere"') });
});
