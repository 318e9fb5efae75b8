import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { type ServerType, serve } from '@hono/node-server';
import { type Logger, pino } from 'pino';
import { AppError } from '../contract/errors.ts';
import { newId } from '../contract/ids.ts';
import { firstStart, prepareHome } from './agents/definitions/first-start.ts';
import { AgentDirectory } from './agents/directory.ts';
import { Transcription } from './agents/transcription.ts';
import { Configuration } from './config.ts';
import { Delegation } from './delegation/delegation.ts';
import type { DelegationHouse } from './delegation/house.ts';
import { Bus } from './events/bus.ts';
import { EventLog } from './events/log.ts';
import { SharedFeed } from './events/shared-feed.ts';
import { Files } from './files/files.ts';
import { announceServer, homePaths, readToken, webFolder, withdrawServer } from './home.ts';
import { keepHouse } from './housekeeping.ts';
import { buildApp } from './http/app.ts';
import { Credentials } from './http/credentials.ts';
import { HostCheck } from './http/origin.ts';
import { Streams } from './http/streams.ts';
import { WebFiles } from './http/web/web-files.ts';
import type { World } from './http/world.ts';
import { Metrics } from './metrics.ts';
import { openTooling } from './open-tooling.ts';
import { MessageSearch } from './sessions/search.ts';
import { Sessions } from './sessions/sessions.ts';
import { SessionTemplates } from './sessions/templates.ts';
import { Histories } from './sessions/transcript.ts';
import { Shares } from './shares/shares.ts';
import { insertAudit } from './storage/audit.ts';
import { lockFolder } from './storage/folder-lock.ts';
import { openSqlite, type SqliteStore } from './storage/sqlite.ts';
import type { Tooling } from './tools/tooling.ts';
import { Actions } from './turns/actions.ts';
import { TurnEngine } from './turns/engine.ts';
import { withPrice } from './turns/prices.ts';
import { recover } from './turns/recover.ts';
import type { EndOfTurn } from './turns/settle.ts';

export interface ServerOptions {
  home: string;
  host?: string | undefined;
  port?: number | undefined;
  /** A fixed credential instead of the one in the data folder. */
  token?: string | undefined;
  logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent' | undefined;
  env?: NodeJS.ProcessEnv;
  /** Whether other programs of this user should find it. Default true. */
  announce?: boolean;
  /** Whether turns that waited when the last server stopped go on by themselves. Default true. */
  resumeQueued?: boolean;
}

export interface RunningServer {
  url: string;
  home: string;
  token: string;
  instance: string;
  agents: number;
  /** The agents that were written because the data folder was new. */
  firstStart: string[];
  signInUrl(): string;
  stop(): Promise<void>;
}

/** Builds everything by hand, in the order in which things need each other, and takes it down in reverse. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { home, env = process.env } = options;
  await prepareHome(home);
  const lock = lockFolder(home);
  const undo: (() => unknown)[] = [() => lock.release()];
  try {
    const written = await firstStart(home, env, fetch);
    const overrides = { host: options.host, port: options.port, logLevel: options.logLevel };
    const configuration = await Configuration.load({ home, env, overrides });
    undo.unshift(() => configuration.close());
    assertLoopback(configuration.current.server.host);
    const store = await openSqlite(homePaths(home).database, configuration.current.storage);
    undo.unshift(() => store.close());
    return await open(options, { configuration, store, written, undo });
  } catch (error) {
    for (const step of undo) await step();
    throw error;
  }
}

interface Opened {
  configuration: Configuration;
  store: SqliteStore;
  written: string[];
  undo: (() => unknown)[];
}

async function open(options: ServerOptions, { configuration, store, written, undo }: Opened): Promise<RunningServer> {
  const { home, env = process.env } = options;
  const log = pino({ level: configuration.current.log.level, base: null }, pino.destination({ fd: 2, sync: true }));
  const token = await readToken(home, options.token ?? env.PARLEY_TOKEN);
  const hosts = new HostCheck(() => configuration.current.server.allowedHosts);
  const world = await buildWorld({ configuration, store, token, env, hosts, log, home });
  undo.unshift(() => world.closeTools());
  const app = buildApp(world, hosts, log);
  // Before anything can be accepted: a turn that runs after this has an owner in this process.
  const outputLimit = configuration.current.limits.toolOutputBytes;
  const recovered = await recover(world.turns, world.endOfTurn, outputLimit, options.resumeQueued ?? true);
  if (recovered.interrupted + recovered.queued > 0) log.warn(recovered, 'went on after an unclean stop');
  const { host, port } = configuration.current.server;
  const server = await listen(app.fetch as Parameters<typeof serve>[0]['fetch'], host, port);
  hosts.port = portOf(server);
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${hosts.port}`;
  undo.unshift(keepHouse(world, log));
  const { instance } = world;
  if (options.announce !== false)
    await announceServer(home, { url, pid: process.pid, instance, startedAt: new Date().toISOString() });
  return {
    url,
    home,
    token,
    instance,
    agents: configuration.current.agents.size,
    firstStart: written,
    signInUrl: () => world.signInLink().url,
    stop: () => stop(world, server, home, undo),
  };
}

interface Ground {
  configuration: Configuration;
  store: SqliteStore;
  token: string;
  env: NodeJS.ProcessEnv;
  hosts: HostCheck;
  log: Logger;
  home: string;
}

interface House extends World {
  readonly endOfTurn: EndOfTurn;
  closeTools(): Promise<void>;
}

async function buildWorld({ configuration, store, token, env, hosts, log: logger, home }: Ground): Promise<House> {
  const report = (problem: string, error: unknown) => logger.error({ err: error }, problem);
  const bus = new Bus((error) => report('a listener failed', error));
  const log = new EventLog(store.db, bus);
  const limits = () => configuration.current.limits;
  const files = new Files(store.db, homePaths(home).files, () => limits().fileBytes);
  files.followDeletions(bus, (error) => report('files could not be deleted', error));
  const agents = new AgentDirectory(() => configuration.current, files);
  const actions = new Actions(log, () => configuration.current.approvals.expireAfterSeconds ?? null);
  const sessions = new Sessions(log);
  const search = new MessageSearch(homePaths(home).database);
  const late: { delegation?: Delegation; tooling?: Tooling } = {};
  const endOfTurn: EndOfTurn = {
    actions,
    delegateEnded: (...ending) => late.delegation!.delegateEnded(...ending),
  };
  const turns: TurnEngine = new TurnEngine({
    ...endOfTurn,
    log,
    agents,
    histories: new Histories(log),
    limits,
    delegationLimits: () => configuration.current.delegation,
    toolset: (agent, ceilings) => late.tooling!.toolset(agent, ceilings),
    askersOf: (turn) => late.delegation!.askersOf(turn),
    delegates: (running, agent) => late.delegation!.delegates(running, agent),
    background: (running, callId, work) => late.delegation!.background(running, callId, work),
    worker: (running) => late.delegation!.worker(running),
    priced: (agent, usage) => withPrice(configuration.current.prices, agent.chat.model, usage),
    report,
  });
  const house: DelegationHouse = {
    log,
    engine: turns,
    actions,
    agents,
    limits: () => configuration.current.delegation,
    everyone: () => configuration.current.agents,
  };
  late.delegation = new Delegation(house);
  const version = packageVersion();
  const url = () => `http://127.0.0.1:${hosts.port}`;
  const tools = await openTooling({ configuration, store, home, env, version, url, house, sessions, search, report });
  late.tooling = tools.tooling;
  const streams = new Streams(limits);
  const credentials = new Credentials(token, store.db);
  const metrics = new Metrics();
  watchConfiguration(configuration, store, streams, logger);
  measure(metrics, bus, turns, streams);
  return {
    version,
    instance: newId(),
    env,
    configuration,
    log,
    feed: new SharedFeed(bus, configuration.current.stream.coalesceMs),
    sessions,
    templates: new SessionTemplates(log, {
      limit: () => limits().templatesPerUser,
      knows: (agentId) => agents.find(agentId) !== undefined,
      changed: (owner) => streams.templatesChanged(owner),
    }),
    files,
    shares: new Shares(log, () => limits().shareBytes),
    transcription: new Transcription(() => configuration.current.voice, env),
    turns,
    actions,
    tooling: tools.tooling,
    closeTools: () => tools.close(),
    endOfTurn,
    search,
    credentials,
    streams,
    metrics,
    web: new WebFiles(webFolder(env)),
    signInLink: () => signInLink(credentials, hosts),
    audit: (entry) => insertAudit(store.db, entry),
  };
}

function signInLink(credentials: Credentials, hosts: HostCheck) {
  const { code, expiresAt } = credentials.createCode();
  // In the fragment: it reaches no server log and no Referer.
  return { url: `http://127.0.0.1:${hosts.port}/#code=${code}`, expiresAt: new Date(expiresAt).toISOString() };
}

function watchConfiguration(configuration: Configuration, store: SqliteStore, streams: Streams, log: Logger): void {
  configuration.onChange((current, state) => {
    store.limitSize(current.storage.maxBytes ?? null);
    if (state.valid) log.info('configuration reloaded');
    else
      log.error({ issues: state.issues }, 'the configuration on disk is not valid; the last good one stays in force');
    streams.configurationChanged(state);
  });
}

function measure(metrics: Metrics, bus: Bus, turns: TurnEngine, streams: Streams): void {
  metrics.gauge('parley_turns_running', 'Turns that run now.', () => turns.runningCount);
  metrics.gauge('parley_turns_queued', 'Turns that wait.', () => turns.queuedCount);
  metrics.gauge('parley_streams_open', 'Event streams that are open.', () => streams.count);
  metrics.gauge('parley_heap_used_bytes', 'Memory that objects use.', () => process.memoryUsage().heapUsed);
  metrics.gauge('parley_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  bus.subscribe({
    event: ({ event }) => {
      if (event.type !== 'turn.settled') return;
      metrics.turns.add(1, { state: event.turn.state });
      metrics.tokens.add(event.turn.usage?.inputTokens ?? 0, { direction: 'input' });
      metrics.tokens.add(event.turn.usage?.outputTokens ?? 0, { direction: 'output' });
    },
  });
}

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Until there are accounts, the one credential is for this machine only. */
function assertLoopback(host: string): void {
  if (LOOPBACK.has(host)) return;
  throw new AppError(
    'host_not_allowed',
    `Refusing to listen on ${host}: without accounts, Parley answers on loopback only. ` +
      'Reach it through an SSH tunnel, or put a reverse proxy with its own sign-in before it on this machine and name it in server.allowedHosts.',
  );
}

/** How long a client may take to say what it wants; streams are answers and not meant. */
const PATIENCE = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 3000 };

function listen(fetch: Parameters<typeof serve>[0]['fetch'], hostname: string, port: number): Promise<ServerType> {
  const { promise, resolve, reject } = Promise.withResolvers<ServerType>();
  const server = serve({ fetch, hostname, port, serverOptions: PATIENCE }, () => resolve(server));
  server.once('error', reject);
  return promise;
}

function portOf(server: ServerType): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Streams are told, what is being said is written down, then everything closes. */
async function stop(world: World, server: ServerType, home: string, undo: (() => unknown)[]): Promise<void> {
  server.close();
  await world.turns.stop();
  world.streams.stop();
  (server as Server).closeIdleConnections();
  setTimeout(() => (server as Server).closeAllConnections(), 500).unref();
  await world.search.close();
  await withdrawServer(home, world.instance);
  for (const step of undo) await step();
}

function packageVersion(): string {
  for (const place of ['../package.json', '../../package.json']) {
    try {
      return JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')).version;
    } catch {
      // Sources and compiled files lie at different depths.
    }
  }
  return '0.0.0';
}
