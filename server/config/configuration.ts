import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Agent, AgentDefinition, AgentPatch, AgentTemplate, ConfigurationState } from '../../contract/agents.ts';
import { ConfigFile, LogLevel, ServerSettings } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { type Checked, checkOnce } from '../validation.ts';
import { workspaceIssues } from '../workspaces/overlap.ts';
import { refuseUnconfirmedPrograms, startsNothingNew } from './confirmed-programs.ts';
import { refuseNames } from './display-names.ts';
import { finishEdits, writeEdits } from './edit-journal.ts';
import { afterEdit, createEdit, deleteEdit, type EditBase, refuseSecretToNewHost, updateEdit } from './edits.ts';
import type { Entry } from './entries.ts';
import { entryOfBroken, type LastGood, lastGoodOf, NOTHING_KNOWN, type Recalled, toEntry } from './entries.ts';
import { type Environment, variable } from './environment.ts';
import { bySource, type Edit, type HomeFiles, readHome } from './home-files.ts';
import { unsafeKeys } from './json.ts';
import { entriesOfMain, entryOfFile } from './read-entries.ts';
import { resolveUsable } from './resolve.ts';
import { sendsSecret } from './secrets.ts';
import { createEdits, deleteEdits } from './team-edits.ts';
import { builtInTemplates } from './templates.ts';
import { listAgents } from './views.ts';
import { HomeWatch } from './watch-home.ts';

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

/** `edited`: the agent whose definition was changed through the API, which is therefore the same agent as before. */
export type ConfigurationListener = (current: Config, state: ConfigurationState, edited: string | null) => void;

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
  #lastGood: LastGood;
  #watch: HomeWatch | undefined;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(options: ConfigurationOptions, files: HomeFiles, built: Usable) {
    this.#home = options.home;
    this.#env = options.env ?? process.env;
    this.#overrides = options.overrides ?? {};
    this.#current = built.config;
    this.#state = stateWith(built);
    this.#lastGood = lastGoodOf(built.entries);
    this.#fingerprint = fingerprintOf(files);
    this.#hasMain = files.main !== null;
  }

  /**
   * Throws `configuration_invalid` when `parley.json` is not valid: a first load has nothing to fall back on. Agents whose
   * definitions have errors are unavailable, and `state` says why.
   */
  static async load(options: ConfigurationOptions): Promise<Configuration> {
    await finishEdits(options.home);
    const files = await readHome(options.home);
    const { home, env = process.env, overrides = {} } = options;
    const configuration = new Configuration(options, files, usable(build(home, files, env, overrides, NOTHING_KNOWN)));
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

  /** Definitions from before the start, for agents whose files have errors now. */
  async recall(definitions: readonly Recalled[]): Promise<void> {
    if (this.#state.valid) return;
    await this.#inTurn(async () => {
      const { byId, bySource } = lastGoodOf(definitions.flatMap(toEntry));
      this.#lastGood = {
        byId: new Map([...byId, ...this.#lastGood.byId]),
        bySource: new Map([...bySource, ...this.#lastGood.bySource]),
      };
      this.#fingerprint = '';
      await this.#read();
    });
  }

  reload(): Promise<ConfigurationState> {
    return this.#inTurn(() => this.#read());
  }

  /** As if it were created now: what it would be, or why it could not be. */
  async judgeAgent(definition: AgentDefinition): Promise<{ agent: ResolvedAgent | undefined; issues: string[] }> {
    try {
      const [agent] = await this.previewAgents([definition]);
      return { agent, issues: [] };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { agent: undefined, issues: [...(error.issues ?? [error.message])] };
    }
  }

  /**
   * New agents as they would be if they were created together, in the same order. Throws when they could not be, or were to
   * start a program that is not confirmed.
   */
  async previewAgents(definitions: readonly AgentDefinition[], confirmed?: string): Promise<ResolvedAgent[]> {
    const plan = (ground: EditBase) => createEdits(ground, definitions);
    const { config } = await this.#inTurn(() => this.#plan(plan, { confirmed }));
    return definitions.map(({ agentId }) => config.agents.get(agentId)!);
  }

  /** The same, whether or not the programs that would be started are confirmed: to be looked at only. */
  async draftAgents(definitions: readonly AgentDefinition[]): Promise<ResolvedAgent[]> {
    const { after } = await this.#inTurn(() => this.#draft((ground) => createEdits(ground, definitions), null));
    return definitions.map(({ agentId }) => after.agents.get(agentId)!);
  }

  /** The agent as it would be with these changes, or a new one made of them. Nothing is written. */
  async previewAgent(agentId: string, changes: AgentPatch): Promise<{ agent: ResolvedAgent; mayStart: boolean }> {
    const plan = (ground: EditBase) => [
      ground.agents.has(agentId)
        ? updateEdit(ground, agentId, changes)
        : createEdit(ground, { agentId, ...changes } as AgentDefinition),
    ];
    const keySentFor = sendsSecret(changes) ? agentId : null;
    const { before, after } = await this.#inTurn(() => this.#draft(plan, keySentFor));
    const agent = after.agents.get(agentId)!;
    return { agent, mayStart: startsNothingNew(this.#toJudge(before), agent) };
  }

  /** `confirmed`: what the person has confirmed, for an agent that starts a program (`command_unconfirmed` says what). */
  async createAgent(definition: AgentDefinition, confirmed?: string): Promise<ResolvedAgent> {
    await this.#change((ground) => [createEdit(ground, definition)], { confirmed });
    return this.#agent(definition.agentId);
  }

  /** An absent field stays, `null` clears. Given a version, refuses when the agent is no longer at it. */
  async updateAgent(agentId: string, patch: AgentPatch, version?: string, confirmed?: string): Promise<ResolvedAgent> {
    const means = { keySentFor: sendsSecret(patch) ? agentId : null, confirmed, edited: agentId };
    await this.#change((ground) => [updateEdit(ground, agentId, patch, version)], means);
    return this.#agent(agentId);
  }

  /** All of them or none, also when the process is killed meanwhile. */
  async createAgents(definitions: readonly AgentDefinition[], confirmed?: string): Promise<ResolvedAgent[]> {
    await this.#change((ground) => createEdits(ground, definitions), { confirmed });
    return definitions.map(({ agentId }) => this.#agent(agentId));
  }

  /** The same. Refused when one of them is no longer at its version. */
  async deleteAgents(versions: ReadonlyMap<string, string>): Promise<void> {
    await this.#change((ground) => deleteEdits(ground, versions));
  }

  async deleteAgent(agentId: string, version?: string): Promise<void> {
    await this.#change((ground) => [deleteEdit(ground, agentId, version)]);
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

  async #read(edited: string | null = null): Promise<ConfigurationState> {
    const files = await readHome(this.#home);
    const fingerprint = fingerprintOf(files);
    if (fingerprint === this.#fingerprint) return this.#state;
    this.#fingerprint = fingerprint;
    const built = this.#build(files);
    const vanished = this.#vanished(files);
    if (built.config && vanished.length === 0) this.#adopt(files, usable(built));
    else this.#state = Object.freeze({ ...this.#state, valid: false, issues: [...built.issues, ...vanished] });
    for (const listener of this.#listeners) listener(this.#current, this.#state, edited);
    return this.#state;
  }

  /** Some editors remove the file before they write it anew, so a missing file does not reset all settings. */
  #vanished(files: HomeFiles): string[] {
    return this.#hasMain && files.main === null && files.issues.length === 0 ? ['parley.json is missing'] : [];
  }

  #build(files: HomeFiles): Built {
    return build(this.#home, files, this.#env, this.#overrides, this.#lastGood);
  }

  #adopt(files: HomeFiles, built: Usable): void {
    this.#current = built.config;
    this.#lastGood = lastGoodOf(built.entries);
    this.#state = stateWith(built);
    this.#hasMain = files.main !== null;
  }

  #change(plan: Plan, means: ChangeMeans & { edited?: string } = {}): Promise<void> {
    return this.#inTurn(async () => {
      const { edits } = await this.#plan(plan, means);
      await writeEdits(this.#home, edits);
      await this.#read(means.edited);
    });
  }

  /** The edit, and the configuration as it will be with it. Throws when there could be no such configuration. */
  async #plan(
    plan: Plan,
    { keySentFor = null, confirmed }: ChangeMeans = {},
  ): Promise<{ edits: readonly Edit[]; config: Config }> {
    const { edits, before, after } = await this.#draft(plan, keySentFor);
    refuseUnconfirmedPrograms(this.#toJudge(before), this.#toJudge(after), confirmed);
    return { edits, config: after };
  }

  #toJudge({ agents, tools }: Config) {
    return { home: this.#home, agents, tools };
  }

  /** The same, whether or not the programs that would be started, and what they may do, are confirmed. */
  async #draft(plan: Plan, keySentFor: string | null): Promise<Draft> {
    const files = await readHome(this.#home);
    refuse(this.#vanished(files));
    const { config, issues, ...found } = usable(this.#build(files));
    const before = { files, ...found, agents: config.agents };
    const edits = plan(before);
    const filesAfter = edits.reduce(afterEdit, files);
    const { config: next, issues: left, ...changed } = usable(this.#build(filesAfter));
    // Errors that are there already in other files are not this change's.
    refuse(left.filter((issue) => !issues.includes(issue)));
    const after = { files: filesAfter, ...changed, agents: next.agents };
    refuseSecretToNewHost(before, after, keySentFor);
    refuseNames(before, after);
    return { edits, before: config, after: next };
  }

  #agent(agentId: string): ResolvedAgent {
    const agent = this.#current.agents.get(agentId);
    if (!agent) throw new AppError('agent_not_found', say('agent_not_found', { id: agentId }));
    return agent;
  }
}

type Plan = (base: EditBase) => readonly Edit[];

/** A change with what it starts from and leads to. */
interface Draft {
  readonly edits: readonly Edit[];
  readonly before: Config;
  readonly after: Config;
}

/** What comes with a change besides the change itself. */
interface ChangeMeans {
  /** The agent whose key comes with the change, and may therefore go to another host. */
  keySentFor?: string | null;
  /** What the person has confirmed. */
  confirmed?: string | undefined;
}

/** Judges a data folder without starting anything. */
export async function checkConfiguration(
  home: string,
  env: Environment,
): Promise<{ valid: boolean; issues: string[]; warnings: string[]; agents: Agent[]; plugins: readonly string[] }> {
  const built = build(home, await readHome(home), env, {}, NOTHING_KNOWN);
  const issues = [...built.issues, ...built.nameProblems.values()];
  const agents = built.config ? listAgents(built.config, { includeHidden: true }) : [];
  const warnings = built.config ? await warningsIn(built.config) : [];
  return { valid: issues.length === 0, issues, warnings, agents, plugins: built.config?.plugins ?? [] };
}

async function warningsIn(config: Config): Promise<string[]> {
  const { agentWarnings } = await import('./views.ts');
  const found = [...config.agents.values()].map(async (agent) =>
    (await agentWarnings(agent, config)).map(({ message }) => `${agent.agentId}: ${message}`),
  );
  return (await Promise.all(found)).flat();
}

interface Built {
  /** Absent when `parley.json` itself is not valid. */
  config?: Config;
  entries: Entry[];
  issues: string[];
  nameProblems: ReadonlyMap<string, string>;
}

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map();

type Usable = Required<Built>;

function build(
  home: string,
  files: HomeFiles,
  env: Environment,
  overrides: ConfigOverrides,
  lastGood: LastGood,
): Built {
  const json = files.main ? files.main.json : {};
  const main = files.issues.length > 0 ? NOT_READ : checkMain(json, env, overrides);
  const places = main.value ? workspaceIssues(home, main.value.tools.files.workspaces) : [];
  const own = agentEntries(files, lastGood);
  const issues = [...files.issues, ...main.issues, ...places, ...own.issues];
  if (!main.value || places.length > 0) return { entries: [], issues, nameProblems: NO_PROBLEMS };
  const entries = [...entriesOfMain(main.value, json), ...own.entries, ...builtInTemplates()];
  const resolved = resolveUsable(home, entries, env, lastGood);
  const config = freezeConfig(main.value, resolved.agents, resolved.templates);
  const { nameProblems } = resolved;
  return { config, entries: resolved.entries, issues: [...issues, ...resolved.issues], nameProblems };
}

const NOT_READ: Checked<ConfigFile> = { value: undefined, issues: [] };

/** One file at a time: what is wrong with one of them says nothing about the others. */
function agentEntries(files: HomeFiles, lastGood: LastGood): { entries: Entry[]; issues: string[] } {
  const checked = files.agentFiles.map((file) => ({ ...file, ...entryOfFile(file) }));
  const broken = [...files.brokenFiles, ...checked.filter(({ entry }) => entry === undefined)].sort(bySource);
  const entries = [
    ...checked.flatMap(({ entry }) => entry ?? []),
    ...broken.flatMap((file) => entryOfBroken(file, lastGood)),
  ];
  return { entries: entries.sort(bySource), issues: broken.flatMap(({ issues }) => issues) };
}

function usable({ config, ...built }: Built): Usable {
  if (!config) refuse(built.issues);
  return { config: config!, ...built };
}

function refuse(issues: string[]): void {
  if (issues.length === 0) return;
  throw new AppError('configuration_invalid', say('configuration_invalid', { issues: issues.join('; ') }), { issues });
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

function stateWith({ issues, nameProblems }: Built): ConfigurationState {
  const all = [...issues, ...nameProblems.values()];
  return deepFreeze({ valid: issues.length === 0, issues: all, loadedAt: new Date().toISOString() });
}

function fingerprintOf(files: HomeFiles): string {
  const texts = [files.main, ...files.agentFiles].map((file) => [file?.source, file?.text]);
  return createHash('sha256')
    .update(JSON.stringify([texts, files.brokenFiles, files.issues]))
    .digest('hex');
}
