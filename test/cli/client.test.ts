import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConnectionError } from '../../client/connection-error.ts';
import { ENDPOINTS } from '../../client/endpoints.ts';
import { ParleyClient } from '../../client/parley-client.ts';
import { AppError } from '../../contract/errors.ts';
import type { StreamFrame } from '../../contract/events.ts';
import { ROUTES, type Route, type RouteName } from '../../contract/routes.ts';
import { FakeServer } from './fake-server.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A server that answers each request with the next of these, the last one again and again. */
async function serverThat(
  ...answers: Answer[]
): Promise<{ client: ParleyClient; requests: { url: string; body: string }[] }> {
  const requests: { url: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const answer = answers[Math.min(requests.length, answers.length - 1)]!;
    requests.push({ url: `${request.method} ${request.url}`, body });
    answer(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  const client = new ParleyClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return { client, requests };
}

const broken: Answer = (request) => void request.socket.destroy();

const json =
  (status: number, value: unknown): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

const events =
  (frames: { id?: number; data: object }[], then: 'end' | 'break' | 'stay'): Answer =>
  (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const { id, data } of frames)
      response.write(`${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`);
    if (then === 'end') response.end();
    if (then === 'break') setTimeout(() => request.socket.destroy(), 50);
  };

async function take(frames: AsyncGenerator<StreamFrame>, count: number): Promise<StreamFrame[]> {
  const taken: StreamFrame[] = [];
  for await (const frame of frames) if (taken.push(frame) === count) break;
  return taken;
}

describe('the client', () => {
  test('knows every route but those of the web app and of other protocols, where the contract has it', () => {
    const routes = Object.entries<Route>(ROUTES).filter(([, { web, protocol }]) => !web && !protocol);
    expect(ENDPOINTS).toEqual(
      Object.fromEntries(routes.map(([name, { method, path }]) => [name, `${method} ${path}`])),
    );
  });

  test('asks exactly that of the server', async () => {
    const server = await FakeServer.start();
    const client = new ParleyClient({ baseUrl: server.url });
    const calls: Partial<Record<RouteName, () => Promise<unknown>>> = {
      turnTree: () => client.call('turnTree', { turnId: 't/1' }),
      getAgent: () => client.call('getAgent', { agentId: 'wisp/a b' }),
      toolCallOutput: () => client.callForText('toolCallOutput', { callId: 'c1' }),
      listTools: () => client.call('listTools', { query: { agent: 'wisp/a' } }),
      runTool: () => client.call('runTool', { body: { plugin: 'todo', operation: 'add', input: { title: 'x' } } }),
      listSkills: () => client.call('listSkills'),
      listActions: () => client.call('listActions', { query: { session: 's', limit: 5, state: 'expired' } }),
      answerAction: () => client.call('answerAction', { actionId: 'x1', body: { decision: 'once' } }),
      listSessions: () => client.call('listSessions', { query: { pinned: true, limit: 3 } }),
      pinSession: () => client.call('pinSession', { sessionId: 's' }),
      forkSession: () => client.call('forkSession', { sessionId: 's' }),
      acceptMcpDefinitions: () => client.call('acceptMcpDefinitions', { name: 'files', body: { hash: 'hash' } }),
      usage: () => client.call('usage', { query: { by: 'day', from: '2026-11-01T00:00:00Z' } }),
    };
    for (const call of Object.values(calls)) {
      // What it answers does not matter here; what it was asked has been held against the contract.
      await call().catch(() => undefined);
    }
    expect(server.requests.map(({ route }) => route)).toEqual(Object.keys(calls));
    const asked = (name: RouteName) => server.requests.find(({ route }) => route === name)!;
    expect(asked('turnTree').params).toEqual({ turnId: 't/1' });
    expect(asked('getAgent').params).toEqual({ agentId: 'wisp/a b' });
    expect(asked('listSessions').query).toEqual({ pinned: 'true', limit: '3' });
  });

  test('sends the version that a change is based on, and contents with their own type', async () => {
    const sent: IncomingMessage['headers'][] = [];
    const { client } = await serverThat(({ headers }, response) => {
      sent.push(headers);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    await client.call('updateAgent', { agentId: 'wisp/a', body: { description: 'x' }, version: 'v1' });
    await client.call('uploadFile', { query: { name: 'a' }, contents: new Blob(['x'], { type: 'image/png' }) });
    await client.call('transcribe', { contents: new Uint8Array([1]) });
    expect(sent.map((headers) => headers['if-match'])).toEqual(['v1', undefined, undefined]);
    const types = ['application/json', 'image/png', 'application/octet-stream'];
    expect(sent.map((headers) => headers['content-type'])).toEqual(types);
  });

  test('gives a refusal as the error it is, with its code, words and issues', async () => {
    const problem = {
      code: 'invalid_request',
      detail: 'content must not be empty',
      issues: ['content must not be empty'],
    };
    const { client } = await serverThat(json(400, problem));
    const error = await client.call('listSessions').catch((caught) => caught);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'invalid_request', message: problem.detail, issues: problem.issues });
  });

  test('says that something else than Parley answered', async () => {
    const { client } = await serverThat((_, response) => void response.writeHead(502).end('<html>Bad gateway</html>'));
    await expect(client.call('listSessions')).rejects.toThrow('Unexpected response from the server (status 502).');
  });

  test('says where it could not get through, and why', async () => {
    const client = new ParleyClient({ baseUrl: 'http://127.0.0.1:9' });
    const error = await client.call('listSessions').catch((caught) => caught);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(/^Can't reach Parley at http:\/\/127\.0\.0\.1:9 \(.+\)\.$/);
  });

  test('sends a message again with the same id when the connection breaks', async () => {
    const { client, requests } = await serverThat(broken, broken, json(202, { turn: {}, duplicate: false }));
    await client.sendMessage('s', { content: 'hi' });
    const ids = requests.map(({ body }) => JSON.parse(body).id);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
  });

  test('does not repeat what has no id, and gives up when nothing helps', async () => {
    const { client, requests } = await serverThat(broken);
    await expect(client.call('compactSession', { sessionId: 's' })).rejects.toBeInstanceOf(ConnectionError);
    expect(requests).toHaveLength(1);
    await expect(client.sendMessage('s', { content: 'hi' })).rejects.toBeInstanceOf(ConnectionError);
    expect(requests).toHaveLength(5);
  });

  test('goes on with a turn whose stream broke, by sending the same message again', async () => {
    const message = { id: 'm1', content: 'hi' };
    const begun = events([{ id: 1, data: { type: 'turn.started', turn: { messageId: 'm1' } } }], 'break');
    const settled = events([{ id: 2, data: { type: 'turn.settled', turn: { messageId: 'm1' } } }], 'stay');
    const { client, requests } = await serverThat(begun, settled);
    const types = (await take(client.streamMessage('s', message), 9)).map(({ type }) => type);
    expect(types).toEqual(['turn.started', 'turn.settled']);
    expect(requests.map(({ body }) => JSON.parse(body))).toEqual([message, message]);
  });

  test('hears everybody who was named out before it ends', async () => {
    const about = (type: string, id: string) => ({ data: { type, turn: { id, messageId: 'm1' } } });
    const frames = ['turn.queued', 'turn.settled'].flatMap((type) => [about(type, 't1'), about(type, 't2')]);
    const { client } = await serverThat(events(frames, 'stay'));
    const heard = await take(client.streamMessage('s', { id: 'm1', content: '@a @b hi' }), 9);
    expect(heard).toHaveLength(4);
  });

  test('does not send again what was taken back', async () => {
    const { client, requests } = await serverThat(
      events([{ id: 1, data: { type: 'turn.removed', messageId: 'm1' } }], 'end'),
    );
    await take(client.streamMessage('s', { id: 'm1', content: 'hi' }), 9);
    expect(requests).toHaveLength(1);
  });
});

describe('the event stream', () => {
  test('resumes after the last event it has seen, however the connection ended', async () => {
    const first = events([{ id: 7, data: { type: 'a' } }, { data: { type: 'live' } }], 'end');
    const second = events([{ id: 8, data: { type: 'b' } }], 'break');
    const third = events([{ id: 9, data: { type: 'c' } }], 'stay');
    const { client, requests } = await serverThat(first, second, third);
    const frames = await take(client.events({ after: 5, sessions: ['x', 'y'] }), 4);
    expect(frames.map(({ type }) => type as string)).toEqual(['a', 'live', 'b', 'c']);
    expect(requests.map(({ url }) => new URL(url.slice(4), 'http://x').searchParams.get('after'))).toEqual([
      '5',
      '7',
      '8',
    ]);
  });

  test('knows where "now" is before it connects, so that nothing is lost if the first connection is', async () => {
    const { client, requests } = await serverThat(
      json(200, { sessions: [], position: 41 }),
      broken,
      events([{ id: 42, data: { type: 'a' } }], 'stay'),
    );
    await take(client.events(), 1);
    expect(requests.map(({ url }) => url)).toEqual([
      'GET /api/sessions?limit=1',
      'GET /api/events?after=41',
      'GET /api/events?after=41',
    ]);
  });

  test('shows a reset and goes on from where it points', async () => {
    const reset = events([{ id: 100, data: { type: 'reset', position: 100 } }], 'end');
    const { client, requests } = await serverThat(reset, events([{ id: 101, data: { type: 'a' } }], 'stay'));
    const frames = await take(client.events({ after: 3 }), 2);
    expect(frames[0]).toEqual({ type: 'reset', position: 100 });
    expect(requests[1]?.url).toContain('after=100');
  });

  test('ends at once when nobody listens any more', async () => {
    const { client } = await serverThat(events([{ id: 1, data: { type: 'a' } }], 'stay'));
    const ending = new AbortController();
    const seen: string[] = [];
    for await (const { type } of client.events({ after: 0, signal: ending.signal })) {
      seen.push(type);
      ending.abort();
    }
    expect(seen).toEqual(['a']);
  });

  test('does not try again what is refused for good', async () => {
    const { client, requests } = await serverThat(json(401, { code: 'unauthorized', detail: 'Sign in.' }));
    await expect(take(client.events({ after: 0 }), 1)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(requests).toHaveLength(1);
  });
});
