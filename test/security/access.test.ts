import type { Logger } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGE_KEY_HEADER } from '../../contract/page-key.ts';
import { entranceTo } from '../../server/http/access.ts';
import { buildApp } from '../../server/http/app.ts';
import { toPattern } from '../../server/http/mount.ts';
import { HostCheck } from '../../server/http/origin.ts';
import type { RouteDeps } from '../../server/http/route-deps.ts';
import { isWebPath } from '../../server/http/web/web-path.ts';
import { scriptedConfig } from '../harness/agents.ts';
import { Parley } from '../harness/parley.ts';
import { bearer, rawRequest } from '../harness/raw-request.ts';
import { type SignedInBrowser, signInBrowser } from '../harness/signed-in-browser.ts';
import { BODIES, MEMBER_ROUTES, pathOf, QUERIES, TABLE } from './routes.ts';

let parley: Parley;
let signedIn: Promise<SignedInBrowser>;
beforeAll(async () => {
  const limits = { wrongCredentialsPerMinute: 1_000_000 };
  const config = { ...scriptedConfig('http://127.0.0.1:1', ['wisp/one']), limits };
  parley = await Parley.start({ config });
  signedIn = signInBrowser(parley);
});
afterAll(() => parley.close());

const host = () => new URL(parley.url).host;
const cookieName = () => `parley-${new URL(parley.url).port}`;

interface Reasons {
  code?: string | number;
  details?: { reason: string }[];
  data?: { reason: string }[];
}

/** In words of the API, of OpenAI's, or of A2A's. */
function codeIn(refusal: Reasons & { error?: Reasons }): string | undefined {
  const { code, details, data } = refusal.error ?? refusal;
  return (details ?? data)?.[0]?.reason.toLowerCase() ?? (code === undefined ? undefined : String(code));
}

/** Where another protocol has a code of its own. */
const UNAUTHORIZED: Partial<Record<string, string>> = { openai: 'invalid_api_key' };

function routeOf(name: (typeof TABLE)[number][0]) {
  return TABLE.find(([each]) => each === name)![1];
}

async function ask(name: (typeof TABLE)[number][0], headers: Record<string, string>) {
  const route = routeOf(name);
  const body = BODIES[name] === undefined ? undefined : JSON.stringify(BODIES[name]);
  const sent = { ...(body && { 'Content-Type': 'application/json' }), ...headers };
  const answer = await rawRequest(parley, route.method, pathOf(route) + (QUERIES[name] ?? ''), sent, body);
  return { ...answer, code: answer.body.startsWith('{') ? codeIn(JSON.parse(answer.body)) : undefined };
}

describe('the router and its table', () => {
  it('everything that is mounted is in the table, with a class of access', () => {
    const known = new Set(
      TABLE.flatMap(([, route]) => [`${route.method} ${toPattern(route.path)}`, `ALL ${toPattern(route.path)}`]),
    );
    const mounted = buildApp(anything() as RouteDeps, new HostCheck(() => ({ allowedHosts: [] })), anything() as Logger)
      .app.routes;
    // The one entry for all paths is the guard itself.
    const unknown = mounted.filter(({ method, path }) => path !== '/*' && !known.has(`${method} ${path}`));
    expect(unknown.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    const paths = new Set(mounted.map(({ method, path }) => `${method} ${path}`));
    for (const [name, route] of TABLE)
      expect([name, paths.has(`${route.method} ${toPattern(route.path)}`)]).toEqual([name, true]);
  });

  it('only the web app, what was shared, the health check and the sign-in are open', () => {
    const open = TABLE.filter(([, route]) => route.access === 'open').map(([name]) => name);
    expect(open).toEqual(['health', 'proveServer', 'signIn', 'readShare', 'page', 'webAsset', 'sharePage', 'webPage']);
    const signed = TABLE.filter(([, route]) => route.access === 'signed').map(([name]) => name);
    expect(signed).toEqual(['receiveWebhook']);
    for (const [, route] of TABLE) expect(['open', 'member', 'turn', 'signed']).toContain(route.access);
  });
});

describe.each(MEMBER_ROUTES.map(([name]) => name))('%s', (name) => {
  it('wants a credential', async () => {
    const good = { Host: host() };
    const browser = await signedIn;
    const attempts: Record<string, string>[] = [
      good,
      { ...good, Authorization: 'Bearer wrong' },
      { ...good, Authorization: `Bearer ${parley.token}x` },
      { ...good, Authorization: `Basic ${Buffer.from(`x:${parley.token}`).toString('base64')}` },
      { ...good, Authorization: parley.token },
      { ...good, Cookie: `${cookieName()}=${parley.token}`, 'Sec-Fetch-Site': 'same-origin' },
      { ...good, Cookie: `${cookieName()}=`, 'Sec-Fetch-Site': 'same-origin', [PAGE_KEY_HEADER]: '' },
      { ...good, Cookie: browser.cookie, 'Sec-Fetch-Site': 'same-origin' },
      { ...good, Cookie: browser.cookie, [PAGE_KEY_HEADER]: browser.key },
      { ...good, Cookie: browser.cookie, [PAGE_KEY_HEADER]: browser.key, 'Sec-Fetch-Site': 'none' },
    ];
    for (const headers of attempts) {
      const answer = await ask(name, headers);
      expect([answer.status, answer.code]).toEqual([401, UNAUTHORIZED[routeOf(name).protocol ?? ''] ?? 'unauthorized']);
    }
  });

  it('answers no other site and no other name, whatever the credential', async () => {
    const cases: [Record<string, string>, string][] = [
      [{ Host: 'evil.example' }, 'host_not_allowed'],
      [{ Host: `evil.example:${new URL(parley.url).port}` }, 'host_not_allowed'],
      [{ Host: '127.0.0.1:1' }, 'host_not_allowed'],
      [{ Host: host(), Origin: 'https://evil.example' }, 'origin_not_allowed'],
      [{ Host: host(), Origin: 'null' }, 'origin_not_allowed'],
      [{ Host: host(), Origin: `http://${host()}.evil.example` }, 'origin_not_allowed'],
      [{ Host: host(), Origin: 'http://localhost:1' }, 'origin_not_allowed'],
      [{ Host: host(), 'Sec-Fetch-Site': 'cross-site' }, 'origin_not_allowed'],
      [{ Host: host(), 'Sec-Fetch-Site': 'same-site' }, 'origin_not_allowed'],
    ];
    for (const [headers, code] of cases) {
      const signedIn = await ask(name, { ...headers, ...bearer(parley) });
      expect([headers, signedIn.status, signedIn.code]).toEqual([headers, 403, code]);
      const stranger = await ask(name, headers);
      expect([headers, stranger.status, stranger.code]).toEqual([headers, 403, code]);
    }
    // The order: Host before Origin before credential.
    const both = await ask(name, { Host: 'evil.example', Origin: 'null' });
    expect(both.code).toBe('host_not_allowed');
  });
});

describe('ways around', () => {
  it('a token in a query is no credential', async () => {
    for (const key of ['token', 'access_token', 'authorization', 'key', 'code']) {
      for (const path of ['/api/sessions', '/api/events', '/metrics']) {
        const answer = await rawRequest(parley, 'GET', `${path}?${key}=${parley.token}`, { Host: host() });
        expect(answer.status).toBe(401);
      }
    }
  });

  it('the sign-in is closed to other sites too, and the open pages to other names', async () => {
    const foreign: Record<string, string>[] = [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }];
    for (const headers of [...foreign, { Origin: 'null' }])
      expect((await ask('signIn', { Host: host(), ...headers })).status).toBe(403);
    for (const name of ['page', 'health'] as const)
      expect((await ask(name, { Host: 'evil.example' })).status).toBe(403);
  });

  it('OPTIONS, HEAD, TRACE and invented methods give nothing away, and no CORS header is ever sent', async () => {
    for (const method of ['OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'PUT']) {
      for (const path of ['/api/sessions', '/api/events', '/metrics', '/api/nothing']) {
        const preflight = { Host: host(), Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
        for (const headers of [preflight, { Host: host() }, { Host: host(), ...bearer(parley) }]) {
          const answer = await rawRequest(parley, method, path, headers);
          const signedIn = 'Authorization' in headers;
          expect([method, path, signedIn || answer.status >= 400]).toEqual([method, path, true]);
          expect(answer.status).toBeLessThan(500);
          expect(Object.keys(answer.headers).filter((header) => header.startsWith('access-control'))).toEqual([]);
          expect(answer.body).not.toContain(parley.token);
        }
      }
    }
  });

  it('paths written in other ways reach nothing without a credential', async () => {
    const paths = ['//api/sessions', '/api//sessions', '/API/sessions', '/api/sessions/', '/./api/sessions'];
    paths.push(
      '/health/../api/sessions',
      '/%61pi/sessions',
      '/api%2fsessions',
      '/api/sessions;x',
      '/health/../metrics',
    );
    for (const path of paths) {
      const answer = await rawRequest(parley, 'GET', path, { Host: host() });
      expect([path, answer.status >= 400 && answer.status < 500]).toEqual([path, true]);
      expect(answer.body).not.toContain('"sessions"');
    }
  });

  it('a request that names another host in its target is refused, one that names this server is not', async () => {
    const ask = (target: string) => rawRequest(parley, 'GET', target, { Host: host(), ...bearer(parley) });
    expect((await ask('http://evil.example/api/agents')).status).toBe(403);
    expect((await ask(`http://${host()}/api/agents`)).status).toBe(200);
  });

  it('no route that wants a credential could be taken for a page of the web app', () => {
    for (const [name, route] of MEMBER_ROUTES) {
      expect([name, isWebPath(pathOf(route))]).toEqual([name, false]);
      expect([name, entranceTo(route.method, pathOf(route)).access]).toEqual([name, route.access]);
      expect([name, entranceTo('HEAD', pathOf(route)).access]).not.toEqual([name, 'open']);
    }
    for (const path of [
      '/api',
      '/API/x',
      '/metrics',
      '/Metrics/',
      '/healthy',
      '//api/sessions',
      '/a//b',
      '/a\\b',
      '/\0',
    ])
      expect([path, entranceTo('GET', path)]).toEqual([path, { access: 'member', isPage: false }]);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect([method, entranceTo(method, '/sessions/x').access]).toEqual([method, 'member']);
  });

  it('two Host or two Authorization headers are refused or read as one that is wrong', async () => {
    const answer = await rawRequest(parley, 'GET', '/api/sessions', {
      Host: `${host()}, evil.example`,
      ...bearer(parley),
    });
    expect([400, 403]).toContain(answer.status);
  });

  it('HEAD on a stream ends at once and leaves no stream behind', async () => {
    const answer = await parley.fetch('HEAD', '/api/events', undefined, {}, AbortSignal.timeout(3000));
    expect(answer.status).toBeLessThan(500);
    expect((await parley.request<string>('GET', '/metrics')).body).toMatch(/^parley_streams_open 0$/m);
  });
});

/** Stands for whatever the routes take apart while they are mounted; none of it is called. */
function anything(): unknown {
  return new Proxy(() => undefined, { get: () => anything() });
}
