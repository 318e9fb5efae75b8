import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookSignature } from '../../contract/webhooks.ts';
import { isGithubSigned, isStandardSigned } from './secrets.ts';

/** A request that is older or newer than this is refused: so long a copy of it could be sent again. */
const TOLERANCE_SECONDS = 300;
const MOST_ID = 256;
const MOST_HEADER = 2000;

/** What a request says of itself, before it is known whether it may. */
export interface Claim {
  readonly signature: WebhookSignature;
  /** With this id a request counts once. */
  readonly callerId: string;
  readonly timestamp: string;
  readonly signed: string;
}

export type Refusal = 'headers' | 'timestamp' | 'signature' | 'kind';

/** The headers of one of the two ways to sign; a refusal where they are incomplete or the time is another. */
export function readClaim(headers: IncomingHttpHeaders, now: number): Claim | Refusal {
  const [id, timestamp, signed] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    textOf(headers[name]),
  );
  if (id && timestamp && signed) {
    if (id.length > MOST_ID || !/^\d{1,12}$/.test(timestamp)) return 'headers';
    if (Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return 'timestamp';
    return { signature: 'standard', callerId: id, timestamp, signed };
  }
  const hub = textOf(headers['x-hub-signature-256']);
  // GitHub signs neither an id nor a time: the signature itself tells one request from another.
  if (hub) return { signature: 'github', callerId: hub.toLowerCase(), timestamp: '', signed: hub };
  return 'headers';
}

export function isSigned(secrets: readonly string[], claim: Claim, body: Uint8Array): boolean {
  const { signature, callerId: id, timestamp, signed } = claim;
  if (signature === 'github') return isGithubSigned(secrets, body, signed);
  return isStandardSigned(secrets, { id, timestamp, body }, signed);
}

function textOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && header.length <= MOST_HEADER ? header : '';
}
