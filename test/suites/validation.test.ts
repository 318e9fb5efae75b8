import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isOfAnotherProtocol } from '../../contract/openapi.ts';
import { ROUTES, type Route } from '../../contract/routes.ts';
import { text } from '../harness/scripted-script.ts';
import { asProblem, fill, TestServer } from './test-server.ts';

let server: TestServer;
let sessionId: string;

beforeAll(async () => {
  server = await TestServer.start();
  server.provider.script(() => ({ steps: text('Yes.') }));
  sessionId = await server.open();
});
afterAll(() => server.close());

function raw(method: string, route: string, body: string | undefined, headers: Record<string, string> = {}) {
  return server.parley.request(method, route, body, headers);
}

async function counts(): Promise<unknown> {
  const { sessions, position } = await server.call('listSessions', { query: { limit: 200 } });
  return [sessions.length, position];
}

/** Whatever is refused has written nothing. */
async function writesNothing(work: () => Promise<unknown>): Promise<void> {
  const before = await counts();
  await work();
  expect(await counts()).toEqual(before);
}

describe('a body', () => {
  test.each([
    ['sendMessage', { content: 'Hi', extra: 1 }, 'extra is not a known field'],
    ['sendMessage', { content: 3 }, 'content must be'],
    ['sendMessage', { content: '' }, 'content'],
    ['sendMessage', {}, 'content is required'],
    ['sendMessage', { content: 'Hi', id: 'not valid!' }, 'id must be 1 to 128 letters'],
    ['sendMessage', { content: 'Hi', busy: 'maybe' }, 'busy'],
    ['sendMessage', { content: 'Hi', agent: '../etc' }, 'agent must consist of'],
    ['createSession', { id: 'a b' }, 'id must be'],
    ['createSession', { id: 'x'.repeat(129) }, 'id must be'],
    ['createSession', { name: '   ' }, 'name'],
    ['createSession', { name: 'x'.repeat(201) }, 'name'],
    ['createSession', { name: 'paid\u202e' }, 'name must not contain invisible characters'],
    ['createSession', { name: 'a\nb' }, 'name must not contain line breaks'],
    ['createSession', { folder: 'Wo\u200brk' }, 'folder must not contain invisible characters'],
    ['patchSession', { folder: '\u2066Work' }, 'folder must not contain invisible characters'],
    ['renameSession', { name: 'a\u{e0041}' }, 'name must not contain invisible characters'],
    ['forkSession', { name: '\u202ea' }, 'name must not contain invisible characters'],
    ['createSessionTemplate', { name: 'a\u0007' }, 'name must not contain invisible characters'],
    ['createSessionTemplate', { name: 'a', title: '\u061cb' }, 'title must not contain invisible characters'],
    ['createSession', { attributes: [] }, 'attributes'],
    ['createSession', { owner: 'me' }, 'owner is not a known field'],
    ['patchSession', { name: 'x' }, 'name is not a known field'],
    ['patchSession', { agentId: 3 }, 'agentId'],
    ['renameSession', { name: 'x', replace: 'yes' }, 'replace'],
    ['chooseHead', {}, 'messageId is required'],
    ['forkSession', { at: 'x' }, 'at is not a known field'],
    ['compactSession', { keep: -1 }, 'keep'],
    ['cancelSession', { force: true }, 'force is not a known field'],
    ['pinSession', { pinned: true }, 'pinned is not a known field'],
    ['markRead', { upto: 3 }, 'upto is not a known field'],
    ['resolveSession', { session: '', agentId: 'ada' }, 'session'],
    ['resolveSession', {}, 'agentId is required'],
    ['kill', { agent: 'ada', sender: 3 }, 'sender'],
    ['createAgent', { agentId: 'a', color: 'red' }, 'color must be a colour'],
    ['createAgent', { agentId: 'a', chat: { provider: 'x' } }, 'chat.provider'],
  ] as const)('of %s with %o is refused by its path', async (route, body, words) => {
    await writesNothing(async () => {
      const problem = await server.refused('invalid_request', route, { params: { sessionId }, body });
      expect(problem.detail).toContain(words);
      expect(problem.issues?.join()).toContain(words);
    });
  });

  test.each(['', '   ', '{', '{"content":}', 'content', '"text"', '[]', 'null', '42'])(
    '%o is not one',
    async (body) => {
      await writesNothing(async () => {
        const answer = await raw('POST', `/api/sessions/${sessionId}/messages`, body);
        expect([400]).toContain(answer.status);
        asProblem(
          answer,
          body === '' || ['"text"', '[]', 'null', '42'].includes(body) ? 'invalid_request' : 'invalid_json',
        );
      });
    },
  );

  test('must say that it is JSON', async () => {
    const route = `/api/sessions/${sessionId}/messages`;
    const headers = { 'Content-Type': 'text/plain' };
    await writesNothing(async () =>
      asProblem(await raw('POST', route, '{"content":"Hi"}', headers), 'unsupported_media_type'),
    );
    const fine = await raw('POST', `${route}?wait=5`, '{"content":"Hi"}', {
      'Content-Type': 'Application/JSON; charset=utf-8',
    });
    expect(fine.status).toBe(202);
  });

  test('has no half characters: what is stored, shown, found and exported is the same text', async () => {
    const { id } = await server.create({ agentId: 'ada' });
    const send = (method: string, route: string, body: string) => raw(method, `/api/sessions/${id}${route}`, body);
    const sent = await send(
      'POST',
      '/messages?wait=5',
      String.raw`{"content":"walrus \ud83d and \ude42, \ud83d\ude42"}`,
    );
    const whole = 'walrus \ufffd and \ufffd, 🙂';
    expect(sent.body).toMatchObject({ message: { text: whole } });
    await send('PUT', '/name', String.raw`{"name":"n\ud800"}`);
    const changed = await send('PATCH', '', String.raw`{"attributes":{"k\udfff":["v\ud800"]}}`);
    expect(changed.body).toMatchObject({ name: 'n\ufffd', attributes: { 'k\ufffd': ['v\ufffd'] } });
    expect((await server.messages(id))[0]?.text).toBe(whole);
    const exported = await server.call('exportSession', { params: { sessionId: id } });
    expect(exported.messages[0]?.text).toBe(whole);
    expect(exported.session).toMatchObject({ name: 'n\ufffd', attributes: { 'k\ufffd': ['v\ufffd'] } });
    expect((await server.call('search', { query: { q: 'walrus', session: id } })).hits[0]?.snippet).toBe(whole);
    const file = String.raw`{"messages":[{"role":"user","content":"seal \ud800"},{"role":"assistant","content":"\udc00"}]}`;
    const imported = await raw('POST', '/api/imports', file);
    const { messages } = await server.call('exportSession', {
      params: { sessionId: (imported.body as { id: string }).id },
    });
    expect(messages.map(({ text: words }) => words)).toEqual(['seal \ufffd', '\ufffd']);
  });

  test('may be nested 64 levels deep, not 65', async () => {
    const nested = (levels: number) => `{"attributes":{"a":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`;
    const path = `/api/sessions/${sessionId}`;
    expect((await raw('PATCH', path, nested(64))).status).toBe(200);
    await writesNothing(async () => asProblem(await raw('PATCH', path, nested(65)), 'json_too_deep'));
    const brackets = JSON.stringify({ attributes: { a: `"\\${'['.repeat(200)}` } });
    expect((await raw('PATCH', path, brackets)).status).toBe(200);
    asProblem(await raw('PATCH', path, '['.repeat(5_000_000)), 'json_too_deep');
  });

  test('may hold a message of a million bytes, not one more', async () => {
    const session = await server.open();
    const { message } = await server.say(session, 'é'.repeat(500_000));
    expect(message.text).toHaveLength(500_000);
    await writesNothing(() =>
      server.refused('message_too_large', 'sendMessage', {
        params: { sessionId: session },
        body: { content: `${'é'.repeat(500_000)}x` },
      }),
    );
    await writesNothing(() =>
      server.refused('message_too_large', 'stream', {
        body: { agent: 'ada', sender: 'too large', content: 'x'.repeat(1_000_001) },
      }),
    );
  });

  test('may be ten million bytes, not one more', async () => {
    const path = `/api/sessions/${sessionId}`;
    const sized = (bytes: number) => `{"folder":null${' '.repeat(bytes - 15)}}`;
    expect((await raw('PATCH', path, sized(10_000_000))).status).toBe(200);
    await writesNothing(async () => asProblem(await raw('PATCH', path, sized(10_000_001)), 'body_too_large'));
  });

  test('that does not say how long it is, is counted', async () => {
    const status = await chunked('PATCH', `/api/sessions/${sessionId}`, 11);
    expect(status).toBe(413);
  });
});

/** Sends so many megabytes without a Content-Length. */
function chunked(method: string, route: string, megabytes: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const headers = { Authorization: `Bearer ${server.parley.token}`, 'Content-Type': 'application/json' };
  const request = httpRequest(server.parley.url + route, { method, headers }, (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  request.on('error', () => undefined);
  for (let sent = 0; sent < megabytes; sent++) request.write(' '.repeat(1_000_000));
  request.end();
  return promise;
}

describe('a query', () => {
  test.each([
    ['listSessions', { limit: 0 }],
    ['listSessions', { limit: 201 }],
    ['listSessions', { limit: 'many' }],
    ['listSessions', { status: 'busy' }],
    ['listSessions', { pinned: 'yes' }],
    ['listSessions', { colour: 'red' }],
    ['listMessages', { limit: 501 }],
    ['listMessages', { before: 'x' }],
    ['listMessages', { before: 5, after: 1 }],
    ['listTurns', { limit: 501 }],
    ['getSession', { verbose: true }],
    ['sendMessage', { wait: -1 }],
    ['sendMessage', { wait: 1801 }],
    ['exportSession', { format: 'pdf' }],
    ['search', {}],
    ['search', { q: '' }],
    ['events', { deltas: 'no' }],
  ] as const)('of %s with %o is refused', async (route, query) => {
    const body = route === 'sendMessage' ? { content: 'Hi' } : undefined;
    await writesNothing(() => server.refused('invalid_request', route, { params: { sessionId }, query, body }));
  });
});

describe('a path', () => {
  test.each(['/nothing.js', '/api', '/api/', '/api/nothing', '/api/sessions/a/b/c', '/API/sessions'])(
    '%s is not there',
    async (path) => void asProblem(await raw('GET', path, undefined), 'route_not_found'),
  );

  test('takes only the methods it has', async () => {
    const known = new Map<string, Set<string>>();
    for (const { method, path } of Object.values<Route>(ROUTES).filter((route) => route !== ROUTES.webPage))
      known.set(path, (known.get(path) ?? new Set()).add(method));
    for (const [path, methods] of known) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !methods.has(one))) {
        const answer = await raw(method, fill(path, { sessionId }), method === 'GET' ? undefined : '{}');
        expect([`${method} ${path}`, answer.status]).toEqual([`${method} ${path}`, 405]);
        if (path.startsWith('/v1/')) expect(answer.body).toMatchObject({ error: { code: 'method_not_allowed' } });
        else if (path.startsWith('/a2a/')) expect(JSON.stringify(answer.body)).toMatch(/method_not_allowed/i);
        else asProblem(answer, 'method_not_allowed');
      }
    }
  });

  test.each(['a b', 'a.b', 'ä', 'x'.repeat(129)])('with the id %o is refused', async (id) => {
    await server.refused('invalid_request', 'getSession', { params: { sessionId: id } });
    await server.refused('invalid_request', 'getTurn', { params: { turnId: id } });
    await server.refused('invalid_request', 'getMessage', { params: { messageId: id } });
  });
});

test('a page of messages is found from both sides', async () => {
  const session = await server.open();
  for (let index = 0; index < 5; index++) await server.say(session, `Message ${index}`);
  const page = (query: object) => server.call('listMessages', { params: { sessionId: session }, query: { ...query } });
  const newest = await page({ limit: 4 });
  expect([newest.messages.map(({ seq }) => seq), newest.before, newest.after]).toEqual([[7, 8, 9, 10], 7, null]);
  const earlier = await page({ limit: 4, before: 7 });
  expect([earlier.messages.map(({ seq }) => seq), earlier.before, earlier.after]).toEqual([[3, 4, 5, 6], 3, 6]);
  const first = await page({ limit: 4, before: 3 });
  expect([first.messages.map(({ seq }) => seq), first.before]).toEqual([[1, 2], null]);
  const forward = await page({ limit: 4, after: 2 });
  expect([forward.messages.map(({ seq }) => seq), forward.after]).toEqual([[3, 4, 5, 6], 6]);
  expect((await page({ limit: 4, after: 6 })).after).toBeNull();
});

describe('the OpenAPI document', () => {
  type Operation = {
    operationId: string;
    summary: string;
    parameters: { name: string; in: string; required: boolean; schema: object }[];
    requestBody?: { content: Record<string, { schema: object }> };
    responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
  };

  test('has every route, with its parameters, body and answers', async () => {
    const document = (await server.call('openapi')) as unknown as {
      openapi: string;
      info: { title: string; version: string };
      paths: Record<string, Record<string, Operation>>;
      components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
    };
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(document.info).toMatchObject({ title: 'Parley', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(Object.keys(document.components.securitySchemes)).not.toEqual([]);
    const described = Object.entries<Route>(ROUTES).filter(([, route]) => !route.web && !isOfAnotherProtocol(route));
    for (const [name, route] of described) {
      const operation = document.paths[route.path.replace('+}', '}')]?.[route.method.toLowerCase()];
      expect(operation, name).toMatchObject({ operationId: name, summary: route.summary });
      const { parameters = [], requestBody, responses } = operation!;
      const inPath = [...route.path.matchAll(/\{(\w+)\+?\}/g)].map(([, parameter]) => parameter);
      expect(parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name)).toEqual(
        inPath,
      );
      for (const parameter of parameters) expect(parameter.schema, `${name} ${parameter.name}`).toBeTypeOf('object');
      expect(requestBody !== undefined, name).toBe(route.body !== undefined || route.upload === true);
      const successes = new Set([String(route.status), ...(route.media === 'text/event-stream' ? ['200'] : [])]);
      expect(Object.keys(responses).sort()).toEqual([...successes, '4XX', '5XX'].sort());
    }
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(described.length);
    expect(danglingReferences(document)).toEqual([]);
  });

  /** A `$ref` that leads nowhere in the document. */
  function danglingReferences(document: unknown): string[] {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference!);
    return references.filter((reference) => !resolves(document, reference));
  }

  function resolves(document: unknown, reference: string): boolean {
    let at = document as Record<string, unknown> | undefined;
    for (const step of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) at = at?.[step] as typeof at;
    return at !== undefined;
  }
});
