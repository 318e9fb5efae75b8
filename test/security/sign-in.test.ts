import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SignInLink } from '../../contract/access.ts';
import { Credentials } from '../../server/http/credentials.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import { Parley } from '../harness/parley.ts';

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

async function signIn(code: string) {
  const headers = { 'Content-Type': 'application/json' };
  return fetch(`${parley.url}/api/sign-ins`, { method: 'POST', headers, body: JSON.stringify({ code }) });
}

describe('signing in', () => {
  it('a code is in the fragment, works once, and gives a cookie that scripts and other sites cannot use', async () => {
    const { url } = await parley.ok<SignInLink>('POST', '/api/sign-in-links');
    expect(new URL(url).search).toBe('');
    const code = await newCode();
    expect(Buffer.from(code, 'base64url').length).toBeGreaterThanOrEqual(16);
    const first = await signIn(code);
    expect(first.status).toBe(204);
    const cookie = first.headers.get('set-cookie')!;
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    expect(cookie).toContain('Path=/');
    const again = await signIn(code);
    expect(again.status).toBe(401);
    expect(again.headers.get('set-cookie')).toBeNull();
    const pair = cookie.split(';')[0]!;
    const known = await fetch(`${parley.url}/api/sessions`, { headers: { Cookie: pair } });
    expect(known.status).toBe(200);
    const out = await fetch(`${parley.url}/api/sign-ins/current`, { method: 'DELETE', headers: { Cookie: pair } });
    expect(out.status).toBe(204);
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
    const gone = await fetch(`${parley.url}/api/sessions`, { headers: { Cookie: pair } });
    expect(gone.status).toBe(401);
  });

  it('a wrong bearer is not rescued by a good cookie', async () => {
    const cookie = (await signIn(await newCode())).headers.get('set-cookie')!.split(';')[0]!;
    const headers = { Cookie: cookie, Authorization: 'Bearer wrong' };
    expect((await fetch(`${parley.url}/api/sessions`, { headers })).status).toBe(401);
  });

  it('many at once with one code: one gets in', async () => {
    const code = await newCode();
    const answers = await Promise.all(Array.from({ length: 20 }, () => signIn(code)));
    expect(answers.filter((answer) => answer.status === 204).length).toBe(1);
  });

  it('a code expires after ten minutes, a cookie after ninety days', async () => {
    const store = await openSqlite(path.join(mkdtempSync(path.join(tmpdir(), 'parley-')), 'x.db'), {
      synchronous: 'normal',
    });
    const credentials = new Credentials('t'.repeat(40), store.db);
    vi.useFakeTimers({ toFake: ['Date'] });
    const late = credentials.createCode().code;
    const intime = credentials.createCode().code;
    vi.advanceTimersByTime(9 * 60_000);
    const cookie = (await credentials.signIn(intime)).split(';')[0]!;
    vi.advanceTimersByTime(2 * 60_000);
    await expect(credentials.signIn(late)).rejects.toMatchObject({ code: 'sign_in_code_invalid' });
    expect(await credentials.authenticate(undefined, cookie)).toBe('owner');
    vi.advanceTimersByTime(91 * 24 * 3600_000);
    await expect(credentials.authenticate(undefined, cookie)).rejects.toMatchObject({ code: 'unauthorized' });
    store.close();
  });

  it('what is stored of a cookie cannot be used as one', async () => {
    const cookie = (await signIn(await newCode())).headers.get('set-cookie')!.split(';')[0]!.split('=')[1]!;
    const { DatabaseSync } = await import('node:sqlite');
    const db = new DatabaseSync(path.join(parley.home, 'parley.db'), { readOnly: true });
    const stored = db
      .prepare('SELECT token_hash FROM sign_ins')
      .all()
      .map((row) => String(row.token_hash));
    db.close();
    expect(stored.length).toBeGreaterThan(0);
    expect(stored).not.toContain(cookie);
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
