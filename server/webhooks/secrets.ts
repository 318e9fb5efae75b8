import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What Standard Webhooks writes before the key of a secret. */
const PREFIX = 'whsec_';
const KEY_BYTES = 32;
/** For so long a secret that was replaced still counts. */
const OVERLAP_MS = 24 * 3600_000;

export interface KeptSecret {
  secret: string;
  previous_secret: string | null;
  previous_until: number | null;
}

export function newSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64');
}

export function renewed({ secret }: KeptSecret, now: number): KeptSecret {
  return { secret: newSecret(), previous_secret: secret, previous_until: now + OVERLAP_MS };
}

/** The newest first. */
export function secretsInForce({ secret, previous_secret, previous_until }: KeptSecret, now: number): string[] {
  return previous_secret !== null && (previous_until ?? 0) > now ? [secret, previous_secret] : [secret];
}

export interface SignedRequest {
  readonly id: string;
  /** In seconds. */
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/** As Standard Webhooks says: `v1,` and the HMAC-SHA256 of id, timestamp and body, once for each secret. */
export function signatureOf(secrets: readonly string[], request: SignedRequest): string {
  return secrets.map((secret) => `v1,${standardMac(secret, request).toString('base64')}`).join(' ');
}

/** So many signatures of one request are looked at. */
const MOST_SIGNATURES = 8;

/** Whether one of the signatures in a `webhook-signature` header was made with one of the secrets. */
export function isStandardSigned(secrets: readonly string[], request: SignedRequest, header: string): boolean {
  const given = header
    .split(' ', MOST_SIGNATURES)
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice('v1,'.length), 'base64'));
  return matches(
    secrets.map((secret) => standardMac(secret, request)),
    given,
  );
}

/** Whether an `X-Hub-Signature-256` header was made of the body with one of the secrets. */
export function isGithubSigned(secrets: readonly string[], body: Uint8Array, header: string): boolean {
  const given = /^sha256=([0-9a-f]{64})$/i.exec(header)?.[1];
  const macs = secrets.map((secret) => createHmac('sha256', secret).update(body).digest());
  return matches(macs, given === undefined ? [] : [Buffer.from(given, 'hex')]);
}

/** Every pair is compared, each in constant time: how long it takes says nothing about a secret. */
function matches(expected: readonly Buffer[], given: readonly Buffer[]): boolean {
  let found = false;
  for (const mac of expected)
    for (const one of given) if (one.length === mac.length && timingSafeEqual(one, mac)) found = true;
  return found;
}

function standardMac(secret: string, { id, timestamp, body }: SignedRequest): Buffer {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}
