import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunTool } from '../../contract/tools.ts';
import { until } from '../harness/parley.ts';
import { answer, waitingIn } from './answering.ts';
import { callAsTold, callsIn, resultsIn, wireMessages } from './calling.ts';
import { ShopPlugin } from './shop-plugin.ts';
import { TestServer } from './test-server.ts';

let shop: ShopPlugin;
let server: TestServer;
const folder = mkdtempSync(path.join(tmpdir(), 'parley-workspace-'));

beforeAll(async () => {
  shop = await ShopPlugin.open();
  const workspaces = { ada: folder, eve: folder };
  server = await TestServer.start({
    home: shop.home,
    agents: [
      { agentId: 'ada', toolExposure: 'mixed' },
      { agentId: 'eve', toolExposure: 'skills' },
    ],
    agent: { toolAllowlist: ['bash', 'todo_*', 'shop_*'], toolDenylist: ['todo_delete'], approvals: { bash: 'allow' } },
    config: { plugins: ['shop'], tools: { bash: { agents: ['ada', 'eve'] }, files: { workspaces } } },
  });
  server.provider.script(callAsTold);
});
afterAll(async () => {
  await server.close();
  shop.close();
  rmSync(folder, { recursive: true, force: true });
});

const bash = (command: string) => `bash ${JSON.stringify({ command })}`;
const file = (name: string) => path.join(folder, name);

/** A turn whose script shows its token and lasts until it is told to end. */
async function inScript(name: string) {
  const sessionId = await server.open();
  const script = `echo $PARLEY_TURN_TOKEN > ${name}.tmp && mv ${name}.tmp ${name}\nuntil [ -e ${name}.end ]\ndo sleep 0.05\ndone`;
  const { turn } = await server.send(sessionId, `call ${bash(script)}`);
  await until(
    async () => existsSync(file(name)),
    (isThere) => isThere,
  );
  const headers = { Authorization: `Bearer ${readFileSync(file(name), 'utf8').trim()}` };
  const use = (body: RunTool) => server.ask('runTool', { body, headers });
  const end = async () => {
    writeFileSync(file(`${name}.end`), '');
    return (await server.settled(turn.id)).state;
  };
  const said = async () => (await server.call('getTurn', { params: { turnId: turn.id } })).answer!;
  return { sessionId, turnId: turn.id, headers, use, end, said };
}

describe('a script of an agent', () => {
  it('uses tools on the command line as that agent; the message shows it, the model is not told twice', async () => {
    const sessionId = await server.open();
    const { turn, answer: said } = await server.say(
      sessionId,
      `call ${bash('parley tool todo add --title "from a script"')}`,
    );
    expect(turn.state).toBe('complete');
    expect(said!.parts.map((part) => [part.type, 'via' in part ? part.via : undefined])).toEqual([
      ['text', undefined],
      ['tool_call', undefined],
      ['tool_result', undefined],
      ['tool_call', 'skill'],
      ['tool_result', 'skill'],
      ['text', undefined],
    ]);
    expect(callsIn(said!)[1]).toMatchObject({
      name: 'todo_add',
      input: '{"title":"from a script"}',
      state: 'complete',
    });
    expect(resultsIn(said!)[0]!.output).toContain('from a script');
    await server.say(sessionId, 'And?');
    const told = wireMessages(server.provider.requests.at(-1)!);
    expect(told.flatMap(({ tool_calls }) => tool_calls ?? []).map((call) => call.function.name)).toEqual(['bash']);
    expect(told.filter(({ role }) => role === 'tool')).toHaveLength(1);
  });

  it('is held to the same scope and approvals, and every call has its own place', async () => {
    const script = await inScript('scope');
    const denied = await script.use({ plugin: 'todo', operation: 'delete', input: { id: 'x' } });
    expect(denied).toMatchObject({ status: 403, body: { code: 'tool_not_allowed' } });
    expect(denied.body).toMatchObject({ detail: expect.stringContaining('toolDenylist') });
    expect(await script.use({ tool: 'nothing' })).toMatchObject({ status: 403 });
    const many = Array.from({ length: 6 }, (_, index) =>
      script.use({ tool: 'shop_count', input: { key: `m${index}` } }),
    );
    const risky = script.use({ plugin: 'shop', operation: 'risky', input: { key: 'asked' } });
    for (const { status } of await Promise.all(many)) expect(status).toBe(200);
    const [action] = await waitingIn(server, script.sessionId);
    expect(action).toMatchObject({ kind: 'approval', agentId: 'ada', approval: { tool: 'shop_risky' } });
    expect((await server.session(script.sessionId)).status).toBe('waiting');
    await answer(server, action!, { decision: 'once', input: { key: 'edited' } });
    expect(await risky).toMatchObject({ status: 200, body: { output: 'edited counted', isError: false } });
    const failed = await script.use({ tool: 'shop_fail', input: { why: 'No.' } });
    expect(failed).toMatchObject({ status: 200, body: { output: 'No.', isError: true } });
    expect(await script.end()).toBe('complete');
    const { calls } = await server.call('listToolCalls', { params: { turnId: script.turnId } });
    expect(calls.every(({ via, name }) => via === (name === 'bash' ? 'model' : 'skill'))).toBe(true);
    expect(new Set(calls.map(({ part }) => part)).size).toBe(calls.length);
    const said = await script.said();
    expect(callsIn(said).map(({ callId }) => callId)).toEqual(calls.map(({ id }) => id));
    for (const { id, part } of calls) expect(said.parts[part]).toMatchObject({ type: 'tool_call', callId: id });
  });

  it('may do what its agent may with its token, nothing else, and nothing once the turn is over', async () => {
    const script = await inScript('token');
    const { headers } = script;
    const { tools } = await server.call('listTools', { headers });
    expect(tools.map(({ name }) => name)).toContain('todo_add');
    expect(tools.map(({ name }) => name)).not.toContain('todo_delete');
    for (const route of ['listSessions', 'listActions', 'listGrants', 'listAgents'] as const)
      expect((await server.ask(route, { headers })).status).toBe(401);
    const params = { sessionId: script.sessionId };
    expect((await server.ask('sendMessage', { params, body: { content: 'x' }, headers })).status).toBe(401);
    await script.end();
    expect(await script.use({ tool: 'shop_count', input: { key: 'late' } })).toMatchObject({
      status: 401,
      body: { code: 'turn_token_invalid' },
    });
    expect(shop.count('late')).toBe(0);
  });

  it('makes a thousand calls in a turn, and no more; the next turn makes its own', async () => {
    const script = await inScript('many');
    const call = (key: string) => script.use({ tool: 'shop_count', input: { key } });
    for (let begun = 0; begun < 1000; begun += 50) {
      const some = await Promise.all(Array.from({ length: 50 }, () => call('many')));
      expect(some.map(({ status }) => status)).toEqual(Array(50).fill(200));
    }
    for (let time = 0; time < 2; time++)
      expect(await call('late')).toMatchObject({ status: 429, body: { code: 'too_many_tool_calls' } });
    expect([shop.count('many'), shop.count('late')]).toEqual([1000, 0]);
    expect(await script.end()).toBe('complete');
    const { calls } = await server.call('listToolCalls', { params: { turnId: script.turnId } });
    expect(calls.filter(({ via }) => via === 'skill')).toHaveLength(1000);
    const next = await inScript('next');
    expect((await next.use({ tool: 'shop_count', input: { key: 'next' } })).status).toBe(200);
    expect(await next.end()).toBe('complete');
  }, 60_000);

  it('that goes away while it waits takes its question along', async () => {
    const script = await inScript('gone');
    const leave = new AbortController();
    const body = { tool: 'shop_risky', input: { key: 'gone' } };
    const asked = server.parley.fetch('POST', '/api/tool-runs', body, script.headers, leave.signal);
    const [action] = await waitingIn(server, script.sessionId);
    leave.abort();
    await expect(asked).rejects.toThrow();
    expect(await waitingIn(server, script.sessionId, 0)).toEqual([]);
    expect((await server.call('getAction', { params: { actionId: action!.id } })).state).toBe('withdrawn');
    expect((await server.turn(script.turnId)).state).toBe('running');
    expect(await script.end()).toBe('complete');
    expect(callsIn(await script.said())[1]).toMatchObject({
      state: 'cancelled',
      reason: expect.stringContaining('exited'),
    });
    expect(shop.count('gone')).toBe(0);
  });

  it('that goes away while its tool works stops the tool', async () => {
    const script = await inScript('left');
    const leave = new AbortController();
    const body = { tool: 'shop_wait', input: { key: 'left' } };
    const asked = server.parley.fetch('POST', '/api/tool-runs', body, script.headers, leave.signal);
    await shop.arrived('left');
    leave.abort();
    await expect(asked).rejects.toThrow();
    await shop.gaveUp('left');
    expect(await script.end()).toBe('complete');
    expect(callsIn(await script.said())[1]).toMatchObject({ state: 'interrupted' });
  });

  it('is told when its turn is stopped', async () => {
    const script = await inScript('stopped');
    const asked = script.use({ tool: 'shop_risky', input: { key: 'stopped' } });
    await waitingIn(server, script.sessionId);
    await server.cancelTurn(script.turnId);
    expect(await asked).toMatchObject({ status: 401, body: { code: 'turn_token_invalid' } });
    const states = callsIn(await script.said()).map(({ state }) => state);
    expect(states).toEqual(['cancelled', 'cancelled']);
  });
});

describe('an agent whose tools are skills', () => {
  it('is offered the command line instead, and told so when it calls the tool itself', async () => {
    const sessionId = await server.open('eve');
    const { answer: said } = await server.say(
      sessionId,
      `call shop_count {"key":"direct"} then ${bash('parley tool shop count --key script')}`,
    );
    const { body } = server.provider.requests.at(-1)!;
    const offered = (body.tools as { function: { name: string } }[]).map((tool) => tool.function.name);
    expect(offered).toContain('bash');
    expect(offered).not.toContain('shop_count');
    const [direct, script, skill] = callsIn(said!);
    expect(direct).toMatchObject({ state: 'rejected', reason: expect.stringContaining('parley tool shop count') });
    expect([script!.state, skill]).toMatchObject(['complete', { name: 'shop_count', via: 'skill', state: 'complete' }]);
    expect([shop.count('direct'), shop.count('script')]).toEqual([0, 1]);
  });
});

describe('a person', () => {
  it('uses tools without asking anybody, and without a turn', async () => {
    const body = { plugin: 'shop', operation: 'risky', input: { key: 'person' } };
    expect(await server.call('runTool', { body })).toEqual({
      tool: 'shop_risky',
      output: 'person counted',
      isError: false,
      callId: null,
    });
    await server.refused('tool_input_invalid', 'runTool', { body: { ...body, input: {} } });
    await server.refused('tool_not_found', 'runTool', { body: { tool: 'nothing' } });
    await server.refused('tool_not_found', 'runTool', { body: { plugin: 'shop', operation: 'nothing' } });
    const asks = await server.call('runTool', { body: { tool: 'shop_ask', input: { question: '?' } } });
    expect(asks).toMatchObject({ isError: true, output: 'Only an agent that is running a turn can do that.' });
    const broken = await server.ask('runTool', { body: { tool: 'shop_break' } });
    expect(broken.status).toBe(500);
    expect(JSON.stringify(broken.body)).not.toContain('swordfish');
  });
});
