import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { McpServer } from '../../../contract/config.ts';
import { AppError } from '../../../contract/errors.ts';
import type { McpServerInfo } from '../../../contract/tools.ts';
import type { ProcessRegistry } from '../../processes/registry.ts';
import type { Db } from '../../storage/sqlite.ts';
import type { Tool } from '../tool.ts';
import { AcceptedDefinitions } from './accepted.ts';
import { ConfiguredServer, type ServerParts } from './configured-server.ts';
import { hashOffer } from './definition.ts';
import type { Environment } from './expand.ts';
import { describeFailure } from './failure.ts';
import { McpTool } from './mcp-tool.ts';
import type { Sample } from './sampling.ts';

export type McpSettings = Readonly<Record<string, McpServer>>;

export interface McpServersParts {
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
  now?(): number;
  wait?(ms: number, signal: AbortSignal): Promise<void>;
  report(problem: string, error: unknown): void;
}

const START_MS = 60_000;
/** A turn does not wait longer than this for a server that nobody has seen yet. */
const MEET_MS = 20_000;

/** All MCP servers of the configuration. Their tools are offered as they were accepted, and used only as long as they are. */
export class McpServers {
  readonly #settingsNow: () => McpSettings;
  readonly #parts: ServerParts;
  readonly #servers = new Map<string, ConfiguredServer>();
  readonly #ending = new Set<Promise<void>>();
  #settings: McpSettings | undefined;
  #tools: readonly Tool[] | undefined;
  #isStopped = false;

  private constructor(settingsNow: () => McpSettings, parts: ServerParts) {
    this.#settingsNow = settingsNow;
    this.#parts = { ...parts, onChange: () => this.#forgetTools() };
  }

  /** Starts nothing. */
  static async open(parts: McpServersParts): Promise<McpServers> {
    const { db, environment, folder, registry, sample, report, version = '0', startMs = START_MS } = parts;
    const now = parts.now ?? Date.now;
    const wait = parts.wait ?? ((ms, signal) => sleep(ms, undefined, { signal }));
    const accepted = await AcceptedDefinitions.read(db, now);
    const common = { environment, folder, registry, sample, version, startMs, accepted, now, wait, report };
    return new McpServers(() => parts.settings(), { ...common, onChange() {} });
  }

  /** What has been accepted. The same list as long as nothing changes. */
  tools(): readonly Tool[] {
    this.refresh();
    this.#tools ??= [...this.#servers.values()].flatMap(toolsOf);
    return this.#tools;
  }

  /** Meets the servers that nobody has seen yet. Never fails: who cannot be met now is met later. */
  async ensureKnown(): Promise<void> {
    this.refresh();
    const strangers = [...this.#servers.values()].filter((server) => !server.isKnown && !server.isResting);
    if (strangers.length === 0 || this.#isStopped) return;
    const met = Promise.allSettled(strangers.map((server) => server.meet()));
    const patience = new AbortController();
    const enough = sleep(MEET_MS, undefined, { signal: patience.signal, ref: false }).catch(() => undefined);
    await Promise.race([met, enough]);
    patience.abort();
  }

  list(): McpServerInfo[] {
    this.refresh();
    return Array.from(this.#servers.values(), (server) => server.info());
  }

  /** Starts a server anew, whatever state it is in, and reads its tools. */
  async restart(name: string): Promise<McpServerInfo> {
    const server = this.#find(name);
    await server.restart().catch((error) => fail(name, error));
    return server.info();
  }

  /** From now on its tools are used as it describes them at this moment; `hash` says what the person has seen of that. */
  async accept(name: string, hash: string): Promise<McpServerInfo> {
    const server = this.#find(name);
    const offer = await server.look().catch((error) => fail(name, error));
    if (hashOffer(offer.values()) !== hash) {
      const advice = 'Look at it again, and accept what it offers now.';
      throw new AppError(
        'definitions_changed',
        `${name} offers something else than what was to be accepted. ${advice}`,
      );
    }
    await this.#parts.accepted.accept(name, offer);
    this.#forgetTools();
    return server.info();
  }

  /** Follows the configuration: who was changed or removed is stopped. Done by itself whenever something is asked. */
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
      this.#servers.set(name, kept.get(name) ?? new ConfiguredServer(name, own, this.#parts));
    }
  }

  #end(server: ConfiguredServer): void {
    this.#servers.delete(server.name);
    this.#track(server.stop());
  }

  #track(ending: Promise<void>): void {
    const noted = ending
      .catch((error) => this.#parts.report('an MCP server could not be stopped', error))
      .finally(() => this.#ending.delete(noted));
    this.#ending.add(noted);
  }

  #find(name: string): ConfiguredServer {
    this.refresh();
    const server = this.#servers.get(name);
    if (!server) throw new AppError('mcp_server_not_found', `There is no MCP server ${name} in the configuration.`);
    return server;
  }

  #forgetTools(): void {
    this.#tools = undefined;
  }
}

function toolsOf(server: ConfiguredServer): Tool[] {
  return server.usable.map((accepted) => new McpTool(server, accepted));
}

function fail(name: string, error: unknown): never {
  if (error instanceof AppError) throw error;
  throw new AppError('mcp_server_failed', `The MCP server ${name} cannot be used: ${describeFailure(error)}`);
}
