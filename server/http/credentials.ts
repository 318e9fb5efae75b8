import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { Db } from '../storage/sqlite.ts';
import { deleteSignIn, findSignIn, insertSignIn } from './store.ts';

/** The one account there is until there are several. */
export const LOCAL_OWNER = 'owner';
export const COOKIE = 'parley';

const CODE_LIFETIME_MS = 10 * 60_000;
const COOKIE_LIFETIME_MS = 90 * 24 * 3600_000;

/** Who may speak to the server: the token in the data folder, or a cookie got with a one-time code. */
export class Credentials {
  readonly #tokenHash: Buffer;
  readonly #db: Db;
  readonly #codes = new Map<string, number>();

  constructor(token: string, db: Db) {
    this.#tokenHash = digest(token);
    this.#db = db;
  }

  /** The owner a request speaks for. */
  async authenticate(authorization: string | undefined, cookieHeader: string | undefined): Promise<string> {
    const owner = await this.#ownerOf(authorization, cookieHeader);
    if (owner === undefined) throw unauthorized();
    return owner;
  }

  /** Whether a request speaks for anybody, where nobody has to be. */
  async recognises(authorization: string | undefined, cookieHeader: string | undefined): Promise<boolean> {
    return (await this.#ownerOf(authorization, cookieHeader)) !== undefined;
  }

  /** Good for one sign-in within ten minutes. */
  createCode(): { code: string; expiresAt: number } {
    const now = Date.now();
    for (const [hash, expires] of this.#codes) if (expires < now) this.#codes.delete(hash);
    const code = randomBytes(24).toString('base64url');
    this.#codes.set(hashOf(code), now + CODE_LIFETIME_MS);
    return { code, expiresAt: now + CODE_LIFETIME_MS };
  }

  async signIn(code: string): Promise<string> {
    const hash = hashOf(code);
    const expires = this.#codes.get(hash);
    this.#codes.delete(hash);
    if (expires === undefined || expires < Date.now()) {
      throw new AppError(
        'sign_in_code_invalid',
        'This sign-in link was used or has expired. `parley open` makes a new one.',
      );
    }
    const cookie = randomBytes(32).toString('base64url');
    const now = Date.now();
    await insertSignIn(this.#db, {
      token_hash: hashOf(cookie),
      owner: LOCAL_OWNER,
      created_at: now,
      expires_at: now + COOKIE_LIFETIME_MS,
    });
    return `${COOKIE}=${cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_LIFETIME_MS / 1000}`;
  }

  async signOut(cookieHeader: string | undefined): Promise<string> {
    const cookie = readCookie(cookieHeader);
    if (cookie) await deleteSignIn(this.#db, hashOf(cookie));
    return `${COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  async #ownerOf(authorization: string | undefined, cookieHeader: string | undefined): Promise<string | undefined> {
    const bearer = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
    if (bearer !== undefined) return timingSafeEqual(digest(bearer.trim()), this.#tokenHash) ? LOCAL_OWNER : undefined;
    const cookie = readCookie(cookieHeader);
    return cookie ? findSignIn(this.#db, hashOf(cookie), Date.now()) : undefined;
  }
}

function unauthorized(): AppError {
  return new AppError(
    'unauthorized',
    'Sign in, or send the token as Authorization: Bearer. The token is in the data folder.',
  );
}

function readCookie(header: string | undefined): string | undefined {
  const pair = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${COOKIE}=`));
  return pair?.slice(COOKIE.length + 1) || undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function hashOf(text: string): string {
  return digest(text).toString('base64');
}
