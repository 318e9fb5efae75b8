import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { SignedIn, SignInList } from '../../contract/access.ts';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import { say } from '../../contract/texts.ts';
import type { Db } from '../storage/tables.ts';
import { deleteSignIn, deleteSignInsOfOtherTokens, findSignIn, insertSignIn, selectSignIns } from './store.ts';

const CODE_LIFETIME_MS = 60_000;
const SIGN_IN_LIFETIME_MS = 90 * 24 * 3600_000;
/** Other ports of this host can set cookies of our name; more than this many are not looked at. */
const MOST_COOKIES = 20;

export interface SignInsOptions {
  token: string;
  db: Db;
  /** Part of the cookie's name: every port of a host gets the cookies of all others. */
  port(): number;
}

/**
 * Browsers that are signed in. Each has a cookie, which the browser also sends to other ports of this host, and a key,
 * which only pages of our own origin can read. Both are needed.
 */
export class SignIns {
  readonly #db: Db;
  readonly #port: () => number;
  readonly #tokenMark: string;
  readonly #codes = new Map<string, number>();
  readonly #open = new Map<string, Set<ServerResponse>>();

  constructor({ token, db, port }: SignInsOptions) {
    this.#db = db;
    this.#port = port;
    this.#tokenMark = createHmac('sha256', token).update('parley sign-ins').digest('base64');
  }

  /** Good for one sign-in within a minute. */
  createCode(): { code: string; expiresAt: number } {
    const now = Date.now();
    for (const [hash, expires] of this.#codes) if (expires < now) this.#codes.delete(hash);
    const code = randomSecret();
    this.#codes.set(hashOf(code), now + CODE_LIFETIME_MS);
    return { code, expiresAt: now + CODE_LIFETIME_MS };
  }

  async begin(owner: string, code: string, userAgent: string | undefined): Promise<SignedIn & { setCookie: string }> {
    this.#use(code);
    const cookie = randomSecret();
    const key = randomSecret();
    const now = Date.now();
    const row = {
      id: newId(now),
      owner,
      cookie_hash: hashOf(cookie),
      key_hash: hashOf(key),
      token_mark: this.#tokenMark,
      browser: browserName(userAgent),
      created_at: now,
      expires_at: now + SIGN_IN_LIFETIME_MS,
    };
    await insertSignIn(this.#db, row);
    const setCookie = this.#cookie(cookie, SIGN_IN_LIFETIME_MS / 1000);
    return { id: row.id, key, expiresAt: new Date(row.expires_at).toISOString(), setCookie };
  }

  async find(cookieHeader: string | undefined, key: string | undefined) {
    const cookieHashes = this.#cookiesIn(cookieHeader).map(hashOf);
    if (key === undefined || cookieHashes.length === 0) return undefined;
    const proof = { cookieHashes, keyHash: hashOf(key), tokenMark: this.#tokenMark, now: Date.now() };
    return findSignIn(this.#db, proof);
  }

  async list(owner: string, currentId: string | null): Promise<SignInList> {
    const rows = await selectSignIns(this.#db, owner, this.#tokenMark, Date.now());
    const signIns = rows.map(({ id, browser, created_at, expires_at }) => ({
      id,
      browser,
      createdAt: new Date(created_at).toISOString(),
      expiresAt: new Date(expires_at).toISOString(),
      isCurrent: id === currentId,
      isActive: this.#open.has(id),
    }));
    return { signIns };
  }

  /** Its open answers, event streams among them, end at once; `last` is the answer that says so. */
  async end(owner: string, id: string, last: ServerResponse): Promise<void> {
    if (!(await deleteSignIn(this.#db, owner, id)))
      throw new AppError('sign_in_not_found', say('sign_in_not_found', { id }));
    for (const response of this.#open.get(id) ?? []) if (response !== last) response.destroy();
  }

  endThoseOfOtherTokens(): Promise<void> {
    return deleteSignInsOfOtherTokens(this.#db, this.#tokenMark);
  }

  /** Remembers an answer for as long as it is open. */
  track(id: string, response: ServerResponse): void {
    const open = this.#open.get(id) ?? new Set();
    this.#open.set(id, open.add(response));
    response.once('close', () => {
      open.delete(response);
      if (open.size === 0) this.#open.delete(id);
    });
  }

  get forgetCookie(): string {
    return this.#cookie('', 0);
  }

  #use(code: string): void {
    const hash = hashOf(code);
    const expires = this.#codes.get(hash);
    this.#codes.delete(hash);
    if (expires !== undefined && expires >= Date.now()) return;
    throw new AppError('sign_in_code_invalid', say('sign_in_code_invalid'));
  }

  #cookie(value: string, maxAge: number): string {
    return `${this.#cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}`;
  }

  #cookiesIn(header: string | undefined): string[] {
    const begin = `${this.#cookieName}=`;
    const pairs = header?.split(';').map((part) => part.trim()) ?? [];
    const values = pairs.filter((pair) => pair.startsWith(begin)).map((pair) => pair.slice(begin.length));
    return values.filter((value) => value !== '').slice(0, MOST_COOKIES);
  }

  get #cookieName(): string {
    return `parley-${this.#port()}`;
  }
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** In the order in which they must be looked for: most browsers also name others. */
const BROWSERS: readonly [string, RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
];
const SYSTEMS: readonly [string, RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/** What a person calls a browser, from what it says about itself. */
function browserName(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, 500);
  const browser = BROWSERS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'Unknown browser';
  const system = SYSTEMS.find(([, pattern]) => pattern.test(text))?.[0];
  return system ? `${browser} on ${system}` : browser;
}
