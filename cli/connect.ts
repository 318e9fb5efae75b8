import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ParleyClient } from '../client/parley-client.ts';
import type { RunningServer } from '../server/main.ts';
import { assertParley, findServer, reachServer } from './discovery.ts';
import { CommandFailure } from './failure.ts';
import { resolveHome } from './home.ts';
import { localFetch } from './local-fetch.ts';
import { note } from './output.ts';
import { safeLine } from './terminal-text.ts';

export interface Connection {
  client: ParleyClient;
  home: string;
  /** True when no server runs and this command does the work itself. */
  inProcess: boolean;
  /** Resolves when nothing runs in this process any more. Only without a server. */
  workDone?: () => Promise<void>;
  /** What waits for the person in a session goes on in this process. Only without a server. */
  resume?: (sessionId: string) => Promise<void>;
}

export interface HomeOption {
  home?: string | undefined;
}

export interface Purpose {
  /** Whether a data folder is created where there is none. A command that only reads finds nothing in a new one. */
  creates: boolean;
  /** For how long a server that this command has to start is there, in words; other commands find it meanwhile. */
  serves?: string;
}

export const CREATES_FOLDER: Purpose = { creates: true };

const PATIENCE_MS = 5000;
const LOOK_AGAIN_MS = 150;

/** Does some work with a client: of the server that runs, or of one that lives as long as the work. */
export async function withClient<T>(
  homeOption: HomeOption,
  work: (connection: Connection) => Promise<T>,
  { creates, serves }: Purpose = { creates: false },
): Promise<T> {
  const home = resolveHome(homeOption.home);
  const client = (await clientOfTurn(home)) ?? (await remoteClient()) ?? (await findServer(home));
  if (client) return work({ client, home, inProcess: false });
  if (!creates) assertFolder(home);
  const opened = await openHere(home, serves !== undefined);
  if (opened instanceof ParleyClient) return work({ client: opened, home, inProcess: false });
  if (serves !== undefined)
    note(`No server was running. This one serves ${safeLine(home)} at ${opened.url} ${serves}.`);
  return workHere(opened, home, work);
}

/** Leaves only when everything that was started here is over: it would be killed with this process. */
async function workHere<T>(
  server: RunningServer,
  home: string,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { waitForWork } = await import('./unfinished-work.ts');
  const client = new ParleyClient({ baseUrl: server.url, token: server.token, fetch: localFetch });
  const workDone = () => waitForWork(server, client);
  try {
    const resume = (sessionId: string) => server.resumeSession(sessionId);
    return await work({ client, home, inProcess: true, workDone, resume });
  } finally {
    await workDone();
    await server.stop();
  }
}

/** A mistyped path must not become a data folder. */
function assertFolder(home: string): void {
  const found = statSync(home, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  throw new CommandFailure(
    found
      ? `${home} is a file, not a folder. Choose a folder with --home.`
      : `No data folder at ${home}. Check --home and PARLEY_HOME, or create one with \`parley serve\`.`,
  );
}

/**
 * A command that an agent's turn has started uses the token of that turn and nothing else: it may do what the agent may,
 * and cannot approve its own requests with the person's credential.
 */
async function clientOfTurn(home: string): Promise<ParleyClient | null> {
  const { PARLEY_TURN_TOKEN: token, PARLEY_URL: baseUrl } = process.env;
  if (!token) return null;
  // The server that started the script gave it its own address; an address from the data folder has to be proved.
  if (baseUrl) await assertParley(baseUrl);
  const url = baseUrl || (await findServer(home))?.baseUrl;
  if (url) return new ParleyClient({ baseUrl: url, token, fetch: localFetch });
  throw new CommandFailure('PARLEY_TURN_TOKEN is set, but no server is running. Set PARLEY_URL to its address.');
}

/** A server elsewhere, by its address. */
async function remoteClient(): Promise<ParleyClient | null> {
  const { PARLEY_URL: baseUrl, PARLEY_TOKEN: token } = process.env;
  return baseUrl ? reachServer(baseUrl, token) : null;
}

/** Another command may hold the folder for the moment, or a server may be starting on it: both are worth a wait. */
async function openHere(home: string, announce: boolean): Promise<RunningServer | ParleyClient> {
  const { startServer } = await import('../server/main.ts');
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(LOOK_AGAIN_MS)) {
    try {
      // What waits in other sessions stays waiting: this command will not be there to see it answered.
      return await startServer({
        home,
        port: 0,
        announce,
        resumeQueued: false,
        waitingForMcp,
        tell,
        ...quiet(),
      });
    } catch (error) {
      if (!isFolderInUse(error)) throw error;
      const server = await findServer(home);
      if (server) return server;
      if (Date.now() > deadline) throw stillInUse(home);
    }
  }
}

function waitingForMcp(names: readonly string[]): void {
  const servers = names.map(safeLine).join(', ');
  if (servers !== '')
    note(`Waiting up to 2 seconds for the MCP ${names.length === 1 ? 'server' : 'servers'} ${servers} to start…`);
}

function tell(words: string): void {
  note(safeLine(words));
}

/** The log of a server inside this command is silent, unless the environment sets a level. */
function quiet(): { logLevel?: 'silent' } {
  return process.env.PARLEY_LOG_LEVEL ? {} : { logLevel: 'silent' };
}

function isFolderInUse(error: unknown): boolean {
  return error instanceof Error && error.name === 'FolderInUseError';
}

function stillInUse(home: string): CommandFailure {
  return new CommandFailure(
    `Another Parley command or server is using ${home} and can't be shared. Wait until the command finishes, or restart ` +
      'the server. Commands can share a server that was started with `parley serve`.',
  );
}
