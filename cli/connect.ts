import { setTimeout as sleep } from 'node:timers/promises';
import { ParleyClient } from '../client/parley-client.ts';
import type { RunningServer } from '../server/main.ts';
import { findServer } from './discovery.ts';
import { CommandFailure } from './failure.ts';
import { resolveHome } from './home.ts';

export interface Connection {
  client: ParleyClient;
  home: string;
  /** True when no server runs and this command does the work itself. */
  inProcess: boolean;
}

export interface Place {
  home?: string | undefined;
}

const PATIENCE_MS = 5000;
const LOOK_AGAIN_MS = 150;

/** Does some work with a client: of the server that runs, or of one that lives as long as the work. */
export async function withClient<T>(place: Place, work: (connection: Connection) => Promise<T>): Promise<T> {
  const home = resolveHome(place.home);
  const client = (await clientOfTurn(home)) ?? remoteClient() ?? (await findServer(home));
  if (client) return work({ client, home, inProcess: false });
  const opened = await openHere(home);
  if (opened instanceof ParleyClient) return work({ client: opened, home, inProcess: false });
  try {
    const own = new ParleyClient({ baseUrl: opened.url, token: opened.token });
    return await work({ client: own, home, inProcess: true });
  } finally {
    await opened.stop();
  }
}

/**
 * What an agent's turn has started speaks with the token of that turn and with nothing else, whatever the command: it
 * may do what the agent may, and not approve its own wishes with the person's credential.
 */
async function clientOfTurn(home: string): Promise<ParleyClient | null> {
  const { PARLEY_TURN_TOKEN: token, PARLEY_URL: baseUrl } = process.env;
  if (!token) return null;
  const client = baseUrl ? new ParleyClient({ baseUrl, token }) : await findServer(home, { PARLEY_TOKEN: token });
  if (client) return client;
  throw new CommandFailure('PARLEY_TURN_TOKEN is set, but no server is running. Set PARLEY_URL to its address.');
}

/** A server elsewhere, by its address. */
function remoteClient(): ParleyClient | null {
  const { PARLEY_URL: baseUrl, PARLEY_TOKEN: token } = process.env;
  return baseUrl ? new ParleyClient({ baseUrl, token }) : null;
}

/** Another command may hold the folder for the moment, or a server may be starting on it: both are worth a wait. */
async function openHere(home: string): Promise<RunningServer | ParleyClient> {
  const { startServer } = await import('../server/main.ts');
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(LOOK_AGAIN_MS)) {
    try {
      // What waits in other sessions stays waiting: this command will not be there to see it answered.
      return await startServer({ home, port: 0, announce: false, resumeQueued: false, ...quiet() });
    } catch (error) {
      if (!isFolderInUse(error)) throw error;
      const server = await findServer(home);
      if (server) return server;
      if (Date.now() > deadline) throw stillInUse(home);
    }
  }
}

/** The log of a server nobody started is noise, unless somebody asked for it. */
function quiet(): { logLevel?: 'silent' } {
  return process.env.PARLEY_LOG_LEVEL ? {} : { logLevel: 'silent' };
}

function isFolderInUse(error: unknown): boolean {
  return error instanceof Error && error.name === 'FolderInUseError';
}

function stillInUse(home: string): CommandFailure {
  return new CommandFailure(
    `Another parley command is using ${home}. Wait until it is done, or start \`parley serve\` once and let all commands share it.`,
  );
}
