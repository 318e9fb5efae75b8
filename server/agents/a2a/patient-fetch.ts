import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs, retryAfterMs } from '../../models/guard.ts';
import { discardBody } from '../../tools/guarded-fetch-body.ts';
import { FetchFailure } from '../../tools/guarded-fetch-failure.ts';

/** Told before a peer that takes no requests is waited for. */
export type AnnounceWait = (code: 'agent_busy' | 'agent_unreachable', waitMs: number) => void;

/** How a peer that takes no requests is waited for. */
export interface Patience {
  /** How often a request is sent altogether. */
  readonly attempts: number;
  /** The longest wait that the peer can ask for. */
  readonly mostMs: number;
  announce: AnnounceWait;
}

/** A peer, or a proxy in front of it, takes no requests at the moment. */
export class PeerAway extends Error {
  readonly status: number;
  /** How long it asks to wait; undefined when it does not say. */
  readonly askedMs: number | undefined;

  constructor(status: number, askedMs: number | undefined) {
    super(askedMs === undefined ? `HTTP ${status}` : `HTTP ${status}, try again in ${Math.ceil(askedMs / 1000)} s`);
    this.name = 'PeerAway';
    this.status = status;
    this.askedMs = askedMs;
  }

  get code(): 'agent_busy' | 'agent_unreachable' {
    return this.status === TOO_MANY || this.status === UNAVAILABLE ? 'agent_busy' : 'agent_unreachable';
  }
}

const TOO_MANY = 429;
const UNAVAILABLE = 503;
const AWAY: ReadonlySet<number> = new Set([TOO_MANY, 502, UNAVAILABLE, 504]);

const BACKOFF_MS = 500;

/**
 * Sends a request again that the peer has refused unread, after the wait it asks for. Throws `PeerAway` when that does not
 * help, or when the peer may have taken the request.
 */
export function patientFetch(send: typeof fetch, { attempts, mostMs, announce }: Patience): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    for (let attempt = 1; ; attempt++) {
      const response = await send(request.clone());
      if (!AWAY.has(response.status)) return response;
      await discardBody(response);
      const askedMs = retryAfterMs(Object.fromEntries(response.headers), Date.now());
      const away = new PeerAway(response.status, askedMs);
      const waitMs = Math.max(askedMs ?? 0, backoffMs(attempt, BACKOFF_MS, Math.random()));
      if (!isUnread(request, away) || attempt >= attempts || waitMs > mostMs) throw away;
      announce(away.code, waitMs);
      await pause(waitMs, undefined, { signal: request.signal });
    }
  };
}

/** What a proxy says of its own accord leaves open whether the peer has taken a message. */
function isUnread({ method }: Request, { status, askedMs }: PeerAway): boolean {
  return method === 'GET' || status === TOO_MANY || (status === UNAVAILABLE && askedMs !== undefined);
}

/** The peer did not answer, took no requests, or was cut off in its answer, of which Node says so with a `TypeError`. */
export function isAway(error: unknown): boolean {
  if (error instanceof FetchFailure) return error.code === 'unreachable' || error.code === 'timed_out';
  return error instanceof PeerAway || (error instanceof TypeError && error.cause !== undefined);
}
