import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { callAsTold, wireMessages } from '../suites/calling.ts';
import { TestServer } from '../suites/test-server.ts';
import { scripted } from './mcp-fixture.ts';

const startsWith = path.join(mkdtempSync(path.join(tmpdir(), 'parley-starting-')), 'go');

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({
    agents: ['ada', { agentId: 'bob', toolAllowlist: ['todo_*'] }, 'eve'],
    agent: { toolAllowlist: ['*'] },
    config: {
      mcpServers: {
        hanging: { command: '/bin/sleep', args: ['1000'], agents: ['ada', 'bob'] },
        slow: scripted({ startsWith }, { agents: ['ada', 'bob'], approval: 'allow' }),
      },
    },
  });
  server.provider.script(callAsTold);
});
afterAll(() => server.close());

describe('an MCP server that has not answered yet', () => {
  it('is started with the server, not by a reader', async () => {
    const { servers } = await server.call('listMcpServers', {});
    expect(servers.map(({ name, state }) => `${name} ${state}`)).toEqual(['hanging starting', 'slow starting']);
  });

  it('holds up no agent that may not use it', async () => {
    const [ada, ...others] = await Promise.all([
      took(() => answer('ada')),
      took(() => answer('bob')),
      took(() => answer('eve')),
    ]);
    for (const ms of others) expect(ms).toBeLessThan(ada / 2);
  });

  it('holds up an agent that may use it once, for a short time', async () => {
    expect(await took(() => answer('ada'))).toBeLessThan(1000);
    const { servers } = await server.call('listMcpServers', {});
    expect(servers.map(({ state }) => state)).toEqual(['starting', 'starting']);
  });

  it('is named to the agents that may use it, and to no other', async () => {
    for (const agent of ['ada', 'bob', 'eve']) await answer(agent);
    const says = (agent: string) => server.prompt(agent)[0]!.content;
    expect(says('ada')).toContain('still starting, so their tools are not available yet: hanging, slow.');
    expect(says('bob')).not.toContain('still starting');
    expect(says('eve')).not.toContain('still starting');
  });

  it('is offered in the next step once it is there', async () => {
    const requests: RecordedRequest[] = [];
    server.provider.script((request) => {
      requests.push(request);
      const script = callAsTold(request);
      if (requests.length > 1) return script;
      return { steps: [{ kind: 'gate', until: startSlowServer() }, ...(script.steps ?? [])] };
    });
    const call = 'call system_time {} then slow__hello {"name":"Ada"}';
    const { answer: said } = await server.say(await server.open('ada'), call);
    expect(said!.text).toContain('Tools said: Hello Ada.');
    expect(requests.map((request) => offers(request, 'slow__hello'))).toEqual([false, true, true]);
    expect(wireMessages(requests[1]!)[0]!.content).toContain('not available yet: hanging.');
  });
});

async function startSlowServer(): Promise<void> {
  writeFileSync(startsWith, '');
  await until(
    () => server.call('listMcpServers', {}),
    ({ servers }) => servers[1]!.state === 'ready',
  );
}

function offers({ body }: RecordedRequest, name: string): boolean {
  return (body.tools as { function: { name: string } }[]).some((tool) => tool.function.name === name);
}

async function answer(agent: string): Promise<void> {
  const { turn } = await server.say(await server.open(agent), 'Hello');
  expect(turn.state).toBe('complete');
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
