import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedConfig } from '../harness/agents.ts';
import { Parley } from '../harness/parley.ts';
import { bearer, rawRequest } from '../harness/raw-request.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';

let provider: ScriptedProvider;
let parley: Parley;
let sessionId: string;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  parley = await Parley.start({ config: scriptedConfig(provider.url, ['wisp/one']) });
  sessionId = (await parley.createSession({ agentId: 'wisp/one' })).id;
  await parley.say(sessionId, { content: `it's a "quoted" 100% plan; DROP TABLE messages` });
});
afterAll(async () => {
  await parley.close();
  await provider.close();
});

const NASTY = [
  `' OR '1'='1`,
  `"; DROP TABLE sessions; --`,
  `x' UNION SELECT token_hash FROM sign_ins --`,
  `%27%20OR%201=1`,
  `\\`,
  `'`,
  `"`,
  `"""`,
  `*`,
  `**`,
  `a*b`,
  `NEAR(a b)`,
  `a NEAR/2 b`,
  `text : x`,
  `{text tags} : x`,
  `^plan`,
  `-`,
  `--`,
  `- plan`,
  `plan AND`,
  `OR plan`,
  `NOT plan`,
  `(plan`,
  `plan)`,
  `tags:sessionx41`,
  `rowid:1`,
  `session:' OR 1=1`,
  `agent:"x" OR "y"`,
  `before:2026-13-99`,
  `after:; DROP`,
  `from:user from:user`,
  `"plan" "`,
  `\u0000plan`,
  `plan\u0000`,
  `${'"'.repeat(500)}`,
  `${'('.repeat(500)}`,
  `${'a '.repeat(499)}`,
  `\ud800`,
  `👩‍👩‍👧`,
  `%`,
  `_`,
  `plan;`,
  `column:plan`,
  `messages_fts`,
];

describe('text that wants to be a query', () => {
  it('search answers or refuses with a reason, and never anything else', async () => {
    for (const q of NASTY) {
      const answer = await parley.request<{ code?: string }>(
        'GET',
        `/api/search?q=${encodeURIComponent(q.toWellFormed())}`,
      );
      expect([q, [200, 400, 422].includes(answer.status)]).toEqual([q, true]);
      expect(JSON.stringify(answer.body)).not.toMatch(/fts5|SQL|syntax error|no such column/i);
    }
  });

  it('names, folders, attributes, ids, cursors and filters are only ever values', async () => {
    for (const text of NASTY.map((each) => each.toWellFormed().slice(0, 150))) {
      const q = encodeURIComponent(text);
      const requests: [string, string, unknown?][] = [
        ['PUT', `/api/sessions/${sessionId}/name`, { name: `n ${text}` }],
        ['PATCH', `/api/sessions/${sessionId}`, { folder: `f ${text}`, attributes: { [`k ${text}`]: text } }],
        ['GET', `/api/sessions?folder=${q}`],
        ['GET', `/api/sessions?cursor=${q}`],
        ['GET', `/api/sessions?name=${q}`],
        ['GET', `/api/sessions?agent=${q}`],
        ['GET', `/api/search?q=plan&cursor=${q}`],
        ['GET', `/api/sessions/${q}`],
        ['GET', `/api/turns/${q}`],
        ['GET', `/api/events?sessions=nobody&after=${q}`],
        ['POST', '/api/kill', { agent: 'wisp/one', sender: text }],
      ];
      for (const [method, route, body] of requests) {
        const answer = await rawStatus(method, route, body);
        expect([method, route, answer < 500]).toEqual([method, route, true]);
      }
    }
    expect((await parley.messages(sessionId)).length).toBe(2);
  });

  async function rawStatus(method: string, route: string, body?: unknown): Promise<number> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const headers = { Host: new URL(parley.url).host, 'Content-Type': 'application/json', ...bearer(parley) };
    return (await rawRequest(parley, method, route, headers, json)).status;
  }
});

describe('names that want to be paths', () => {
  it('an agent id never leaves the agents folder', async () => {
    const ids = [
      '../evil',
      '..',
      'a/../../evil',
      '/etc/evil',
      'a//b',
      '.hidden',
      'a/.b',
      'a\\b',
      'a\u0000b',
      'con:aux',
      '~root',
      'a/..',
      'a/',
    ];
    for (const agentId of ids) {
      const answer = await parley.request('POST', '/api/agents', { agentId, chat: { provider: 'demo' } });
      expect([agentId, answer.status]).toEqual([agentId, 400]);
    }
    for (const id of ['..%2f..%2ftoken', '%2e%2e/%2e%2e/token', '..%5ctoken', 'wisp%2fone/../../token']) {
      const headers = { Host: new URL(parley.url).host, ...bearer(parley) };
      const answer = await rawRequest(parley, 'GET', `/api/agents/${id}`, headers);
      // A path that leads out of the API is a page of the web app, which holds nothing.
      const isPage = String(answer.headers['content-type']).startsWith('text/html');
      expect([id, isPage || answer.status >= 400]).toEqual([id, true]);
      expect(answer.body).not.toContain(parley.token);
    }
    expect(existsSync(path.join(parley.home, '..', 'evil.json'))).toBe(false);
  });

  it('a link that leads out of the data folder is not written through', async () => {
    const outside = path.join(parley.home, '..', `outside-${process.pid}`);
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'victim.json'), '{"precious":true}');
    mkdirSync(path.join(parley.home, 'agents'), { recursive: true });
    symlinkSync(outside, path.join(parley.home, 'agents', 'linked'));
    await parley.request('POST', '/api/agents', { agentId: 'linked/victim', chat: { provider: 'demo' } });
    await parley.request('POST', '/api/agents', { agentId: 'linked/fresh', chat: { provider: 'demo' } });
    expect(readFileSync(path.join(outside, 'victim.json'), 'utf8')).toBe('{"precious":true}');
    expect(existsSync(path.join(outside, 'fresh.json'))).toBe(false);
  });
});

describe('too much of it', { timeout: 40_000 }, () => {
  const post = (body: string, more: Record<string, string> = {}) =>
    parley.request<{ code?: string }>('POST', '/api/sessions', body, more);

  it('nesting stops at the limit and one past it', async () => {
    const nested = (depth: number) => `{"attributes":{"a":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`;
    expect((await post(nested(64))).status).toBe(201);
    const past = await post(nested(65));
    expect([past.status, past.body.code]).toEqual([400, 'json_too_deep']);
    const bomb = await post(`${'['.repeat(4_000_000)}`);
    expect([bomb.status, bomb.body.code]).toEqual([400, 'json_too_deep']);
  });

  it('null is no object, and a compressed body or another charset is not guessed at', async () => {
    const create = async (body: string, headers: Record<string, string> = {}) => {
      const json = { 'Content-Type': 'application/json', Host: new URL(parley.url).host, ...bearer(parley) };
      const answer = await rawRequest(parley, 'POST', '/api/sessions', { ...json, ...headers }, body);
      return `${answer.status} ${JSON.parse(answer.body).code ?? ''}`;
    };
    expect(await create('null')).toBe('400 invalid_request');
    expect(await create('{}', { 'Content-Encoding': 'gzip' })).toBe('415 unsupported_media_type');
    const charset = (name: string) => ({ 'Content-Type': `application/json; charset=${name}` });
    expect(await create('{}', charset('utf-16'))).toBe('415 unsupported_media_type');
    expect(await create('{"agentId":"wisp/one"}', charset('UTF-8'))).toBe('201 ');
  });

  it('a body at the limit is read, one byte more is not, with and without a length', async () => {
    const body = (bytes: number) => `{"x":"${'a'.repeat(bytes - 8)}"}`;
    expect((await post(body(10_000_000))).status).toBe(400);
    const past = await post(body(10_000_001));
    expect([past.status, past.body.code]).toEqual([413, 'body_too_large']);
    const chunked = await sendChunked(11_000_000);
    expect(chunked).toContain(' 413 ');
  });

  it('a message at the limit is taken, one byte more is not', async () => {
    const { id } = await parley.createSession({ agentId: 'wisp/one' });
    const route = `/api/sessions/${id}/messages`;
    const past = await parley.request<{ code?: string }>('POST', route, { content: `é${'a'.repeat(999_999)}` });
    expect([past.status, past.body.code]).toEqual([413, 'message_too_large']);
    expect((await parley.request('POST', route, { content: 'a'.repeat(1_000_000) })).status).toBe(202);
  });

  it('huge arrays, many keys and long headers are refused in good time', async () => {
    const began = Date.now();
    expect((await post(`[${'1,'.repeat(4_000_000)}1]`)).status).toBe(400);
    const keys = Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join();
    expect((await post(`{${keys}}`)).status).toBe(400);
    const answer = await parley.request('GET', '/health', undefined, { 'X-Long': 'a'.repeat(15_000) });
    expect(answer.status).toBe(200);
    const long = await rawHead(
      `GET /health HTTP/1.1\r\nHost: ${new URL(parley.url).host}\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`,
    );
    expect(long).toContain(' 431 ');
    expect(Date.now() - began).toBeLessThan(8000);
    expect(JSON.stringify((await post(`{${keys}}`)).body).length).toBeLessThan(100_000);
  });

  it('two hundred clients that never finish their request do not keep others waiting, and are let go', async () => {
    const { port, host } = new URL(parley.url);
    const head = `POST /api/sessions HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${parley.token}\r\nContent-Type: application/json\r\n`;
    const sockets = Array.from({ length: 200 }, (_, index) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(index % 2 ? `${head}Content-Length: 1000\r\n\r\n{` : head);
      return socket;
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const began = Date.now();
    expect((await parley.request('GET', '/api/sessions')).status).toBe(200);
    expect(Date.now() - began).toBeLessThan(1000);
    const first = sockets[0]!;
    const closed = await new Promise<boolean>((resolve) => {
      first.on('close', () => resolve(true));
      first.resume();
      setTimeout(() => resolve(false), 20_000);
    });
    expect(closed).toBe(true);
    for (const socket of sockets) socket.destroy();
  });

  async function sendChunked(bytes: number): Promise<string> {
    const { host } = new URL(parley.url);
    const piece = 'a'.repeat(100_000);
    const head = `POST /api/sessions HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${parley.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    return rawHead(head + `${piece.length.toString(16)}\r\n${piece}\r\n`.repeat(Math.ceil(bytes / piece.length)));
  }

  /** The first line that comes back. */
  async function rawHead(sent: string): Promise<string> {
    const socket = connect(Number(new URL(parley.url).port), '127.0.0.1');
    socket.on('error', () => {});
    let answer = '';
    const done = new Promise<void>((resolve) => {
      socket.setEncoding('latin1').on('data', (text) => {
        answer += text;
        resolve();
      });
      socket.on('close', () => resolve());
    });
    socket.write(sent);
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 8000))]);
    socket.destroy();
    return answer.split('\r\n')[0] ?? '';
  }
});
