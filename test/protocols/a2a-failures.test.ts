import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../harness/agents.ts';
import { Parley, until } from '../harness/parley.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { baseOf, connectTo, gather, message, WAYS } from './a2a-client.ts';

let provider: ScriptedProvider;
let parley: Parley;
/** Takes one message and no more, because its only turn never ends. */
let full: Parley;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
  const agents = [scriptedAgent(provider.url, 'ada', { apiExposed: true })];
  parley = await Parley.start({ config: { agents, limits: { messageBytes: 2000 } } });
  full = await Parley.start({ config: { agents, limits: { runningTurns: 1, waitingTurns: 1 } } });
  provider.script(() => ({ steps: [{ kind: 'stall', pingMs: 100 }] }));
  for (const words of ['runs', 'waits']) {
    const { id } = await full.createSession({ agentId: 'ada' });
    await full.send(id, { content: words });
  }
  await until(
    () => full.request<string>('GET', '/metrics'),
    ({ body }) => /^parley_turns_running 1$/m.test(body) && /^parley_turns_queued 1$/m.test(body),
  );
}, 30_000);

afterAll(async () => {
  await parley.close();
  await full.close();
  await provider.close();
});

const ROLES = { '1.0': 'ROLE_USER', '0.3': 'user' };

/** A message as each binding and version sends it, answered by HTTP. */
function send(server: Parley, way: string, streams: boolean, words = 'hello') {
  const [binding, version] = way.split(' ') as [string, '1.0' | '0.3'];
  const isRpc = binding === 'JSONRPC';
  const isNew = version === '1.0';
  const parts = [isNew ? { text: words } : { kind: 'text', text: words }];
  const sent =
    isNew || isRpc
      ? { messageId: `m ${way} ${streams}`, role: ROLES[version], parts, ...(!isNew && { kind: 'message' }) }
      : { messageId: `m ${way} ${streams}`, role: 'ROLE_USER', content: [{ text: words }] };
  const method = isNew ? (streams ? 'SendStreamingMessage' : 'SendMessage') : `message/${streams ? 'stream' : 'send'}`;
  const body = isRpc ? { jsonrpc: '2.0', id: 7, method, params: { message: sent } } : { message: sent };
  const operation = isRpc ? '' : `${isNew ? '' : 'v1/'}message:${streams ? 'stream' : 'send'}`;
  const route = new URL(baseOf(server, 'ada') + operation).pathname;
  return server.request<Record<string, unknown>>('POST', route, body, { 'A2A-Version': version });
}

describe.each(WAYS)('over %s', (way) => {
  it.each([false, true])(
    'too much work is no refusal: it is told with 503, when to try again, and why (streams: %s)',
    async (streams) => {
      const { status, headers, body } = await send(full, way, streams);
      expect([status, Number(headers.get('retry-after'))]).toEqual([503, 5]);
      expect(JSON.stringify(body)).toMatch(/too many/i);
      expect(headers.get('content-type')).toBe('application/json');
    },
  );

  it('the official client is told the reason', async () => {
    const client = await connectTo(full, way, 'ada');
    await expect(client.sendMessage(message('hello'))).rejects.toThrow(/too many/i);
    await expect(gather(client.sendMessageStream(message('hello')))).rejects.toThrow(/too many/i);
  });

  it('a message that is too long is at fault itself', async () => {
    const client = await connectTo(parley, way, 'ada');
    await expect(client.sendMessage(message('x'.repeat(3000)))).rejects.toThrow(/2000|too long|too large/i);
    const { status, body } = await send(parley, way, false, 'x'.repeat(3000));
    expect(status).toBe(way.startsWith('JSONRPC') ? 200 : 400);
    expect(JSON.stringify(body)).toMatch(/-32602|-32600|INVALID_ARGUMENT/);
  });

  it('the same id with other words is at fault itself', async () => {
    const client = await connectTo(parley, way, 'ada');
    provider.script(() => ({ steps: [{ kind: 'text', text: 'Well.' }] }));
    const first = message('one');
    await client.sendMessage(first);
    const other = { ...message('two').message, messageId: first.message.messageId };
    await expect(client.sendMessage({ ...first, message: other })).rejects.toThrow(/another|other|different/i);
  });
});

describe('what cannot be read is the mistake of the client, and no failure of the server', () => {
  const call = (version: string, method: string, params: unknown) =>
    parley.request<{ error?: { code: number } }>(
      'POST',
      '/a2a/ada/',
      { jsonrpc: '2.0', id: 7, method, params },
      { 'A2A-Version': version },
    );

  it.each([
    ['0.3', 'tasks/get', { id: ['x'] }, -32602],
    ['0.3', 'tasks/get', {}, -32001],
    ['0.3', 'tasks/cancel', { id: 5 }, -32602],
    ['0.3', 'tasks/pushNotificationConfig/set', { taskId: 'x' }, -32602],
    ['0.3', 'tasks/pushNotificationConfig/set', { taskId: 'x', pushNotificationConfig: { url: 5 } }, -32602],
    ['0.3', 'message/send', { message: { role: 'user', messageId: ['m'], parts: [] } }, -32602],
    ['0.3', 'message/send', { message: { role: 'user', parts: [{ kind: 'file', file: { bytes: 5 } }] } }, -32602],
    ['1.0', 'SendMessage', { message: { role: 'ROLE_USER', parts: [{ raw: 5 }] } }, -32602],
    ['1.0', 'SendStreamingMessage', { message: { role: 'ROLE_USER', parts: [null] } }, -32602],
    ['1.0', 'GetTask', { id: { x: 1 } }, -32602],
  ])('over JSON-RPC %s: %s %j', async (version, method, params, code) => {
    expect((await call(version, method, params)).body).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code } });
  });

  it.each([
    ['POST', 'message:send', { message: { role: 'ROLE_USER', parts: [null] } }, 400],
    ['POST', 'message:stream', { message: { role: 'ROLE_USER', parts: [{ raw: 5 }] } }, 400],
    ['POST', 'v1/message:send', { message: { role: 'ROLE_USER', content: [5] } }, 400],
    ['GET', 'tasks/%', undefined, 404],
  ])('over HTTP+JSON: %s %s', async (method, operation, body, status) => {
    expect((await parley.request(method, `/a2a/ada/${operation}`, body)).status).toBe(status);
  });

  it('nothing of it is logged as a defect', () => {
    expect(parley.stderr).not.toContain('request failed');
  });
});

describe('what the guard refuses', () => {
  const ask = (path: string, headers: Record<string, string>, body = '{}') =>
    fetch(baseOf(parley, 'ada') + path, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  const bearer = () => ({ Authorization: `Bearer ${parley.token}` });

  it('is told in the shape of the binding', async () => {
    const rpc = await ask('', {});
    expect([rpc.status, await rpc.json()]).toMatchObject([401, { jsonrpc: '2.0', id: null, error: { code: -32600 } }]);
    const rest = await ask('message:send', {});
    expect([rest.status, await rest.json()]).toMatchObject([401, { error: { code: 401, status: 'UNAUTHENTICATED' } }]);
    const legacy = await ask('v1/message:send', {});
    expect([legacy.status, await legacy.json()]).toMatchObject([401, { code: -32600, message: expect.any(String) }]);
  });

  it('and what is no JSON, too', async () => {
    const rpc = await ask('', bearer(), '{');
    expect([rpc.status, await rpc.json()]).toMatchObject([400, { error: { code: -32700 } }]);
    const rest = await ask('message:send', bearer(), '{');
    expect([rest.status, await rest.json()]).toMatchObject([400, { error: { status: 'INVALID_ARGUMENT' } }]);
  });
});
