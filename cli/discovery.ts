import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConnectionError, ForeignServerError } from '../client/connection-error.ts';
import { ParleyClient } from '../client/parley-client.ts';
import type { ServerProof } from '../contract/access.ts';
import { AppError } from '../contract/errors.ts';
import { serverProof } from '../contract/server-proof.ts';
import { CommandFailure } from './failure.ts';
import { serverFile, tokenFile } from './home.ts';
import { localFetch } from './local-fetch.ts';

const ANSWER_MS = 2000;

/** What a running server says about itself in the data folder. */
export interface Announcement {
  url: string;
  instance: string;
  pid: number;
}

/**
 * A client of the server that runs on this data folder, or null. The token goes only to a server that proves that it
 * knows it: after a crash the port may belong to another program.
 */
export async function findServer(home: string, env: NodeJS.ProcessEnv = process.env): Promise<ParleyClient | null> {
  const announced = readAnnouncement(home);
  if (!announced) return null;
  const token = readToken(home, env);
  const proves = await isProved(announced.url, token).catch(() => null);
  if (proves) return new ParleyClient({ baseUrl: announced.url, token, fetch: localFetch });
  if (proves === null || !isRunning(announced.pid)) return null;
  throw new CommandFailure(unproved(announced.url, `If no server runs there, delete ${serverFile(home)}.`));
}

/**
 * A client of the server at an address that the person gave. It must be a Parley server and, where there is a token, prove
 * that it knows the token.
 */
export async function reachServer(url: string, token: string | undefined): Promise<ParleyClient> {
  const nonce = randomNonce();
  const proof = await assertParley(url, nonce);
  if (token !== undefined && !isEqual(proof, proofOf(url, token, nonce)))
    throw new CommandFailure(unproved(url, 'Check PARLEY_URL.'));
  return new ParleyClient({ baseUrl: url, token, fetch: localFetch });
}

/** Fails when there is no Parley server at an address that the environment gives. */
export async function assertParley(url: string, nonce = randomNonce()): Promise<string> {
  if (!URL.canParse(url)) throw new CommandFailure(`PARLEY_URL is not a URL: ${url}`);
  const proof = await askForProof(url, nonce).catch((error) => {
    throw isForeign(error) ? notParley(url) : error;
  });
  if (typeof proof !== 'string') throw notParley(url);
  return proof;
}

function unproved(url: string, advice: string): string {
  return (
    `The server at ${url} could not prove that it knows your token, so the token was not sent. ` +
    `If it was started with PARLEY_TOKEN, set the same value here. ${advice}`
  );
}

/** Throws when nothing answers there. */
async function isProved(url: string, token: string | undefined): Promise<boolean> {
  if (token === undefined || !URL.canParse(url)) return false;
  const nonce = randomNonce();
  try {
    return isEqual(await askForProof(url, nonce), proofOf(url, token, nonce));
  } catch (error) {
    if (error instanceof ConnectionError && !isForeign(error)) throw error;
    return false;
  }
}

function randomNonce(): string {
  return randomBytes(32).toString('base64url');
}

function proofOf(url: string, token: string, nonce: string): string {
  return serverProof(token, new URL(url).host, nonce);
}

/** Throws a `ConnectionError` when nothing answers there in time. */
async function askForProof(url: string, nonce: string): Promise<unknown> {
  try {
    const answer = await new ParleyClient({ baseUrl: url, fetch: localFetch }).call('proveServer', {
      signal: AbortSignal.timeout(ANSWER_MS),
      body: { nonce },
    });
    return (answer as ServerProof | null)?.proof;
  } catch (error) {
    throw error instanceof Error && error.name === 'TimeoutError' ? new ConnectionError(url, error) : error;
  }
}

/** Whether something other than Parley has answered: a Parley server gives its reasons in words of its own. */
function isForeign(error: unknown): boolean {
  return error instanceof ForeignServerError || (error instanceof AppError && error.text === undefined);
}

function notParley(url: string): CommandFailure {
  return new CommandFailure(`The program at ${url} is not a Parley server. Check PARLEY_URL.`);
}

function isEqual(given: unknown, wanted: string): boolean {
  if (typeof given !== 'string') return false;
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Another user's process counts as running, too. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function readAnnouncement(home: string): Announcement | null {
  const text = readIfThere(serverFile(home));
  if (text === undefined) return null;
  try {
    const { url, instance, pid } = JSON.parse(text);
    return typeof url === 'string' && typeof instance === 'string' ? { url, instance, pid } : null;
  } catch {
    return null;
  }
}

export function readToken(home: string, env: NodeJS.ProcessEnv): string | undefined {
  return env.PARLEY_TOKEN || readIfThere(tokenFile(home))?.trim();
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
