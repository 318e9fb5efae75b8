import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../contract/errors.ts';
import { PAGE_KEY_HEADER } from '../../contract/page-key.ts';
import { serverProof } from '../../contract/server-proof.ts';
import { say } from '../../contract/texts.ts';
import { SignIns, type SignInsOptions } from './sign-ins.ts';

/** The one account there is until there are several. */
export const LOCAL_OWNER = 'owner';

export interface Identity {
  owner: string;
  /** The browser's sign-in; null when the request showed the token. */
  signInId: string | null;
}

/** Who may speak to the server: programs with the token in the data folder, and browsers that are signed in. */
export class Credentials {
  readonly #token: string;
  readonly #tokenHash: Buffer;
  readonly signIns: SignIns;

  constructor(options: SignInsOptions) {
    this.#token = options.token;
    this.#tokenHash = digest(options.token);
    this.signIns = new SignIns(options);
  }

  async authenticate(headers: IncomingHttpHeaders): Promise<Identity> {
    const identity = await this.recognise(headers);
    if (identity) return identity;
    throw new AppError('unauthorized', say('unauthorized'));
  }

  /** Undefined where `authenticate` throws. */
  async recognise(headers: IncomingHttpHeaders): Promise<Identity | undefined> {
    const bearer = bearerIn(headers);
    if (bearer !== undefined) return this.#isToken(bearer) ? { owner: LOCAL_OWNER, signInId: null } : undefined;
    if (!isFromOwnPage(headers)) return undefined;
    const key = headers[PAGE_KEY_HEADER.toLowerCase()]?.toString();
    const signIn = await this.signIns.find(headers.cookie, key);
    return signIn && { owner: signIn.owner, signInId: signIn.id };
  }

  /** `authority` is the host and port that the client addressed, and that have been checked to be ours. */
  prove(authority: string, nonce: string): string {
    return serverProof(this.#token, authority, nonce);
  }

  #isToken(bearer: string): boolean {
    return timingSafeEqual(digest(bearer), this.#tokenHash);
  }
}

export function bearerIn({ authorization }: IncomingHttpHeaders): string | undefined {
  return /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]?.trim();
}

/** A foreign Origin or Sec-Fetch-Site has been refused before; here one of them must be present. */
function isFromOwnPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin !== undefined : site === 'same-origin';
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const WINDOW_MS = 60_000;
const MOST_ADDRESSES = 1000;

/** Slows down guessing. What is right is never counted and never refused. */
export class WrongAttempts {
  readonly #limit: () => number;
  readonly #failures = new Map<string, { count: number; until: number }>();

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Notes a failure and gives the error to answer with: the given one, or after too many that there were too many. */
  failed(address: string | undefined, error: AppError): AppError {
    const now = Date.now();
    const failures = this.#of(address ?? '', now);
    failures.count += 1;
    if (failures.count <= this.#limit()) return error;
    const retryAfterSeconds = Math.max(1, Math.ceil((failures.until - now) / 1000));
    return new AppError('too_many_attempts', say('too_many_attempts', { seconds: retryAfterSeconds }), {
      retryAfterSeconds,
    });
  }

  #of(address: string, now: number): { count: number; until: number } {
    const known = this.#failures.get(address);
    if (known && known.until > now) return known;
    if (this.#failures.size >= MOST_ADDRESSES) this.#failures.clear();
    const fresh = { count: 0, until: now + WINDOW_MS };
    this.#failures.set(address, fresh);
    return fresh;
  }
}
