import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { McpServer } from '../../../contract/config.ts';
import { AppError } from '../../../contract/errors.ts';
import { say } from '../../../contract/texts.ts';
import type { McpServerInfo } from '../../../contract/tools.ts';
import type { ProcessRegistry } from '../../processes/registry.ts';
import type { Db } from '../../storage/tables.ts';
import { MOST_REQUEST_BYTES, withinRequest } from '../request-share.ts';
import type { Tool } from '../tool.ts';
import { AcceptedDefinitions } from './accepted.ts';
import { ConfiguredServer, type ConfiguredServerDeps } from './configured-server.ts';
import { hashOffer } from './definition.ts';
import type { Environment } from './expand.ts';
import { describeFailure } from './failure.ts';
import { McpTool } from './mcp-tool.ts';
import type { Sample } from './sampling.ts';

/** Which servers a caller may use. */
export type WantedServers = (name: string, settings: McpServer) => boolean;

const everyServer: WantedServers = () => true;

export type McpSettings = Readonly<Record<string, McpServer>>;

export interface McpServersDeps {
  readonly db: Db;
  /** Asked every time; the same object as long as nothing has changed. */
  settings(): McpSettings;
  /** What `${NAME}` in the settings stands for. */
  readonly environment: Environment;
  /** Where servers are started; the data folder. */
  readonly folder?: string;
  readonly registry?: ProcessRegistry;
  /** Parley's own. */
  readonly version?: string;
  /** Answers servers that may ask a model; absent: none may. */
  readonly sample?: Sample;
  /** How long a server may take to begin. */
  readonly startMs?: number;
  /** How long a caller that needs a new server's tools waits for it, once. */
  readonly waitMs?: number;
  /** Told which servers are being waited for, once that takes a noticeable time. */
  waitingFor?(names: readonly string[]): void;
  now?(): number;
  wait?(ms: number, signal: AbortSignal): Promise<void>;
  report(problem: string, error: unknown): void;
}

const START_MS = 60_000;
/**
 * How long a turn waits for a new server, once: it goes on without the server's tools and is offered them when they are
 * there.
 */
const WAIT_MS = 2000;
/** A wait shorter than this is not reported. */
const NOTICEABLE_MS = 300;

/** All MCP servers of the configuration. Their tools are offered as they were accepted, and used only as long as they are. */
export class McpServers {
  readonly #settingsNow: () => McpSettings;
  readonly #deps: ConfiguredServerDeps;
  readonly #servers = new Map<string, ConfiguredServer>();
  readonly #waitMs: number;
  readonly #waitingFor: (names: readonly string[]) => void;
  /** New servers for which a turn has waited long enough already. */
  readonly #waitedFor = new WeakSet<ConfiguredServer>();
  readonly #ending = new Set<Promise<void>>();
  #meetsAtOnce = false;
  #settings: McpSettings | undefined;
  #tools: readonly Tool[] | undefined;
  #isStopped = false;

  private constructor({ settings, waitMs = WAIT_MS, waitingFor }: McpServersDeps, deps: ConfiguredServerDeps) {
    this.#settingsNow = () => settings();
    this.#waitMs = waitMs;
    this.#waitingFor = waitingFor ?? (() => undefined);
    this.#deps = { ...deps, onChange: () => this.#forgetTools() };
  }

  /** Starts nothing. */
  static async open(deps: McpServersDeps): Promise<McpServers> {
    const { db, environment, folder, registry, sample, report, version = '0', startMs = START_MS } = deps;
    const now = deps.now ?? Date.now;
    const wait = deps.wait ?? ((ms, signal) => sleep(ms, undefined, { signal }));
    const accepted = await AcceptedDefinitions.read(db, now);
    const common = { environment, folder, registry, sample, version, startMs, accepted, now, wait, report };
    return new McpServers(deps, { ...common, onChange() {} });
  }

  /** What has been accepted. The same list as long as nothing changes. */
  tools(): readonly Tool[] {
    this.refresh();
    this.#tools ??= [...this.#servers.values()].flatMap((server) => this.#toolsOf(server));
    return this.#tools;
  }

  /** From now on every new server of the configuration is started in the background, so that its tools become known. */
  meetNewServers(): void {
    this.#meetsAtOnce = true;
    this.refresh();
    for (const server of this.#newServers(everyServer)) void server.meet().catch(() => undefined);
  }

  /**
   * Starts the new servers that `wanted` names and waits for their tools, for each of them once and for a short time.
   * Never fails: a server that cannot be met now is met later.
   */
  async ensureKnown(wanted: WantedServers = everyServer): Promise<void> {
    this.refresh();
    await this.#waitFor(this.#newServers(wanted));
  }

  /**
   * For listing tools: waits for servers that are starting, and starts new ones only if that is not done in the
   * background.
   */
  async whenStarted(): Promise<void> {
    this.refresh();
    const servers = this.#newServers(everyServer);
    await this.#waitFor(this.#meetsAtOnce ? servers.filter(isStarting) : servers);
  }

  async #waitFor(servers: readonly ConfiguredServer[]): Promise<void> {
    const meetings = servers.map((server) => server.meet());
    for (const meeting of meetings) meeting.catch(() => undefined);
    const awaited = servers.filter((server) => !this.#waitedFor.has(server));
    if (awaited.length === 0) return;
    const met = Promise.allSettled(meetings.filter((_, index) => awaited.includes(servers[index]!)));
    if (!(await endsWithin(met, Math.min(NOTICEABLE_MS, this.#waitMs)))) {
      this.#waitingFor(awaited.filter(isStarting).map(({ name }) => name));
      await endsWithin(met, this.#waitMs - NOTICEABLE_MS);
    }
    for (const server of servers) this.#waitedFor.add(server);
  }

  /** The new servers whose tools are not known yet because they are still starting. */
  starting(wanted: WantedServers): string[] {
    return this.#newServers(wanted)
      .filter(isStarting)
      .map(({ name }) => name);
  }

  #newServers(wanted: WantedServers): ConfiguredServer[] {
    if (this.#isStopped) return [];
    const isNew = (server: ConfiguredServer) => !server.isKnown && !server.isResting;
    return [...this.#servers.values()].filter((server) => isNew(server) && wanted(server.name, server.settings));
  }

  list(): McpServerInfo[] {
    this.refresh();
    return Array.from(this.#servers.values(), (server) => this.#describe(server));
  }

  /** Starts a server anew, whatever state it is in, and reads its tools. */
  async restart(name: string): Promise<McpServerInfo> {
    const server = this.#find(name);
    await server.restart().catch((error) => fail(name, error));
    return this.#describe(server);
  }

  /** From now on its tools are used as it describes them at this moment; `hash` says what the person has seen of that. */
  async accept(name: string, hash: string): Promise<McpServerInfo> {
    const server = this.#find(name);
    const offer = await server.look().catch((error) => fail(name, error));
    if (hashOffer(offer.values()) !== hash) {
      const advice = 'Review them again, then accept them.';
      throw new AppError('definitions_changed', say('definitions_changed', { name, advice }));
    }
    await this.#deps.accepted.accept(name, offer);
    this.#forgetTools();
    return this.#describe(server);
  }

  /** Follows the configuration: changed and removed servers are stopped. Reading servers or their tools calls it. */
  refresh(): void {
    const settings = this.#settingsNow();
    if (settings === this.#settings || this.#isStopped) return;
    this.#settings = settings;
    for (const [name, server] of this.#servers) {
      const now = Object.hasOwn(settings, name) ? settings[name] : undefined;
      if (!isDeepStrictEqual(now, server.settings)) this.#end(server);
    }
    this.#arrange(settings);
    this.#forgetTools();
    if (this.#meetsAtOnce) this.meetNewServers();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const server of this.#servers.values()) this.#track(server.stop());
    await Promise.all(this.#ending);
  }

  /** In the order of the configuration. */
  #arrange(settings: McpSettings): void {
    const kept = new Map(this.#servers);
    this.#servers.clear();
    for (const [name, own] of Object.entries(settings)) {
      this.#servers.set(name, kept.get(name) ?? new ConfiguredServer(name, own, this.#deps));
    }
  }

  #end(server: ConfiguredServer): void {
    this.#servers.delete(server.name);
    this.#track(server.stop());
  }

  #track(ending: Promise<void>): void {
    const noted = ending
      .catch((error) => this.#deps.report('an MCP server could not be stopped', error))
      .finally(() => this.#ending.delete(noted));
    this.#ending.add(noted);
  }

  #find(name: string): ConfiguredServer {
    this.refresh();
    const server = this.#servers.get(name);
    if (!server) throw new AppError('mcp_server_not_found', say('mcp_server_not_found', { name }));
    return server;
  }

  #toolsOf(server: ConfiguredServer): Tool[] {
    const tools = server.usable.map((accepted) => new McpTool(server, accepted));
    const problem = shareProblem(tools);
    if (problem) this.#deps.report(`the MCP server ${server.name} offers too many tools`, new Error(problem));
    return tools;
  }

  #describe(server: ConfiguredServer): McpServerInfo {
    const info = server.info();
    const own = this.tools().filter(({ source }) => source.id === server.name);
    const issues = [info.error, shareProblem(own)].filter((issue) => issue !== null);
    return { ...info, error: issues.length > 0 ? issues.join(' ') : null };
  }

  #forgetTools(): void {
    this.#tools = undefined;
  }
}

async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const patience = new AbortController();
  const tooLong = sleep(Math.max(0, ms), false, { signal: patience.signal, ref: false }).catch(() => false);
  const ended = await Promise.race([work.then(() => true), tooLong]);
  patience.abort();
  return ended;
}

function isStarting(server: ConfiguredServer): boolean {
  return server.info().state === 'starting';
}

/** Says that the tools of a server do not all fit into a request; null when they do. */
function shareProblem(tools: readonly Tool[]): string | null {
  const fitting = withinRequest(tools).length;
  return fitting === tools.length ? null : shareIssue(fitting, tools.length);
}

function shareIssue(fitting: number, all: number): string {
  return (
    `Its ${all} tools take more than ${MOST_REQUEST_BYTES / 1000} kB of a request; an agent that may use all of them ` +
    `gets ${fitting}. Name the tools that it needs in its toolAllowlist.`
  );
}

function fail(name: string, error: unknown): never {
  if (error instanceof AppError) throw error;
  throw new AppError('mcp_server_failed', say('mcp_server_failed', { name, reason: describeFailure(error) }));
}
