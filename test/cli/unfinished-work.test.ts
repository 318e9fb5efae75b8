import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { ask, call, ScriptedAgents } from '../suites/scripted-agents.ts';
import { collect, ended, launch, makeHome, parley, until } from './parley.ts';

/** Two agents with lines of their own, in a folder on which no server runs. */
async function scriptAgents(config: object = {}, bash: 'allow' | 'ask' = 'allow') {
  const provider = await ScriptedProvider.start();
  onTestFinished(() => provider.close());
  const agent = (agentId: string) => ({
    approvals: { bash },
    chat: { provider: 'openai-compatible', model: `model-of-${agentId}`, baseUrl: `${provider.url}/v1` },
  });
  const home = makeHome({ boss: agent('boss'), kid: agent('kid') });
  writeFileSync(path.join(home, 'parley.json'), JSON.stringify(config));
  return { home, provider, scripted: new ScriptedAgents(provider) };
}

const statuses = async (home: string) => {
  const { stdout } = await parley(home, ['sessions', '--json']);
  return JSON.parse(stdout).map((session: { status: string; queuedCount: number }) => [
    session.status,
    session.queuedCount,
  ]);
};

test('without a server, the program waits for a delegate that answers later and shows what comes of it', async () => {
  const { home, scripted } = await scriptAgents();
  scripted.answers('boss', [ask('kid', 'dig', { mode: 'async' })], 'I have asked kid.', 'kid is done.');
  scripted.answers('kid', {
    steps: [
      { kind: 'wait', ms: 1500 },
      { kind: 'text', text: 'dug.' },
    ],
  });
  const { code, stdout, stderr } = await parley(home, ['chat', '-a', 'boss', '-m', 'go']);
  expect(stderr).toContain('Waiting for 1 task to finish: kid. Press Ctrl-C to cancel it.');
  expect(stderr).not.toContain('will be delivered');
  expect(stdout).toMatch(/boss: I have asked kid\.[\s\S]*boss: kid is done\.\n$/);
  expect(code).toBe(0);
  expect(await statuses(home)).toEqual([
    ['active', 0],
    ['active', 0],
  ]);
});

test('Ctrl-C cancels the work, says so, wakes no caller and leaves nothing working', async () => {
  const { home, scripted, provider } = await scriptAgents();
  scripted.answers('boss', [ask('kid', 'dig', { mode: 'async' })], 'I have asked kid.');
  scripted.answers('kid', { steps: [{ kind: 'wait', ms: 60_000 }] });
  const child = launch(home, ['chat', '-a', 'boss', '-m', 'go']);
  const stderr = collect(child.stderr);
  const result = ended(child);
  await until(() => stderr.text.includes('Waiting for '), 'the waiting');
  child.kill('SIGINT');
  expect((await result).code).toBe(130);
  expect(stderr.text).toContain('Stopped waiting. kid had not finished and was cancelled.');
  expect(provider.requests.map(({ body }) => body.model).sort()).toEqual([
    'model-of-boss',
    'model-of-boss',
    'model-of-kid',
  ]);
  for (const [status, queued] of await statuses(home)) expect([status, queued]).not.toEqual(['working', queued]);
});

test('a command in the background is called that, and is not killed by the end of the turn', async () => {
  const { home, scripted } = await scriptAgents({ tools: { bash: { agents: ['boss'] } } });
  const file = path.join(home, 'made-later');
  const command = `sleep 1; echo x > '${file}'`;
  scripted.answers('boss', [call('bash', { command, background: true })], 'It runs.', 'It is done.');
  const { code, stdout, stderr } = await parley(home, ['chat', '-a', 'boss', '-m', 'go']);
  expect(stdout).toContain('→ Running in the background');
  expect(stdout).not.toContain('Delegating to boss');
  expect(stderr).toContain('Waiting for 1 task to finish: a command of boss.');
  expect(stdout).toContain('boss: It is done.');
  expect(existsSync(file)).toBe(true);
  expect(code).toBe(0);
});

test('without a server, a new MCP server that hangs is named and holds up the turn for two seconds', async () => {
  const { home, scripted } = await scriptAgents({ mcpServers: { hanging: { command: '/bin/sleep', args: ['1000'] } } });
  scripted.answers('boss', 'Hello.');
  const started = performance.now();
  const child = launch(home, ['chat', '-a', 'boss', '-m', 'go']);
  const result = ended(child);
  const stdout = collect(child.stdout);
  await until(() => stdout.text.includes('boss: Hello.'), 'the reply', 15_000);
  expect(performance.now() - started).toBeLessThan(12_000);
  expect((await result).stderr).toContain('Waiting up to 2 seconds for the MCP server hanging to start…');
});

describe('without a server, what waits for the person', () => {
  const config = { tools: { bash: { agents: ['boss', 'kid'] } } };
  const shell = call('bash', { command: 'echo done by hand' });

  test('goes on in the command that answers it, up to the answer of the agent that asked for the work', async () => {
    const { home, scripted } = await scriptAgents(config, 'ask');
    scripted.answers('boss', [ask('kid', 'run it')], 'kid has run it.');
    scripted.answers('kid', [shell], 'I have run it.');
    const asked = await parley(home, ['chat', '-a', 'boss', '-m', 'go']);
    expect([asked.code, asked.stderr]).toEqual([3, expect.stringContaining('kid wants to use bash')]);
    const approved = await parley(home, ['approve']);
    expect([approved.code, approved.stderr]).toEqual([0, '']);
    expect(approved.stdout).toMatch(/^Allowed once: kid can use bash\.\n[\s\S]*boss: kid has run it\.\n$/);
    expect(await statuses(home)).toEqual([
      ['active', 0],
      ['active', 0],
    ]);
  });

  test('is asked about before the next message is sent, and no command waits without end', async () => {
    const { home, scripted } = await scriptAgents(config, 'ask');
    scripted.answers('boss', [shell], 'Run.', 'And on.');
    await parley(home, ['chat', '-a', 'boss', '-m', 'go']);
    const again = await parley(home, ['chat', '-a', 'boss', '-m', 'Well?']);
    expect(again.code).toBe(3);
    expect(again.stderr).toMatch(
      /^The session is waiting for you\. Your message has not been sent yet\.\nboss wants to use bash/,
    );
    expect(await statuses(home)).toEqual([['waiting', 0]]);
    expect((await parley(home, ['deny'])).stdout).toContain('boss: Run.');
    expect((await parley(home, ['chat', '-a', 'boss', '-m', 'Well?'])).stdout).toBe('boss: And on.\n');
  });
});
