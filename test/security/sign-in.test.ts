import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SignInLink, SignInList } from '../../contract/access.ts';
import { PAGE_KEY_HEADER } from '../../contract/page-key.ts';
import { serverProof } from '../../contract/server-proof.ts';
import { Credentials } from '../../server/http/credentials.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { Parley } from '../harness/parley.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { exchange, signInBrowser } from '../harness/signed-in-browser.ts';

let parley: Parley;
beforeAll(async () => {
  parley = await Parley.start({ config: { agents: [] } });
});
afterAll(() => parley.close());
afterEach(() => void vi.useRealTimers());

async function newCode(): Promise<string> {
  const { url } = await parley.ok<SignInLink>('POST', '/api/sign-in-links');
  return new URL(url).hash.replace('#code=', '');
}

const status = async (headers: Record<string, string>, method = 'GET', route = '/api/sessions') =>
  (await rawRequest(parley, method, route, { Host: new URL(parley.url).host, ...headers })).status;

describe('signing in', () => {
  it('a code is in the fragment, works once, and gives a cookie that scripts and other sites cannot use', async () => {
    const { url } = await parley.ok<SignInLink>('POST', '/api/sign-in-links');
    expect(new URL(url).search).toBe('');
    const code = await newCode();
    expect(Buffer.from(code, 'base64url').length).toBeGreaterThanOrEqual(16);
    const first = await exchange(parley, code);
    expect(first.status).toBe(201);
    const cookie = first.headers.get('set-cookie')!;
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    expect(cookie).toContain('Path=/');
    const again = await exchange(parley, code);
    expect(again.status).toBe(401);
    expect(again.headers.get('set-cookie')).toBeNull();
    const browser = await signInBrowser(parley);
    expect(await status(browser.headers)).toBe(200);
    const out = await rawRequest(parley, 'DELETE', '/api/sign-in', {
      Host: new URL(parley.url).host,
      ...browser.headers,
    });
    expect(out.status).toBe(204);
    expect(String(out.headers['set-cookie'])).toContain('Max-Age=0');
    expect(await status(browser.headers)).toBe(401);
  });

  it('a cookie that was seen by another port opens nothing, whatever headers are sent with it', async () => {
    const { cookie, key, headers } = await signInBrowser(parley);
    const other = await signInBrowser(parley);
    const own = { Origin: parley.url };
    expect(await status({ Cookie: cookie })).toBe(401);
    expect(await status({ Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' })).toBe(401);
    expect(await status({ Cookie: cookie, ...own })).toBe(401);
    expect(await status({ Cookie: cookie, [PAGE_KEY_HEADER]: key })).toBe(401);
    expect(await status({ Cookie: cookie, [PAGE_KEY_HEADER]: other.key, ...own })).toBe(401);
    expect(await status({ [PAGE_KEY_HEADER]: key, ...own })).toBe(401);
    expect(await status({ Cookie: cookie }, 'POST', '/api/sign-in-links')).toBe(401);
    expect(await status(headers)).toBe(200);
    expect(await status({ Cookie: cookie, [PAGE_KEY_HEADER]: key, ...own })).toBe(200);
  });

  it('cookies that other ports set do not lock the app out', async () => {
    const { cookie, headers } = await signInBrowser(parley);
    const name = cookie.split('=')[0]!;
    expect(name).toContain(new URL(parley.url).port);
    expect(await status({ ...headers, Cookie: `parley=x; ${name}=x; ${cookie}; ${name}=y` })).toBe(200);
  });

  it('a wrong bearer is not rescued by a good cookie', async () => {
    const { headers } = await signInBrowser(parley);
    expect(await status({ ...headers, Authorization: 'Bearer wrong' })).toBe(401);
  });

  it('many at once with one code: one gets in', async () => {
    const code = await newCode();
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(parley, code)));
    expect(answers.filter((answer) => answer.status === 201).length).toBe(1);
  });

  it('a code expires after a minute, a sign-in after ninety days', async () => {
    const store = await openSqlite(path.join(mkdtempSync(path.join(tmpdir(), 'parley-')), 'x.db'), {
      synchronous: 'normal',
    });
    const credentials = new Credentials({ token: 't'.repeat(40), db: store.db, port: () => 1 });
    const { signIns } = credentials;
    vi.useFakeTimers({ toFake: ['Date'] });
    const late = signIns.createCode().code;
    const intime = signIns.createCode().code;
    vi.advanceTimersByTime(59_000);
    const { key, setCookie } = await signIns.begin('owner', intime, undefined);
    vi.advanceTimersByTime(2000);
    await expect(signIns.begin('owner', late, undefined)).rejects.toMatchObject({ code: 'sign_in_code_invalid' });
    const headers = {
      cookie: setCookie.split(';')[0]!,
      [PAGE_KEY_HEADER.toLowerCase()]: key,
      'sec-fetch-site': 'same-origin',
    };
    expect(await credentials.authenticate(headers)).toMatchObject({ owner: 'owner' });
    vi.advanceTimersByTime(91 * 24 * 3600_000);
    await expect(credentials.authenticate(headers)).rejects.toMatchObject({ code: 'unauthorized' });
    store.close();
  });

  it('what is stored of a sign-in cannot be used as one', async () => {
    const { cookie, key } = await signInBrowser(parley);
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(path.join(parley.home, 'parley.db'), { readOnly: true });
    const stored = JSON.stringify(db.prepare('SELECT * FROM sign_ins').all());
    db.close();
    expect(stored).toContain('cookie_hash');
    for (const secret of [cookie.split('=')[1]!, key, parley.token]) expect(stored).not.toContain(secret);
  });
});

describe('sign-ins', () => {
  const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const list = async (headers?: Record<string, string>) =>
    (await parley.ok<SignInList>('GET', '/api/sign-ins', undefined, headers)).signIns;

  it('are listed with their browser, and ending one closes what it has open at once', async () => {
    const browser = await signInBrowser(parley, FIREFOX);
    const stays = await signInBrowser(parley);
    const open = (headers: Record<string, string>) =>
      fetch(`${parley.url}/api/events`, { headers: { ...headers, Authorization: '' } });
    const [streams, kept] = [
      await Promise.all([open(browser.headers), open(browser.headers)]),
      await open(stays.headers),
    ];
    expect(streams.map((stream) => stream.status)).toEqual([200, 200]);
    const own = { ...browser.headers, Authorization: '' };
    expect((await list(own)).find(({ id }) => id === browser.id)).toMatchObject({
      browser: 'Firefox on Linux',
      isCurrent: true,
      isActive: true,
    });
    // Settles when the stream ends or is cut off; one that goes on would never settle.
    const ends = streams.map((stream) => stream.text().catch(() => ''));
    await parley.ok('DELETE', `/api/sign-ins/${browser.id}`);
    await Promise.all(ends);
    expect(await status(browser.headers)).toBe(401);
    const left = await list();
    expect(left.map(({ id }) => id)).not.toContain(browser.id);
    expect(left.find(({ id }) => id === stays.id)).toMatchObject({ isActive: true, isCurrent: false });
    await kept.body!.cancel();
    expect((await parley.request('DELETE', `/api/sign-ins/${browser.id}`)).status).toBe(404);
  });

  it('end with the token that was in force when they began', async () => {
    const own = await Parley.start({ config: { agents: [] } });
    const browser = await signInBrowser(own);
    const ask = async () => (await fetch(`${own.url}/api/sessions`, { headers: browser.headers })).status;
    expect(await ask()).toBe(200);
    await own.restartThere();
    expect(await ask()).toBe(200);
    await own.stop();
    rmSync(path.join(own.home, 'token'));
    await own.restartThere();
    expect(await ask()).toBe(401);
    expect((await own.ok<SignInList>('GET', '/api/sign-ins')).signIns).toEqual([]);
    await own.close();
  });
});

describe('guessing', () => {
  it('is slowed down after a few wrong tokens or codes, while the right ones go on working', async () => {
    const own = await Parley.start({ config: { agents: [], limits: { wrongCredentialsPerMinute: 5 } } });
    const guess = () => own.request('GET', '/api/sessions', undefined, { Authorization: 'Bearer guessed' });
    const answers = [];
    for (let count = 0; count < 5; count++)
      answers.push((await (count % 2 ? guess() : exchange(own, 'guessed'))).status);
    expect(answers).toEqual([401, 401, 401, 401, 401]);
    const late = await guess();
    expect(late).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await exchange(own, 'guessed')).status).toBe(429);
    const turnToken = { Authorization: 'Bearer parley-turn-guessed' };
    expect((await own.request('GET', '/api/tools', undefined, turnToken)).status).toBe(429);
    expect((await own.request('GET', '/api/sessions')).status).toBe(200);
    await signInBrowser(own);
    expect((await fetch(`${own.url}/api/sessions`)).status).toBe(401);
    await own.close();
  });
});

describe('the server', () => {
  it('tells strangers nothing but that it is up', async () => {
    const health = await fetch(`${parley.url}/health`);
    expect(await health.json()).toEqual({ status: 'ok' });
  });

  it('proves that it knows the token, for the address it was asked at', async () => {
    const nonce = 'n'.repeat(43);
    const { proof } = (await (
      await fetch(`${parley.url}/api/server-proofs`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ nonce }),
      })
    ).json()) as { proof: string };
    const { host, port } = new URL(parley.url);
    expect(proof).toBe(serverProof(parley.token, host, nonce));
    expect(proof).not.toBe(serverProof(parley.token, `127.0.0.1:${Number(port) + 1}`, nonce));
  });

  it.each([
    'a',
    'changeme',
    'changeme'.repeat(5),
    '0'.repeat(64),
    'password'.repeat(4).concat('1234'),
    'abcdefghijklmnopqrstuvwxyz0123456789',
  ])('refuses the token %s', async (PARLEY_TOKEN) => {
    const starting = Parley.start({ config: { agents: [] }, env: { PARLEY_TOKEN } });
    await expect(starting).rejects.toThrow(/PARLEY_TOKEN is too easy to guess.*openssl rand -hex 32/s);
  });
});

describe('the data folder', () => {
  it('belongs to its owner alone', () => {
    const mode = (name: string) => (statSync(path.join(parley.home, name)).mode & 0o777).toString(8);
    expect(mode('.')).toBe('700');
    expect(['token', 'parley.db', 'parley.db-wal', 'parley.db-shm', 'server.json'].map(mode)).toEqual(
      Array(5).fill('600'),
    );
    expect(Buffer.from(parley.token, 'base64url').length).toBe(32);
  });
});

describe('a bind beyond this machine', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', 'example.org'])('%s is refused, and it is said what to do', async (host) => {
    const home = mkdtempSync(path.join(tmpdir(), 'parley-'));
    const program = path.resolve(import.meta.dirname, '../../bin/parley.mjs');
    const args = [program, 'serve', '--home', home, '--port', '0', '--host', host];
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, PARLEY_NO_OPEN: '1' } });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    const [code] = await once(child, 'exit');
    clearTimeout(timer);
    rmSync(home, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toMatch(/Refusing to listen on .*loopback only.*(tunnel|proxy)/s);
  });
});
