import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Parley, until } from '../harness/parley.ts';

let parley: Parley;
beforeAll(async () => {
  const agents = [{ agentId: 'ada', chat: { provider: 'demo' }, systemPrompt: 'x' }];
  const limits = { unsentFileBytes: 1000, idleConnections: 5 };
  parley = await Parley.start({ config: { agents, limits }, env: { PARLEY_LOG_LEVEL: 'info' } });
});
afterAll(() => parley.close());

describe('the OpenAPI document', () => {
  it('has components that every reference finds, problems for every route, and a licence', async () => {
    const document = await parley.ok<{ paths: object }>('GET', '/api/openapi.json');
    const text = JSON.stringify(document);
    const references = new Set(Array.from(text.matchAll(/"\$ref":"([^"]*)"/g), ([, reference]) => reference!));
    const find = (reference: string) =>
      reference.split('/').reduce((found: unknown, key) => {
        return key === '#' ? found : (found as Record<string, unknown> | undefined)?.[key];
      }, document as unknown);
    expect([...references].filter((one) => !one.startsWith('#/components/') || find(one) === undefined)).toEqual([]);
    expect(references.size).toBeGreaterThan(50);
    expect(text).not.toContain('$defs');
    expect(document).toMatchObject({ openapi: '3.1.0', info: { license: { identifier: 'MIT' } } });
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object));
    // Written out at every place instead of once, the schemas would take more than twice as much.
    expect(text.length / operations.length).toBeLessThan(2100);
    const without = operations.filter(({ responses }) => !('4XX' in responses) || !('5XX' in responses));
    expect(without).toEqual([]);
  });
});

describe('requests and answers', () => {
  it('an agent comes with the ETag that If-Match is held against', async () => {
    const first = await parley.request<{ version: string }>('GET', '/api/agents/ada');
    const etag = first.headers.get('etag')!;
    expect(etag).toBe(`"${first.body.version}"`);
    const change = (description: string, version = etag) =>
      parley.request('PATCH', '/api/agents/ada', { description }, { 'If-Match': version });
    const changed = await change('one');
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect((await change('two')).status).toBe(409);
    expect((await change('two', '*')).status).toBe(200);
  });

  it('answers of the API are kept in no cache, and the log says where requests come from', async () => {
    expect((await parley.request('GET', '/api/sessions')).headers.get('cache-control')).toBe('no-store');
    expect(parley.stderr).toContain('"address":"127.0.0.1"');
  });

  it('two Host headers are refused', async () => {
    const { host, port } = new URL(parley.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('files that are in no message have a limit together', async () => {
    const upload = () => parley.request<{ id: string; code: string }>('POST', '/api/files?name=a.txt', 'x'.repeat(600));
    const first = await upload();
    expect(first.status).toBe(201);
    expect(await upload()).toMatchObject({ status: 429, body: { code: 'too_many_unsent_files' } });
    await parley.ok('DELETE', `/api/files/${first.body.id}`);
    expect((await upload()).status).toBe(201);
  });

  it('connections without a request are closed, the oldest first, once there are too many', async () => {
    const { port } = new URL(parley.url);
    const sockets = Array.from({ length: 12 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
    for (const socket of sockets) socket.resume();
    await until(
      async () => sockets.filter((socket) => socket.closed).length,
      (closed) => closed >= 7,
    );
    expect((await parley.request('GET', '/api/sessions')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });
});
