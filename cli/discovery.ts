import { readFileSync } from 'node:fs';
import { ParleyClient } from '../client/parley-client.ts';
import { serverFile, tokenFile } from './home.ts';

const HEALTH_MS = 2000;

/** What a running server says about itself in the data folder. */
export interface Announcement {
  url: string;
  instance: string;
  pid: number;
}

/**
 * A client of the server that runs on this data folder, or null. The token goes only to a server that knows the
 * instance written there: the port may belong to somebody else by now.
 */
export async function findServer(home: string, env: NodeJS.ProcessEnv = process.env): Promise<ParleyClient | null> {
  const announced = readAnnouncement(home);
  if (!announced || !(await isAlive(announced))) return null;
  return new ParleyClient({ baseUrl: announced.url, token: readToken(home, env) });
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

async function isAlive({ url, instance }: Announcement): Promise<boolean> {
  try {
    const health = await new ParleyClient({ baseUrl: url }).health(AbortSignal.timeout(HEALTH_MS));
    return health.name === 'parley' && health.instance === instance;
  } catch {
    return false;
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
