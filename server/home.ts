import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../contract/errors.ts';

/** Where the database, the credential and the address of the running server are, inside the data folder. */
export function homePaths(home: string) {
  return {
    database: path.join(home, 'parley.db'),
    token: path.join(home, 'token'),
    server: path.join(home, 'server.json'),
    processes: path.join(home, 'processes'),
    programs: path.join(home, 'bin'),
    files: path.join(home, 'files'),
    pushKeys: path.join(home, 'push-keys.json'),
  };
}

/** Where the built web app is: beside the sources and beside the bundle alike, unless the environment says otherwise. */
export function webFolder(env: { PARLEY_WEB?: string | undefined }): string {
  return env.PARLEY_WEB ? path.resolve(env.PARLEY_WEB) : fileURLToPath(new URL('../dist-web', import.meta.url));
}

/** The credential: fixed by the environment, or made once and kept where only its owner can read it. */
export async function readToken(home: string, fixed: string | undefined): Promise<string> {
  if (fixed) return assertStrong(fixed);
  const file = homePaths(home).token;
  const known = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (known.length >= 32) {
    await chmod(file, 0o600);
    return known;
  }
  const token = randomBytes(32).toString('base64url');
  await writePrivately(file, `${token}\n`);
  return token;
}

const LEAST_CHARACTERS = 24;
const LEAST_BITS = 48;

/** The token is full authority over the data folder, and programs of other users can try to guess it. */
function assertStrong(token: string): string {
  if (token.length >= LEAST_CHARACTERS && guessBits(token) >= LEAST_BITS) return token;
  throw new AppError(
    'invalid_request',
    `PARLEY_TOKEN is too easy to guess. Use at least ${LEAST_CHARACTERS} random characters, for example from ` +
      '`openssl rand -hex 32`, or leave it out to let Parley create a token in the data folder.',
  );
}

/**
 * About how many bits there are to guess. A character counts only when it neither repeats or counts on from the one before
 * it, as in `aaaa` and `1234`, nor follows it as it did before, as in `passwordpassword`.
 */
function guessBits(token: string): number {
  const pairs = new Set<string>();
  let surprising = 1;
  for (let at = 1; at < token.length; at++) {
    const pair = token.slice(at - 1, at + 1);
    const step = Math.abs(pair.charCodeAt(1) - pair.charCodeAt(0));
    if (step > 1 && !pairs.has(pair)) surprising += 1;
    pairs.add(pair);
  }
  return surprising * Math.log2(new Set(token).size);
}

export interface ServerFile {
  url: string;
  pid: number;
  instance: string;
  startedAt: string;
}

/** Tells programs of the same user where the server is. */
export async function announceServer(home: string, server: ServerFile): Promise<void> {
  await writePrivately(homePaths(home).server, `${JSON.stringify(server)}\n`);
}

export async function withdrawServer(home: string, instance: string): Promise<void> {
  const file = homePaths(home).server;
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.includes(instance)) await rm(file, { force: true });
}

export async function writePrivately(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await rename(draft, file);
}

export async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** So that scripts of an agent find `parley`, wherever it was installed: a folder for their PATH. */
export async function writeProgram(home: string, program: string): Promise<string> {
  const folder = homePaths(home).programs;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const script = `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(program)} "$@"\n`;
  await writeFile(path.join(folder, 'parley'), script, { mode: 0o700 });
  return folder;
}
