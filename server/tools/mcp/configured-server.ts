import type { McpServer } from '../../../contract/config.ts';
import type { McpServerInfo } from '../../../contract/tools.ts';
import { type ToolContext, ToolFailure, type ToolOutput } from '../tool.ts';
import type { AcceptedDefinitions, Offer } from './accepted.ts';
import type { Connection } from './connection.ts';
import type { HashedDefinition } from './definition.ts';
import { describeServer } from './describe-server.ts';
import type { Environment } from './expand.ts';
import { describeFailure, ServerFailure, SessionGone } from './failure.ts';
import { Link } from './link.ts';
import type { TransportDeps } from './open-transport.ts';
import { plainText } from './plain-text.ts';
import type { Sample } from './sampling.ts';

export interface ConfiguredServerDeps extends Pick<TransportDeps, 'folder' | 'registry'> {
  readonly environment: Environment;
  readonly accepted: AcceptedDefinitions;
  readonly version: string;
  readonly sample: Sample | undefined;
  readonly startMs: number;
  now(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  report(problem: string, error: unknown): void;
  /** The tools that can be used are others now. */
  onChange(): void;
}

/** How long a list of tools is believed. Servers that can say that theirs has changed are listened to as well. */
const FRESH_MS = 5 * 60_000;
const SETTLE_MS = 100;

/** One server of the configuration, and what it offers as far as we know. Nothing is started before it is needed. */
export class ConfiguredServer {
  readonly name: string;
  readonly settings: McpServer;
  readonly #deps: ConfiguredServerDeps;
  readonly #link: Link<Connection>;
  #offer: Offer | undefined;
  #issues: readonly string[] = [];
  #checkedAt: number | null = null;
  #freshUntil = 0;
  #reading: Promise<void> | undefined;
  #refreshing: NodeJS.Timeout | undefined;

  constructor(name: string, settings: McpServer, deps: ConfiguredServerDeps) {
    this.name = name;
    this.settings = settings;
    this.#deps = deps;
    this.#link = new Link({
      open: (signal, onLost) => this.#open(signal, onLost),
      wait: deps.wait,
      onTrouble: (problem, error) => this.#report(problem, error),
    });
  }

  /** What agents may be offered: what was accepted, less what is known to be gone. */
  get usable(): readonly HashedDefinition[] {
    if (this.settings.disabled) return [];
    const accepted = [...(this.#accepted?.values() ?? [])];
    return accepted.filter(({ definition }) => !this.#offer || this.#offer.has(definition.name));
  }

  /** What it offers has been read, now or before. */
  get isKnown(): boolean {
    return this.settings.disabled || this.#accepted !== undefined;
  }

  get isResting(): boolean {
    return this.#link.isResting;
  }

  /** What it offers, read at this moment. Rejects with `ServerFailure`. */
  async look(): Promise<Offer> {
    await this.#readAnew();
    return this.#offer!;
  }

  /** For callers that only need its offer to become known. */
  async meet(): Promise<void> {
    await this.#link.get();
  }

  async restart(): Promise<void> {
    await this.#link.restart();
  }

  async call(tool: HashedDefinition, input: Record<string, unknown>, context: ToolContext): Promise<ToolOutput> {
    try {
      return await this.#callOnce(tool, input, context);
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error;
      await this.#link.drop(error.connection);
    }
    return this.#callOnce(tool, input, context).catch((error) => {
      throw error instanceof SessionGone ? new ToolFailure(`${this.name} does not keep the session.`) : error;
    });
  }

  info(): McpServerInfo {
    const { state, error, restarts } = this.#link;
    return describeServer({
      name: this.name,
      settings: this.settings,
      state: this.settings.disabled ? 'stopped' : state,
      error: error ?? (this.#issues.length > 0 ? this.#issues.join(' ') : null),
      restarts,
      accepted: this.#accepted,
      offer: this.#offer,
      checkedAt: this.#checkedAt,
    });
  }

  async stop(): Promise<void> {
    clearTimeout(this.#refreshing);
    await this.#link.stop();
  }

  get #accepted(): Offer | undefined {
    return this.#deps.accepted.of(this.name);
  }

  async #callOnce(tool: HashedDefinition, input: Record<string, unknown>, context: ToolContext): Promise<ToolOutput> {
    const connection = await until(context.signal, this.#ready()).catch((error) => {
      context.signal.throwIfAborted();
      throw new ToolFailure(`Can't use the MCP server ${this.name}: ${describeFailure(error)}`, 'mcp_server_failed');
    });
    this.#assertAsAccepted(tool);
    return connection.call(tool.definition, input, context);
  }

  /** While the list of tools is being read, what is known of them may be out of date. */
  async #ready(): Promise<Connection> {
    const connection = await this.#link.get();
    return this.#reading || performance.now() > this.#freshUntil ? this.#readAnew() : connection;
  }

  /** From a server that has forgotten us, by greeting it again. */
  async #readAnew(): Promise<Connection> {
    const connection = await this.#link.get();
    try {
      await this.#read(connection);
      return connection;
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error;
      await this.#link.drop(error.connection);
      return this.#link.get();
    }
  }

  #assertAsAccepted({ definition: { name }, hash }: HashedDefinition): void {
    const shown = plainText(name, 64);
    const offered = this.#offer?.get(name);
    if (!offered) throw new ToolFailure(`${this.name} no longer has a tool ${shown}.`, 'tool_gone');
    if (offered.hash === hash && this.#accepted?.get(name)?.hash === hash) return;
    throw new ToolFailure(
      `${this.name} changed the description of ${shown} since it was accepted, so it can't be used. ` +
        `The user has to review and accept it: parley mcp accept ${this.name}`,
      'definitions_changed',
    );
  }

  async #open(signal: AbortSignal, onLost: (reason: string) => void): Promise<Connection> {
    if (this.settings.disabled) throw new ServerFailure('It is disabled in the configuration.');
    // Loaded with the first server that is needed: most of its weight is the protocol's own library.
    const { Connection } = await import('./connection.ts');
    const { environment, folder, registry, version, sample, startMs } = this.#deps;
    const { name, settings } = this;
    const events = {
      onLost,
      onToolsChanged: () => this.#noteChange(),
      onTrouble: (error: Error) => this.#report('offers invalid tools', error),
    };
    const parts = { name, settings, environment, folder, registry, version, sample, startMs, ...events };
    const connection = await Connection.open(parts, signal);
    try {
      await this.#take(connection);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Callers that ask at the same time share one read. */
  #read(connection: Connection): Promise<void> {
    this.#reading ??= this.#take(connection).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** What a server offers when it is first seen is accepted. Later changes never are by themselves. */
  async #take(connection: Connection): Promise<void> {
    this.#freshUntil = performance.now() + FRESH_MS;
    try {
      const { offer, issues } = await connection.readOffer();
      if (this.#accepted === undefined) await this.#deps.accepted.accept(this.name, offer);
      this.#offer = offer;
      this.#issues = issues;
    } catch (error) {
      this.#freshUntil = 0;
      throw error;
    }
    this.#checkedAt = this.#deps.now();
    this.#deps.onChange();
  }

  /** The next call reads the list again; without one it is read once the server has become quiet. */
  #noteChange(): void {
    this.#freshUntil = 0;
    clearTimeout(this.#refreshing);
    this.#refreshing = setTimeout(() => void this.#refresh(), SETTLE_MS).unref();
  }

  async #refresh(): Promise<void> {
    const { connection } = this.#link;
    if (!connection || performance.now() <= this.#freshUntil) return;
    await this.#read(connection).catch((error) => this.#report('could not list its tools', error));
  }

  #report(problem: string, error: unknown): void {
    this.#deps.report(`the MCP server ${this.name} ${problem}`, error);
  }
}

/** Stops waiting, not the work, when the signal aborts. */
async function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
