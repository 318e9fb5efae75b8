import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { collect, ended, launch, makeHome, parley, serve, until } from './parley.ts';

const chat = { provider: 'demo', model: 'demo-fast' };

function setUp() {
  const home = makeHome({ ada: { chat }, bob: { chat }, eve: { chat, uiVisible: false } });
  const run = async (...args: string[]) => {
    const result = await parley(home, args);
    expect(result).toMatchObject({ code: 0 });
    return result.stdout;
  };
  return { home, run };
}

test('a team of three is made from one sentence, once the person agrees, and answers', {
  timeout: 60_000,
}, async () => {
  const { home, run } = setUp();
  await serve(home);
  const words = 'a team of three that writes and reviews release notes';
  const begun = await parley(home, ['agents', 'build', words]);
  expect(begun.stdout).toContain('Here is a draft of the team **Release Notes Team**: 3 agents.');
  expect(begun.stderr).toContain('"format": "parley.team"');
  const [, session = ''] = /parley agents build -s (\S+) /.exec(begun.stderr) ?? [];
  expect(await run('teams')).toContain('No teams yet.');
  const making = launch(home, ['agents', 'build', '-s', session, 'create it']);
  const stderr = collect(making.stderr);
  const done = ended(making);
  await until(() => stderr.text.includes('parley approve'), 'the question');
  expect(await run('teams')).toContain('No teams yet.');
  expect((await parley(home, ['approve'])).code).toBe(0);
  expect((await done).stdout).toContain('Created the team Release Notes Team');
  expect(await run('teams', 'show', 'release notes team')).toContain(
    'release-notes/lead  Release Notes Lead\n  release-notes/writer  Release Notes Writer\n  release-notes/reviewer',
  );
  const said = await run('chat', '--team', 'Release Notes Team', '-m', 'delegate to reviewer: look at the notes');
  expect(said).toContain('Release Notes Reviewer');
  expect(await run('teams', 'delete', 'Release Notes Team', '--agents', '--yes')).toBe(
    'Deleted "Release Notes Team".\n',
  );
  expect(await run('agents')).not.toContain('release-notes');
});

test('the agents of a session are kept as a team; it is renamed, exported and imported', {
  timeout: 60_000,
}, async () => {
  const { home, run } = setUp();
  await serve(home);
  await run('chat', '-a', 'ada', '-s', 'trip', '-m', 'echo one');
  await run('chat', '--guest', 'bob', '-s', 'trip', '-m', 'echo two');
  await run('chat', '--guest', 'eve', '-s', 'trip', '-m', 'echo three');
  const saved = await parley(home, ['teams', 'save', 'travel', '--from', 'trip']);
  expect(saved.stdout).toBe('Saved "travel": ada, bob, eve. Use it with: parley chat --team travel\n');
  expect(saved.stderr).toContain('With --allow, ada is changed so that it can delegate to the others.');
  expect(await run('agents', 'show', 'ada')).not.toContain('agentAllowlist');
  const lacking = await parley(home, ['teams', 'show', 'travel']);
  expect(lacking.stderr).toContain('With parley teams update travel --allow, ada is changed');
  expect(await run('teams', 'update', 'travel', '--allow')).toBe('Updated "travel".\n');
  expect((await parley(home, ['teams', 'show', 'travel'])).stderr).toBe('');
  expect(await run('agents', 'show', 'ada')).toContain('"agentAllowlist"');
  await run('chat', '--team', 'travel', '-s', 'again', '-m', 'echo four');
  const session = path.join(home, 'session.json');
  await run('export', 'again', '-o', session);
  expect(await parley(home, ['import', session])).toMatchObject({ code: 0, stderr: '' });
  await run('teams', 'save', 'able', '--from', 'trip', '--agents', 'eve', '--allow');
  await run('teams', 'update', 'travel', '--name', 'journey', '--description', 'For trips.');
  expect(await run('teams')).toMatch(/journey\s+ada, bob, eve\s+For trips\./);
  expect((await parley(home, ['import', session])).stderr).toContain(
    'It began with the team "travel" (ada, bob, eve). You have no such team with this orchestrator',
  );
  const file = path.join(home, 'team.json');
  await run('teams', 'export', 'journey', '-o', file);
  const exported = JSON.parse(readFileSync(file, 'utf8'));
  expect(exported.team.agents[1]).toMatchObject({ agentId: 'bob', parentAgentId: 'ada' });
  const taken = await parley(home, ['teams', 'import', file, '--yes']);
  expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('An agent with the ID ada already exists.') });
  const moved = JSON.stringify(exported).replaceAll('"ada"', '"new/ada"').replaceAll('"bob"', '"new/bob"');
  writeFileSync(file, moved.replaceAll('"eve"', '"new/eve"'));
  const asked = await parley(home, ['teams', 'import', file, '--name', 'Second']);
  expect(asked.code).toBe(2);
  expect(asked.stderr).toContain('new/bob');
  expect(await run('teams', 'import', file, '--name', 'Second', '--yes')).toContain('Created "Second".');
  expect(await run('teams', 'show', 'second', '--json')).toContain('"new/bob"');
  expect(await parley(home, ['teams', 'delete', 'journey'])).toMatchObject({ code: 2 });
  await run('teams', 'delete', 'journey', '--yes');
  expect(await run('agents')).toContain('bob');
});

test('bad wishes are refused in words', async () => {
  const { home } = setUp();
  await serve(home);
  const file = path.join(home, 'broken.json');
  writeFileSync(file, '{');
  const [lost, nothing, broken] = await Promise.all([
    parley(home, ['chat', '--team', 'nowhere', '-m', 'hello']),
    parley(home, ['teams', 'update', 'nowhere']),
    parley(home, ['teams', 'import', file]),
  ]);
  expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('No team has the name or ID "nowhere"') });
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('Nothing to change') });
  expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('is not valid JSON') });
});
