import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConnectionError } from '../client/connection-error.ts';
import { ParleyClient } from '../client/parley-client.ts';
import { serverProof } from '../contract/server-proof.ts';
import { CommandFailure } from './failure.ts';
import { serverFile, tokenFile } from './home.ts';

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
  if (proves) return new ParleyClient({ baseUrl: announced.url, token });
  if (proves === null || !isRunning(announced.pid)) return null;
  throw new CommandFailure(unproved(announced.url, `If no server runs there, delete ${serverFile(home)}.`));
}

/** A client of the server at an address that the person gave, which must prove that it knows the token. */
export async function reachServer(url: string, token: string | undefined): Promise<ParleyClient> {
  if (token !== undefined && !(await isProved(url, token)))
    throw new CommandFailure(unproved(url, 'Check PARLEY_URL.'));
  return new ParleyClient({ baseUrl: url, token });
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
  const nonce = randomBytes(32).toString('base64url');
  try {
    const { proof } = await new ParleyClient({ baseUrl: url }).proveServer(nonce, AbortSignal.timeout(ANSWER_MS));
    return isEqual(proof, serverProof(token, new URL(url).host, nonce));
  } catch (error) {
    if (error instanceof ConnectionError) throw error;
    if (error instanceof Error && error.name === 'TimeoutError') throw new ConnectionError(url, error);
    return false;
  }
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
