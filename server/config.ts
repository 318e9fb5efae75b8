import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Agent, AgentDefinition, AgentPatch, AgentTemplate, ConfigurationState } from '../contract/agents.ts';
import { ConfigFile, LogLevel, ServerSettings } from '../contract/config.ts';
import { AppError } from '../contract/errors.ts';
import { afterEdit, createEdit, deleteEdit, type Ground, updateEdit } from './agents/definitions/edits.ts';
import type { Entry } from './agents/definitions/entries.ts';
import { type Environment, variable } from './agents/definitions/environment.ts';
import { type HomeFiles, readHome } from './agents/definitions/home-files.ts';
import { type Checked, checkOnce } from './agents/definitions/issues.ts';
import { unsafeKeys } from './agents/definitions/json.ts';
import { entriesOfMain, entryOfFile } from './agents/definitions/read-entries.ts';
import { resolveAll } from './agents/definitions/resolve.ts';
import { builtInTemplates } from './agents/definitions/templates.ts';
import { listAgents } from './agents/definitions/views.ts';
import { HomeWatch } from './agents/definitions/watch-home.ts';
import { type Edit, writeEdit } from './agents/definitions/write-file.ts';
import type { ResolvedAgent } from './agents/resolved-agent.ts';

/** Everything that is configured, frozen: a change makes a new one. */
export interface Config extends Readonly<Omit<ConfigFile, '$schema' | 'agents' | 'templates'>> {
  readonly agents: ReadonlyMap<string, ResolvedAgent>;
  /** Configured ones, then those that are built in; keys redacted. */
  readonly templates: readonly AgentTemplate[];
}

/** What the command line and the environment say over the file. */
export interface ConfigOverrides {
  host?: string | undefined;
  port?: number | undefined;
  logLevel?: LogLevel | undefined;
}

export interface ConfigurationOptions {
  home: string;
  env?: Environment;
  overrides?: ConfigOverrides;
  watch?: boolean;
}

export type ConfigurationListener = (current: Config, state: ConfigurationState) => void;

/**
 * The configuration of one data folder, followed as its files change. A bad change leaves the last good configuration
 * in force and says so in `state`. Reads and writes happen one at a time.
 */
export class Configuration {
  readonly #home: string;
  readonly #env: Environment;
  readonly #overrides: ConfigOverrides;
  readonly #listeners = new Set<ConfigurationListener>();
  #current: Config;
  #state: ConfigurationState;
  #fingerprint: string;
  #hasMain: boolean;
  #watch: HomeWatch | undefined;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(options: ConfigurationOptions, files: HomeFiles, config: Config) {
    this.#home = options.home;
    this.#env = options.env ?? process.env;
    this.#overrides = options.overrides ?? {};
    this.#current = config;
    this.#state = goodState();
    this.#fingerprint = fingerprintOf(files);
    this.#hasMain = files.main !== null;
  }

  /** Throws `configuration_invalid`: a first load has no last good configuration to fall back on. */
  static async load(options: ConfigurationOptions): Promise<Configuration> {
    const files = await readHome(options.home);
    const { config } = accept(build(files, options.env ?? process.env, options.overrides ?? {}));
    const configuration = new Configuration(options, files, config);
    if (options.watch ?? true) await configuration.#follow();
    return configuration;
  }

  get current(): Config {
    return this.#current;
  }

  get state(): ConfigurationState {
    return this.#state;
  }

  /** Called after every change of `current` or `state`. */
  onChange(listener: ConfigurationListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  reload(): Promise<ConfigurationState> {
    return this.#inTurn(() => this.#read());
  }

  /** As if it were created now: what it would be, or why it could not be. */
  async judgeAgent(definition: AgentDefinition): Promise<{ agent: ResolvedAgent | undefined; issues: string[] }> {
    try {
      const { config } = await this.#inTurn(() => this.#plan((ground) => createEdit(ground, definition)));
      return { agent: config.agents.get(definition.agentId), issues: [] };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { agent: undefined, issues: [...(error.issues ?? [error.message])] };
    }
  }

  async createAgent(definition: AgentDefinition): Promise<ResolvedAgent> {
    await this.#change((ground) => createEdit(ground, definition));
    return this.#agent(definition.agentId);
  }

  /** An absent field stays, `null` clears. Given a version, refuses when the agent is no longer at it. */
  async updateAgent(agentId: string, patch: AgentPatch, version?: string): Promise<ResolvedAgent> {
    await this.#change((ground) => updateEdit(ground, agentId, patch, version));
    return this.#agent(agentId);
  }

  async deleteAgent(agentId: string, version?: string): Promise<void> {
    await this.#change((ground) => deleteEdit(ground, agentId, version));
  }

  async close(): Promise<void> {
    this.#watch?.close();
    this.#listeners.clear();
    await this.#last;
  }

  /** What changed between the first reading and the watch is found by reading once more. */
  async #follow(): Promise<void> {
    this.#watch = await HomeWatch.start(this.#home, () => void this.reload());
    await this.reload();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #read(): Promise<ConfigurationState> {
    const files = await readHome(this.#home);
    const fingerprint = fingerprintOf(files);
    if (fingerprint === this.#fingerprint) return this.#state;
    this.#fingerprint = fingerprint;
    const { config, issues } = build(files, this.#env, this.#overrides);
    const refused = [...issues, ...this.#vanished(files)];
    if (config && refused.length === 0) this.#adopt(files, config);
    else this.#state = Object.freeze({ ...this.#state, valid: false, issues: refused });
    for (const listener of this.#listeners) listener(this.#current, this.#state);
    return this.#state;
  }

  /** Some editors take the file away before they write it anew; nobody means to drop all settings that way. */
  #vanished(files: HomeFiles): string[] {
    return this.#hasMain && files.main === null && files.issues.length === 0 ? ['parley.json is missing'] : [];
  }

  #adopt(files: HomeFiles, config: Config): void {
    this.#current = config;
    this.#state = goodState();
    this.#hasMain = files.main !== null;
  }

  #change(plan: (ground: Ground) => Edit): Promise<void> {
    return this.#inTurn(async () => {
      const { edit } = await this.#plan(plan);
      await writeEdit(this.#home, edit);
      await this.#read();
    });
  }

  /** The edit, and the configuration as it will be with it. Throws when there could be no such configuration. */
  async #plan(plan: (ground: Ground) => Edit): Promise<{ edit: Edit; config: Config }> {
    const files = await readHome(this.#home);
    refuse(this.#vanished(files));
    const { config, entries } = accept(build(files, this.#env, this.#overrides));
    const edit = plan({ files, entries, agents: config.agents });
    return { edit, config: accept(build(afterEdit(files, edit), this.#env, this.#overrides)).config };
  }

  #agent(agentId: string): ResolvedAgent {
    const agent = this.#current.agents.get(agentId);
    if (!agent) throw new AppError('agent_not_found', `There is no agent ${agentId}.`);
    return agent;
  }
}

/** Judges a data folder without starting anything. */
export async function checkConfiguration(
  home: string,
  env: Environment,
): Promise<{ valid: boolean; issues: string[]; agents: Agent[] }> {
  const { config, issues } = build(await readHome(home), env, {});
  return { valid: config !== undefined, issues, agents: config ? listAgents(config, { includeHidden: true }) : [] };
}

interface Built {
  config?: Config;
  entries: Entry[];
  issues: string[];
}

function build(files: HomeFiles, env: Environment, overrides: ConfigOverrides): Built {
  if (files.issues.length > 0) return { entries: [], issues: [...files.issues] };
  const json = files.main ? files.main.json : {};
  const main = checkMain(json, env, overrides);
  const own = files.agentFiles.map(entryOfFile);
  const issues = [...main.issues, ...own.flatMap((file) => file.issues)];
  if (!main.value || issues.length > 0) return { entries: [], issues };
  const entries = [
    ...entriesOfMain(main.value, json),
    ...own.flatMap(({ entry }) => entry ?? []),
    ...builtInTemplates(),
  ];
  const { agents, templates, issues: unresolved } = resolveAll(entries, env);
  if (unresolved.length > 0) return { entries, issues: unresolved };
  return { config: freezeConfig(main.value, agents, templates), entries, issues: [] };
}

function accept(built: Built): { config: Config; entries: Entry[] } {
  refuse(built.issues);
  return { config: built.config!, entries: built.entries };
}

function refuse(issues: string[]): void {
  if (issues.length === 0) return;
  throw new AppError('configuration_invalid', `The configuration is not valid: ${issues.join('; ')}`, { issues });
}

const Overrides = z.object({
  host: z.string().min(1).optional(),
  port: ServerSettings.shape.port.unwrap().optional(),
  logLevel: LogLevel.optional(),
});

const EnvironmentOverrides = z.object({
  PARLEY_HOST: Overrides.shape.host,
  PARLEY_PORT: Overrides.shape.port,
  PARLEY_LOG_LEVEL: Overrides.shape.logLevel,
});

/** The command line wins over the environment, and that over the file. */
function checkMain(json: unknown, env: Environment, overrides: ConfigOverrides): Checked<ConfigFile> {
  const unsafe = unsafeKeys(json, { path: [] });
  if (unsafe.length > 0) return { value: undefined, issues: unsafe };
  const file = checkOnce(ConfigFile, json);
  const environment = checkOnce(EnvironmentOverrides, environmentOverrides(env));
  const given = checkOnce(Overrides, overrides);
  const issues = [...file.issues, ...environment.issues, ...given.issues];
  if (!file.value || !environment.value || !given.value) return { value: undefined, issues };
  const { PARLEY_HOST: host, PARLEY_PORT: port, PARLEY_LOG_LEVEL: logLevel } = environment.value;
  return { value: override(override(file.value, { host, port, logLevel }), given.value), issues: [] };
}

function environmentOverrides(env: Environment): Record<string, unknown> {
  const port = variable(env, 'PARLEY_PORT');
  return {
    PARLEY_HOST: variable(env, 'PARLEY_HOST'),
    PARLEY_PORT: port !== undefined && /^\d+$/.test(port) ? Number(port) : port,
    PARLEY_LOG_LEVEL: variable(env, 'PARLEY_LOG_LEVEL'),
  };
}

function override(file: ConfigFile, { host, port, logLevel }: ConfigOverrides): ConfigFile {
  const server = { ...file.server, host: host ?? file.server.host, port: port ?? file.server.port };
  return { ...file, server, log: { ...file.log, level: logLevel ?? file.log.level } };
}

function freezeConfig(file: ConfigFile, agents: Map<string, ResolvedAgent>, templates: AgentTemplate[]): Config {
  const { $schema: _, agents: _agents, templates: _templates, ...settings } = file;
  for (const agent of agents.values()) deepFreeze(agent);
  return deepFreeze({ ...settings, agents: lockMap(agents), templates });
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}

/** Freezing a map does not stop it from being changed. */
function lockMap<K, V>(map: Map<K, V>): ReadonlyMap<K, V> {
  const refuse = () => {
    throw new TypeError('The configuration is read-only.');
  };
  return Object.defineProperties(map, { set: { value: refuse }, delete: { value: refuse }, clear: { value: refuse } });
}

function goodState(): ConfigurationState {
  return deepFreeze({ valid: true, issues: [], loadedAt: new Date().toISOString() });
}

function fingerprintOf(files: HomeFiles): string {
  const texts = [files.main, ...files.agentFiles].map((file) => [file?.source, file?.text]);
  return createHash('sha256')
    .update(JSON.stringify([texts, files.issues]))
    .digest('hex');
}
