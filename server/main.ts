import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';
import type { ServerType } from '@hono/node-server';
import { type Logger, pino } from 'pino';
import { publicOrigin } from '../contract/config.ts';
import type { AppError } from '../contract/errors.ts';
import { newId } from '../contract/ids.ts';
import { ROUTES } from '../contract/routes.ts';
import { AgentDirectory } from './agents/directory.ts';
import type { ToolEndpoint } from './agents/host-requests.ts';
import { Transcription } from './agents/transcription.ts';
import { Artifacts } from './artifacts/artifacts.ts';
import { artifactFilesPlugin } from './artifacts/plugins/artifact-files-plugin.ts';
import { listsPlugin } from './artifacts/plugins/lists-plugin.ts';
import { notesPlugin } from './artifacts/plugins/notes-plugin.ts';
import { viewsPlugin } from './artifacts/plugins/views-plugin.ts';
import { surroundingsOf } from './artifacts/surroundings.ts';
import { builderDeps } from './builder-deps.ts';
import { Configuration } from './config/configuration.ts';
import { firstStart, prepareHome } from './config/first-start.ts';
import { agentsPlugin } from './delegation/agents-plugin.ts';
import { Delegation } from './delegation/delegation.ts';
import { sessionsPlugin } from './delegation/sessions-plugin.ts';
import { Bus } from './events/bus.ts';
import { EventLog } from './events/log.ts';
import { EventReplay } from './events/replay.ts';
import { SharedFeed } from './events/shared-feed.ts';
import { Files } from './files/files.ts';
import { announceServer, homePaths, readToken, webFolder, withdrawServer } from './home.ts';
import { startHousekeeping } from './housekeeping.ts';
import { buildApp } from './http/app.ts';
import { ApprovedCards } from './http/approved-cards.ts';
import { Credentials, WrongAttempts } from './http/credentials.ts';
import { assertLoopback, boundIdleConnections, listen, portOf } from './http/listen.ts';
import { HostCheck } from './http/origin.ts';
import type { RouteDeps } from './http/route-deps.ts';
import { Streams } from './http/streams.ts';
import { WebFiles } from './http/web/web-files.ts';
import { Knowledge } from './knowledge/knowledge.ts';
import { knowledgePlugin } from './knowledge/knowledge-plugin.ts';
import { MemoriesForTools } from './memory/kept-memories.ts';
import { Memories } from './memory/memories.ts';
import { Metrics } from './metrics.ts';
import { openTooling } from './open-tooling.ts';
import { Panels } from './panels/panels.ts';
import { panelsPlugin } from './panels/panels-plugin.ts';
import { ProcessRegistry } from './processes/registry.ts';
import { Push } from './push/push.ts';
import { Scheduler } from './schedules/scheduler.ts';
import { Schedules } from './schedules/schedules.ts';
import { schedulesPlugin } from './schedules/schedules-plugin.ts';
import { MessageSearch } from './sessions/search.ts';
import { SearchIndexer } from './sessions/search-indexer.ts';
import { Sessions } from './sessions/sessions.ts';
import { findWorkspace } from './sessions/store.ts';
import { SessionTemplates } from './sessions/templates.ts';
import { Histories } from './sessions/transcript.ts';
import { Shares } from './shares/shares.ts';
import { insertAudit } from './storage/audit.ts';
import { describeStartFailure } from './storage/failure.ts';
import { lockFolder } from './storage/folder-lock.ts';
import { DatabaseIntegrity } from './storage/integrity.ts';
import { openSqlite, type SqliteStore } from './storage/sqlite.ts';
import { Teams } from './teams/teams.ts';
import { TeamTrials } from './teams/try-team.ts';
import { builderPlugin } from './tools/plugins/builder/builder.ts';
import { RetiredAgents } from './tools/retired-agents.ts';
import { selectKnownAgents } from './tools/retired-agents-store.ts';
import { Actions } from './turns/actions.ts';
import { endTurnsOfAgent, recover, resumeSession } from './turns/recover.ts';
import { Turns, type WorkingTurn } from './turns/turns.ts';
import { withPrice } from './turns/usage.ts';
import { openWebhooks } from './webhooks/webhooks.ts';
import { WorkspaceChanges } from './workspaces/changes.ts';
import { Workspaces } from './workspaces/workspaces.ts';

export interface ServerOptions {
  home: string;
  host?: string | undefined;
  port?: number | undefined;
  /** A fixed credential instead of the one in the data folder. */
  token?: string | undefined;
  logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent' | undefined;
  /** Takes every line of the log instead of stderr; each is one JSON object. */
  logTo?: ((line: string) => void) | undefined;
  env?: NodeJS.ProcessEnv;
  /** Whether other programs of this user should find it. Default true. */
  announce?: boolean;
  /**
   * Called with the names of new MCP servers that a turn is waiting for. Where it is set, such servers are started when
   * they are first needed instead of with the server.
   */
  waitingForMcp?: ((names: readonly string[]) => void) | undefined;
  /** Is told in words what a long start is busy with. Default: the log. */
  tell?: ((words: string) => void) | undefined;
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
  /** The turns that are being taken now and wait for no person. */
  working(): WorkingTurn[];
  /** What has waited in a session since the last server stopped goes on here. Needed only without `resumeQueued`. */
  resumeSession(sessionId: string): Promise<void>;
  /** Resolves when the database turns out to be damaged: the server should stop. */
  damaged: Promise<AppError>;
  stop(): Promise<void>;
}

/** Builds everything by hand, in the order in which things need each other, and takes it down in reverse. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  try {
    return await start(options);
  } catch (error) {
    throw describeStartFailure(error, options.home);
  }
}

async function start(options: ServerOptions): Promise<RunningServer> {
  const { home, env = process.env } = options;
  await prepareHome(home);
  const lock = lockFolder(home, homePaths(home).database);
  const undo: (() => unknown)[] = [() => lock.release()];
  try {
    const written = await firstStart(home, env, fetch);
    const overrides = { host: options.host, port: options.port, logLevel: options.logLevel };
    const configuration = await Configuration.load({ home, env, overrides });
    undo.unshift(() => configuration.close());
    assertLoopback(configuration.current.server.host);
    const { database } = homePaths(home);
    const integrity = new DatabaseIntegrity(database);
    undo.unshift(() => integrity.noteStop());
    await integrity.checkIfSmall();
    const log = openLog(options, configuration.current.log.level);
    const tell = options.tell ?? ((words: string) => log.warn(words));
    const store = await openSqlite(database, { ...configuration.current.storage, tell });
    undo.unshift(() => store.close());
    undo.unshift(() => integrity.stopChecking());
    // A lock file that was deleted before the database was open has let in another server by now.
    lock.assertHeld();
    await configuration.recall(await selectKnownAgents(store.db));
    return await open(options, { configuration, store, integrity, written, undo, log });
  } catch (error) {
    for (const step of undo) await step();
    throw error;
  }
}

interface Opened {
  configuration: Configuration;
  store: SqliteStore;
  integrity: DatabaseIntegrity;
  written: string[];
  undo: (() => unknown)[];
  log: Logger;
}

function openLog({ logTo }: ServerOptions, level: string): Logger {
  return pino({ level, base: null }, logTo ? { write: logTo } : pino.destination({ fd: 2, sync: true }));
}

async function open(options: ServerOptions, opened: Opened): Promise<RunningServer> {
  const { configuration, store, integrity, written, undo, log } = opened;
  const { home, env = process.env } = options;
  const token = await readToken(home, options.token ?? env.PARLEY_TOKEN);
  const hosts = new HostCheck(() => configuration.current.server);
  const { waitingForMcp } = options;
  const deps = await buildServer({ configuration, store, token, env, hosts, log, home, waitingForMcp });
  undo.unshift(() => deps.log.idle());
  undo.unshift(() => deps.closeTools());
  undo.unshift(() => deps.knowledge.close());
  const { app, protocols } = buildApp(deps, hosts, log);
  // Before anything can be accepted: a turn that runs after this has an owner in this process.
  const recovered = await recover(deps.turns.deps, options.resumeQueued ?? true);
  if (recovered.interrupted + recovered.queued > 0) log.warn(recovered, 'recovered after an unclean stop');
  undo.unshift(() => protocols.stop());
  await protocols.start();
  const { host, port } = configuration.current.server;
  const server = await listen(app.fetch as Parameters<typeof listen>[0], host, port);
  boundIdleConnections(server as Server, () => configuration.current.limits.idleConnections);
  hosts.port = portOf(server);
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${hosts.port}`;
  undo.unshift(startHousekeeping(deps, log));
  const indexer = new SearchIndexer(deps.log, (error) => log.error({ err: error }, 'messages could not be indexed'));
  undo.unshift(() => indexer.stop());
  if (!waitingForMcp) deps.tooling.mcp.meetNewServers();
  const { instance } = deps;
  if (options.announce !== false) {
    deps.scheduler.start();
    deps.knowledge.wake();
    undo.unshift(deps.push.follow(deps.log.bus));
    undo.unshift(() => deps.scheduler.stop());
    deps.webhooks.sender.start();
    undo.unshift(() => deps.webhooks.sender.stop());
    await deps.credentials.signIns.endThoseOfOtherTokens();
    await announceServer(home, { url, pid: process.pid, instance, startedAt: new Date().toISOString() });
  }
  return {
    url,
    home,
    token,
    instance,
    agents: configuration.current.agents.size,
    firstStart: written,
    signInUrl: () => deps.signInLink().url,
    working: () => deps.turns.working(),
    resumeSession: (sessionId) => resumeSession(deps.turns.deps, sessionId),
    damaged: damageFound(integrity, log),
    stop: () => stop(deps, server, home, undo),
  };
}

async function damageFound(integrity: DatabaseIntegrity, log: Logger): Promise<AppError> {
  const problem = await integrity
    .checkInBackground((what, facts) => log.warn(facts, what))
    .catch((error) => void log.error({ err: error }, 'the database could not be checked'));
  if (!problem) return new Promise(() => undefined);
  log.error({ err: problem }, 'the database is damaged');
  return problem;
}

interface StartedParts {
  configuration: Configuration;
  store: SqliteStore;
  token: string;
  env: NodeJS.ProcessEnv;
  hosts: HostCheck;
  log: Logger;
  home: string;
  waitingForMcp: ServerOptions['waitingForMcp'];
}

interface ServerDeps extends RouteDeps {
  readonly scheduler: Scheduler;
  closeTools(): Promise<void>;
}

async function buildServer(parts: StartedParts): Promise<ServerDeps> {
  const { configuration, store, token, env, hosts, log: logger, home, waitingForMcp } = parts;
  const url = () => `http://127.0.0.1:${hosts.port}`;
  const report = (problem: string, error: unknown) => logger.error({ err: error }, problem);
  const bus = new Bus((error) => report('a listener failed', error));
  const log = new EventLog(store.db, bus);
  const limits = () => configuration.current.limits;
  const files = new Files(
    store.db,
    homePaths(home).files,
    () => limits().fileBytes,
    () => limits().unsentFileBytes,
  );
  files.followDeletions(bus, (error) => report('files could not be deleted', error));
  const registry = new ProcessRegistry(homePaths(home).processes);
  const agents = new AgentDirectory(() => configuration.current, {
    files,
    processes: registry,
    environment: env,
    home,
  });
  const actions = new Actions(log, () => configuration.current.approvals.expireAfterSeconds ?? null);
  const workspaces = new Workspaces({
    home,
    settings: () => configuration.current.tools,
    ofAgent: (agentId) => agents.find(agentId)?.workspace ?? null,
    ofSession: (sessionId) => findWorkspace(store.db, sessionId),
  });
  forgetWorkspaces(bus, workspaces, report);
  const sessions = new Sessions(log, (folder) => workspaces.check(folder));
  const search = new MessageSearch(homePaths(home).database);
  const version = packageVersion();
  const artifacts = new Artifacts({
    events: log,
    files,
    keptFileBytes: () => limits().keptFileBytes,
    tell: (owner, event) => {
      streams.artifactChanged(owner, event);
      if (event.kind === 'note') knowledge.notesChanged();
    },
  });
  const memories = new Memories({
    log,
    requireAgent: (agentId) => void agents.require(agentId),
    changed: (owner, agentId) => streams.memoryChanged(owner, agentId),
  });
  const facts = { configuration, store, home, env, version, url, registry };
  const leftOut = (issue: string) => logger.warn({ issue }, 'a plugin or tool was skipped');
  const tools = await openTooling({
    ...facts,
    agents,
    workspaces,
    kept: artifacts.kept,
    memories: new MemoriesForTools(memories),
    waitingForMcp,
    report,
    leftOut,
  });
  const pages = (owner: string, sessionId: string) => panels.of(owner, sessionId);
  const turns = new Turns({
    log,
    agents,
    histories: new Histories(log),
    actions,
    files,
    tooling: tools.tooling,
    workspaces,
    changes: new WorkspaceChanges(home),
    delegation: new Delegation(),
    limits,
    delegationLimits: () => configuration.current.delegation,
    currency: () => configuration.current.currency,
    priced: (agent, usage) => withPrice(configuration.current.prices, agent.model, usage),
    toolEndpoint: (token) => toolEndpoint(home, url(), token),
    surroundings: async (turn) => ({
      ...(await surroundingsOf(artifacts, pages, turn)),
      knowledge: await knowledge.toldOf(turn),
    }),
    report,
  });
  const streams: Streams = new Streams(limits, (owner) => panels.streamEnded(owner));
  const panels = new Panels(log, streams);
  const knowledge: Knowledge = new Knowledge({
    log,
    database: homePaths(home).database,
    files,
    registry,
    env,
    limits,
    embeddings: () => configuration.current.knowledge.embeddings,
    agents: () => configuration.current.agents,
    requireAgent: (agentId) => void agents.require(agentId),
    note: (owner, noteId) => artifacts.notes.text(owner, noteId),
    tell: (owner, change) => streams.knowledgeChanged(owner, change),
    usersChanged: () => tools.agentsChanged(),
    report,
  });
  await knowledge.load();
  const scheduler: Scheduler = new Scheduler({ log, accept: (wanted) => turns.accept(wanted), report });
  const push = new Push({
    log,
    keysFile: homePaths(home).pushKeys,
    contact: () => configuration.current.notifications.contact,
    allowedHosts: () => configuration.current.tools.fetch.allowHosts,
    isOpen: async (owner, actionId) => (await actions.get(owner, actionId)).state === 'open',
    nameOf: (agentId) => agents.find(agentId)?.displayName ?? agentId,
    report,
  });
  const schedules = new Schedules({
    log,
    limit: () => limits().schedulesPerUser,
    requireAgent: (agentId) => void agents.require(agentId),
    changed: () => scheduler.wake(),
    send: (runId) => scheduler.send(runId),
  });
  const webhooks = await openWebhooks({
    log,
    limits,
    settings: () => configuration.current.webhooks,
    publicOrigin: () => publicOrigin(configuration.current.server),
    allowedHosts: () => configuration.current.tools.fetch.allowHosts,
    requireAgent: (agentId) => void agents.require(agentId),
    accept: (wanted) => turns.accept(wanted),
    changed: (owner) => streams.webhooksChanged(owner),
    report,
  });
  tools.add(() => [
    agentsPlugin(turns.deps),
    sessionsPlugin({ turns: turns.deps, sessions, search }),
    panelsPlugin(panels),
    schedulesPlugin(schedules),
    listsPlugin(artifacts),
    notesPlugin(artifacts),
    viewsPlugin(artifacts),
    artifactFilesPlugin({ artifacts, files, workspaces }),
    builderPlugin(builderDeps({ judge: tools.judge, teams, db: store.db })),
    knowledgePlugin(knowledge),
  ]);
  const teams = new Teams({ ...tools.judge, log, changed: (owner) => streams.templatesChanged(owner) });
  await teams.recover();
  const credentials = new Credentials({ token, db: store.db, port: () => hosts.port });
  const metrics = new Metrics();
  const { current, state } = configuration;
  const endTurns = (agentId: string) => endTurnsOfAgent(turns.deps, agentId);
  const forgetKnowledge = (agentId: string) => knowledge.forgetAgent(agentId);
  const retired = new RetiredAgents(
    { db: store.db, home, endTurns, forgetKnowledge, report },
    current.agents,
    !state.valid,
  );
  // Before anything can be accepted: rights of agents that are gone must not be used.
  await retired.settled();
  const trials = new TeamTrials({
    ...tools.judge,
    sessions,
    trials: agents.trials,
    retire: (agentId) => retired.forget(agentId),
    changed: () => streams.configurationChanged(configuration.state),
    report,
  });
  trials.follow(bus);
  watchConfiguration(configuration, { knowledge, store, streams, retired, log: logger });
  measure(metrics, bus, turns, streams);
  return {
    version,
    instance: newId(),
    env,
    configuration,
    log,
    feed: new SharedFeed(bus, configuration.current.stream.coalesceMs),
    replay: new EventReplay(store.db, bus),
    sessions,
    templates: new SessionTemplates(log, {
      limit: () => limits().templatesPerUser,
      knows: (agentId) => agents.find(agentId) !== undefined,
      changed: (owner) => streams.templatesChanged(owner),
    }),
    teams,
    trials,
    schedules,
    scheduler,
    push,
    webhooks,
    memories,
    files,
    shares: new Shares(log, () => limits().shareBytes),
    transcription: new Transcription(() => configuration.current.voice, env),
    agents,
    turns,
    actions,
    tooling: tools.tooling,
    retired,
    closeTools: async () => {
      await agents.close();
      await tools.close();
    },
    panels,
    artifacts,
    knowledge,
    search,
    cards: new ApprovedCards(store.db),
    credentials,
    attempts: new WrongAttempts(() => limits().wrongCredentialsPerMinute),
    streams,
    metrics,
    web: new WebFiles(webFolder(env)),
    signInLink: () => signInLink(credentials, publicOrigin(configuration.current.server) ?? url()),
    audit: (entry) => insertAudit(store.db, entry),
  };
}

function forgetWorkspaces(bus: Bus, workspaces: Workspaces, report: (problem: string, error: unknown) => void): void {
  bus.subscribe({
    event: ({ event: { type, sessionId } }) => {
      if (type !== 'session.deleted') return;
      workspaces.forget(sessionId).catch((error) => report('the workspace of a session could not be deleted', error));
    },
  });
}

function toolEndpoint(home: string, server: string, token: string): ToolEndpoint {
  const env = { PARLEY_URL: server, PARLEY_TURN_TOKEN: token };
  const command = path.join(homePaths(home).programs, 'parley');
  return { url: server + ROUTES.turnTools.path, token, bridge: { command, args: ['mcp-bridge'], env } };
}

function signInLink(credentials: Credentials, origin: string) {
  const { code, expiresAt } = credentials.signIns.createCode();
  // In the fragment: it reaches no server log and no Referer.
  return { url: `${origin}/#code=${code}`, expiresAt: new Date(expiresAt).toISOString() };
}

interface Watchers {
  knowledge: Knowledge;
  store: SqliteStore;
  streams: Streams;
  retired: RetiredAgents;
  log: Logger;
}

function watchConfiguration(configuration: Configuration, { knowledge, store, streams, retired, log }: Watchers): void {
  if (!configuration.state.valid)
    log.error(
      { issues: configuration.state.issues },
      'the configuration has errors; the affected agents keep their last valid version or are unavailable',
    );
  configuration.onChange((current, state, edited) => {
    store.limitSize(current.storage.maxBytes ?? null);
    retired.follow(current.agents, !state.valid, edited);
    if (state.valid) log.info('configuration reloaded');
    else log.error({ issues: state.issues }, 'the configuration on disk is not valid; the last valid one stays in use');
    streams.configurationChanged(state);
    knowledge.wake();
  });
}

function measure(metrics: Metrics, bus: Bus, turns: Turns, streams: Streams): void {
  metrics.gauge('parley_turns_running', 'Turns that are running.', () => turns.runningCount);
  metrics.gauge('parley_turns_queued', 'Turns that are queued.', () => turns.queuedCount);
  metrics.gauge('parley_streams_open', 'Open event streams.', () => streams.count);
  metrics.gauge('parley_heap_used_bytes', 'Heap memory in use.', () => process.memoryUsage().heapUsed);
  metrics.gauge('parley_resident_memory_bytes', 'Resident memory of the process.', () => process.memoryUsage.rss());
  bus.subscribe({
    event: ({ event }) => {
      if (event.type !== 'turn.settled') return;
      metrics.turns.add(1, { state: event.turn.state });
      metrics.tokens.add(event.turn.usage?.inputTokens ?? 0, { direction: 'input' });
      metrics.tokens.add(event.turn.usage?.outputTokens ?? 0, { direction: 'output' });
    },
  });
}

/** Streams are told, what is being said is written down, then everything closes. */
async function stop(deps: RouteDeps, server: ServerType, home: string, undo: (() => unknown)[]): Promise<void> {
  server.close();
  await deps.turns.stop();
  deps.streams.stop();
  (server as Server).closeIdleConnections();
  setTimeout(() => (server as Server).closeAllConnections(), 500).unref();
  await deps.search.close();
  await withdrawServer(home, deps.instance);
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
