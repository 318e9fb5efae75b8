import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignInLink } from '../../contract/access.ts';
import { Parley } from '../harness/parley.ts';
import { rawRequest } from '../harness/raw-request.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; media-src 'self' blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types app-worker";

const PAGE = '<!doctype html><title>Parley</title><script type="module" src="/assets/app-1.js"></script>';
const SHARED = '<!doctype html><title>Parley</title><script type="module" src="/assets/shared-1.js"></script>';
const SCRIPT = `export const words = ${JSON.stringify('quiet console '.repeat(400))};\n`;

let place: string;
let folder: string;
let parley: Parley;
beforeAll(async () => {
  place = mkdtempSync(path.join(tmpdir(), 'parley-web-'));
  folder = path.join(place, 'web');
  writeFileSync(path.join(place, 'secret.txt'), 'not for anybody');
  build(folder, { 'index.html': PAGE, 'shared.html': SHARED, 'assets/app-1.js': SCRIPT });
  symlinkSync(path.join(place, 'secret.txt'), path.join(folder, 'assets', 'link.txt'));
  parley = await Parley.start({ config: { agents: [] }, env: { PARLEY_WEB: folder } });
});
afterAll(async () => {
  await parley.close();
  rmSync(place, { recursive: true });
});

function build(into: string, more: Record<string, string>): void {
  const files = {
    'theme.js': 'document.title;\n',
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'icon-192.png': 'picture',
    'manifest.webmanifest': '{}',
    'assets/app-1.css': 'body{}',
    'assets/geist-1.woff2': 'font',
    '.sources': 'a note of the build',
    ...more,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(into, name)), { recursive: true });
    writeFileSync(path.join(into, name), text);
  }
}

/** As a browser that is not signed in. */
function look(route: string, headers: Record<string, string> = {}, method = 'GET', of = parley) {
  return rawRequest(of, method, route, { Host: new URL(of.url).host, ...headers });
}

describe('the web app', () => {
  it('is loaded by anybody, at every path of its own, and never kept by a cache', async () => {
    const pages = [
      '/',
      '/sessions/0199',
      '/agents/wisp/v1.2',
      '/agents/new',
      '/search?q=a%20b',
      '/settings',
      '/s',
      '/s/a/b',
    ];
    for (const route of [...pages, '/index.html', '/sessions/x/?message=y', '/?any=thing']) {
      const answer = await look(route);
      expect([route, answer.status, answer.body]).toEqual([route, 200, PAGE]);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('has a page of its own for whoever has nothing but a link, under the same policy', async () => {
    const { status, body, headers } = await look('/s/abc', { 'Sec-Fetch-Site': 'cross-site' });
    expect([status, body]).toEqual([200, SHARED]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    });
    expect((await look('/')).headers['x-robots-tag']).toBeUndefined();
  });

  it('may be reached by a link on another site, but under no other name', async () => {
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };
    expect((await look('/sessions/x', link)).status).toBe(200);
    expect((await look('/sessions/x', { Host: 'evil.example' })).status).toBe(403);
    expect((await look('/assets/app-1.js', { Host: 'evil.example' })).status).toBe(403);
  });

  it('says of every page and every file what it may do', async () => {
    for (const route of ['/', '/sessions/x', '/assets/app-1.js', '/theme.js', '/icon.svg', '/manifest.webmanifest']) {
      const { headers } = await look(route);
      expect([route, headers['content-security-policy']]).toEqual([route, POLICY]);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
        'x-frame-options': 'DENY',
      });
    }
  });

  it('gives every file its type', async () => {
    const types = {
      '/assets/app-1.js': 'text/javascript; charset=utf-8',
      '/assets/app-1.css': 'text/css; charset=utf-8',
      '/assets/geist-1.woff2': 'font/woff2',
      '/theme.js': 'text/javascript; charset=utf-8',
      '/icon.svg': 'image/svg+xml',
      '/icon-192.png': 'image/png',
      '/manifest.webmanifest': 'application/manifest+json',
    };
    for (const [route, type] of Object.entries(types))
      expect([route, (await look(route)).headers['content-type']]).toEqual([route, type]);
  });

  it('lets browsers keep what never changes, and ask about the rest', async () => {
    const asset = await look('/assets/app-1.js');
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const theme = await look('/theme.js');
    expect(theme.headers['cache-control']).toBe('no-cache');
    for (const [route, { headers }] of [
      ['/assets/app-1.js', asset],
      ['/theme.js', theme],
    ] as const) {
      const known = await look(route, { 'If-None-Match': `"other", ${headers.etag}` });
      expect([known.status, known.body, known.headers.etag]).toEqual([304, '', headers.etag]);
      expect((await look(route, { 'If-None-Match': '"other"' })).status).toBe(200);
    }
  });

  it('packs what is worth it, the way the browser takes it', async () => {
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const [accepts, expected] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
    ] as const) {
      const response = await fetchPacked('/assets/app-1.js', accepts);
      expect([accepts, response.encoding]).toEqual([accepts, expected]);
      expect(response.bytes.length).toBeLessThan(SCRIPT.length / 4);
      expect(unpack[expected](response.bytes).toString()).toBe(SCRIPT);
    }
    for (const route of ['/assets/geist-1.woff2', '/theme.js'])
      expect((await fetchPacked(route, 'gzip, br')).encoding).toBeUndefined();
    expect((await fetchPacked('/assets/app-1.js', 'identity')).bytes.toString()).toBe(SCRIPT);
  });

  it('answers HEAD like GET, without the body', async () => {
    const { status, headers, body } = await look('/assets/app-1.js', {}, 'HEAD');
    expect([status, headers['content-type'], body]).toEqual([200, 'text/javascript; charset=utf-8', '']);
    expect((await look('/', {}, 'HEAD')).status).toBe(200);
  });

  it('is not there for files it does not have, hidden ones, or anything outside its folder', async () => {
    const routes = ['/favicon.ico', '/assets/nothing.js', '/assets/', '/.sources', '/assets/link.txt', '/secret.txt'];
    const climbs = ['/assets/../../secret.txt', '/assets/..%2f..%2fsecret.txt', '/assets/%2e%2e/%2e%2e/secret.txt'];
    climbs.push('/..%5csecret.txt', '/assets/..%5c..%5csecret.txt', '//etc/passwd', '/assets//etc/passwd');
    climbs.push('/sessions/../../../etc/passwd', '/assets/%00', '/assets/app-1.js%00.css', '/%2e%2e/secret.txt');
    for (const route of [...routes, ...climbs]) {
      const answer = await look(route);
      expect([route, answer.body.includes('not for anybody') || answer.body.includes('root:')]).toEqual([route, false]);
      expect([route, answer.status === 200 && answer.body !== PAGE]).toEqual([route, false]);
      if (routes.includes(route)) expect([route, answer.status]).toEqual([route, 404]);
    }
  });

  it('takes nothing but GET, and leaves the API closed', async () => {
    for (const route of ['/', '/sessions/x', '/assets/app-1.js'])
      for (const method of ['POST', 'PUT', 'DELETE']) expect((await look(route, {}, method)).status).toBe(401);
    for (const route of ['/api/sessions', '/api/nothing', '/api', '/metrics'])
      expect([route, (await look(route)).status]).toEqual([route, 401]);
    const known = await parley.request('GET', '/api/nothing');
    expect([known.status, (known.body as { code: string }).code]).toEqual([404, 'route_not_found']);
    expect((await parley.request('POST', '/assets/x')).status).toBe(405);
  });

  it('is in the open in full: its routes are in no description for programs', async () => {
    const { paths } = await parley.ok<{ paths: Record<string, unknown> }>('GET', '/api/openapi.json');
    expect(Object.keys(paths).filter((route) => !/^\/(api\/|health$|metrics$)/.test(route))).toEqual([]);
  });
});

describe('a new build', () => {
  it('is served without a restart, and what the build before it had stays for open tabs', async () => {
    const next = path.join(place, 'next');
    build(next, { 'index.html': `${PAGE}<!-- second -->`, 'assets/app-2.js': 'second()' });
    utimesSync(path.join(next, 'index.html'), new Date(), new Date(Date.now() + 5000));
    renameSync(folder, path.join(place, 'old'));
    expect((await look('/')).body).toBe(PAGE);
    renameSync(next, folder);
    expect((await look('/')).body).toContain('second');
    expect((await look('/assets/app-2.js')).body).toBe('second()');
    expect((await look('/assets/app-1.js')).body).toBe(SCRIPT);
  });
});

describe('without a build', () => {
  let bare: Parley;
  beforeAll(async () => {
    bare = await Parley.start({ config: { agents: [] }, env: { PARLEY_WEB: path.join(place, 'nowhere') } });
  });
  afterAll(() => bare.close());

  it('a page says how to make one, under the same policy, asking nothing of anybody else', async () => {
    const { status, body, headers } = await look('/sessions/x', {}, 'GET', bare);
    expect([status, headers['content-security-policy'], headers['cache-control']]).toEqual([200, POLICY, 'no-store']);
    expect(body).toContain('npm run build');
    expect(body).not.toMatch(/\son\w+\s*=|javascript:|<style|<script>|https?:\/\//i);
    const files = Array.from(body.matchAll(/(?:src|href)="([^"]+)"/g), ([, file]) => file!);
    expect(files).toEqual(['/unbuilt.css', '/unbuilt.js']);
    for (const file of files) expect([file, (await look(file, {}, 'GET', bare)).status]).toEqual([file, 200]);
  });

  it('a sign-in link leads there and still works', async () => {
    const { url } = await bare.ok<SignInLink>('POST', '/api/sign-in-links');
    expect(new URL(url).pathname).toBe('/');
    const { body } = await look('/unbuilt.js', {}, 'GET', bare);
    expect(body).toContain("fetch('/api/sign-ins'");
  });

  it('the files of that page are gone once there is one', async () => {
    expect((await look('/unbuilt.js')).status).toBe(404);
  });
});

async function fetchPacked(route: string, accepts: string) {
  const { request } = await import('node:http');
  const { port, host } = new URL(parley.url);
  const { promise, resolve, reject } = Promise.withResolvers<{ encoding: string | undefined; bytes: Buffer }>();
  const headers = { Host: host, 'Accept-Encoding': accepts };
  const sent = request({ host: '127.0.0.1', port, path: route, headers, agent: false }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(chunks) }));
  });
  sent.on('error', reject).end();
  return promise;
}
