import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../contract/errors.ts';
import { say } from '../contract/texts.ts';
import type { AgentDirectory } from './agents/directory.ts';
import type { Configuration } from './config/configuration.ts';
import { writeProgram } from './home.ts';
import type { ProcessRegistry } from './processes/registry.ts';
import type { SqliteStore } from './storage/sqlite.ts';
import type { JudgeDeps } from './teams/judge-agent.ts';
import type { SampleAnswer, SampleRequest } from './tools/mcp/sampling.ts';
import { McpServers } from './tools/mcp/servers.ts';
import type { PermissionContext } from './tools/permission-context.ts';
import type { Plugin } from './tools/plugin.ts';
import { builtInPlugins, type KeptByPlugins } from './tools/plugins/built-in.ts';
import type { KeptMemories } from './tools/plugins/memory/memory.ts';
import { mightUseServer, type Scope } from './tools/scope.ts';
import { Toolbox } from './tools/toolbox.ts';
import { Tooling } from './tools/tooling.ts';
import { UserPlugins } from './tools/user-plugins.ts';
import { loadCall } from './turns/call-store.ts';
import type { Workspaces } from './workspaces/workspaces.ts';

export interface ToolingDeps {
  configuration: Configuration;
  store: SqliteStore;
  home: string;
  env: NodeJS.ProcessEnv;
  version: string;
  /** Known once the server listens. */
  url: () => string;
  registry: ProcessRegistry;
  agents: AgentDirectory;
  workspaces: Workspaces;
  kept: KeptByPlugins;
  memories: KeptMemories;
  waitingForMcp?: ((names: readonly string[]) => void) | undefined;
  report: (problem: string, error: unknown) => void;
  /** A plugin or a tool cannot be used, for a reason that the owner can do something about. */
  leftOut: (issue: string) => void;
}

export interface OpenTooling {
  tooling: Tooling;
  /** What decides about the rights of agents that are not there yet. */
  judge: JudgeDeps;
  /** Further built-in plugins, for which the tools had to be there first. Made when they are first needed. */
  add(plugins: () => readonly Plugin[]): void;
  /** Built-in tools are for other agents than before. */
  agentsChanged(): void;
  /** Ends every program that tools have started. */
  close(): Promise<void>;
}

const ISSUES_MS = 2000;

/** Every tool there is, from what is built in to what servers elsewhere offer. */
export async function openTooling(deps: ToolingDeps): Promise<OpenTooling> {
  const { configuration, registry, agents } = deps;
  await registry.reapLeftovers();
  let added: () => readonly Plugin[] = () => [];
  const userPlugins = await openUserPlugins(deps);
  const mcp = await openMcp(deps, registry);
  const builtIn = await openBuiltIn(deps, () => added());
  const toolbox: Toolbox = new Toolbox({
    builtIn: builtIn.plugins,
    settings: () => configuration.current.tools,
    userPlugins: () => userPlugins.list(),
    mcpTools: () => mcp.tools(),
  });
  const catalogue = {
    tools: () => toolbox.all(),
    find: (name: string) => toolbox.find(name),
    skills: () => toolbox.skills(),
    agents: (agentId: string) => agents.seenBy(agentId),
    ownsTools: (agentId: string) => agents.ownsTools(agentId),
    approvals: () => configuration.current.approvals,
    approvalDefault: approvalDefaultOf(configuration),
    starting: (scope: Scope) => mcp.starting((name, { agents }) => mightUseServer(scope, name, agents)),
  };
  reportIssues(deps, userPlugins.issues());
  // Name clashes are reported after the start: finding them loads every tool, and a start loads none.
  setTimeout(() => reportIssues(deps, toolbox.issues()), ISSUES_MS).unref();
  return {
    tooling: new Tooling(catalogue, toolbox, mcp, () => userPlugins.issues()),
    judge: {
      configuration,
      tools: () => toolbox.all(),
      approvalDefault: catalogue.approvalDefault,
      ownsTools: (agentId) => agents.ownsTools(agentId),
    },
    add: (plugins) => {
      added = plugins;
    },
    agentsChanged: builtIn.renew,
    async close() {
      await mcp.stop();
      await registry.stopAll();
    },
  };
}

/** What applies to the tools of a server when an agent says nothing. */
function approvalDefaultOf(configuration: Configuration): PermissionContext['approvalDefault'] {
  return ({ source }) => (source.kind === 'mcp' ? configuration.current.mcpServers[source.id]?.approval : undefined);
}

function reportIssues({ leftOut }: ToolingDeps, issues: readonly string[]): void {
  for (const issue of issues) leftOut(issue);
}

async function openUserPlugins(deps: ToolingDeps): Promise<UserPlugins> {
  const { configuration, home } = deps;
  const plugins = new UserPlugins({ home, wanted: () => configuration.current.plugins });
  await plugins.load();
  configuration.onChange(() => void plugins.load().then(() => reportIssues(deps, plugins.issues())));
  return plugins;
}

async function openMcp(deps: ToolingDeps, registry: ProcessRegistry): Promise<McpServers> {
  const servers = await readMcp(deps, registry);
  // A server that was taken out of the configuration is stopped at once, not with the next request for tools.
  deps.configuration.onChange(() => servers.refresh());
  return servers;
}

function readMcp(deps: ToolingDeps, registry: ProcessRegistry) {
  const { configuration, store, env, home, version, agents, waitingForMcp, report } = deps;
  return McpServers.open({
    db: store.db,
    settings: () => configuration.current.mcpServers,
    environment: env,
    folder: home,
    registry,
    version,
    sample: (request) => sample(agents, request),
    ...(waitingForMcp && { waitingFor: waitingForMcp }),
    report,
  });
}

/** A server that may ask a model asks the one of the agent that called it. */
async function sample(agents: AgentDirectory, request: SampleRequest): Promise<SampleAnswer> {
  const agent = request.caller.agentId === null ? undefined : agents.find(request.caller.agentId);
  const opened = agent && agents.open(agent);
  if (!agent || !opened?.complete) throw new AppError('agent_not_found', say('agent_not_found.sampling'));
  const { system, messages, maxTokens, temperature, signal } = request;
  const text = await opened.complete({ system: system ?? '', messages, maxTokens, temperature }, signal);
  return { model: agent.model, text };
}

async function openBuiltIn(
  deps: ToolingDeps,
  added: () => readonly Plugin[],
): Promise<{ plugins: () => readonly Plugin[]; renew: () => void }> {
  const { store, home, env, url, registry, workspaces, kept, memories, configuration } = deps;
  const programs = await writeProgram(home, programFile());
  const builtIn = {
    kept,
    memories,
    workspaces,
    settings: () => configuration.current.tools,
    registry,
    environment: () => ({ PARLEY_URL: url(), PATH: `${programs}${path.delimiter}${env.PATH ?? ''}` }),
    readOutput: async (from: { owner: string; sessionId: string | null }, callId: string) => {
      const call = await loadCall(store.db, from.owner, callId).catch(() => null);
      return call && (from.sessionId === null || call.session_id === from.sessionId) ? call.output : null;
    },
  };
  let made: readonly Plugin[] | undefined;
  return {
    plugins: () => {
      made ??= [...builtInPlugins(builtIn), ...added()];
      return made;
    },
    // What has been worked out for the list as it was is worked out anew for another list.
    renew: () => {
      made = made && [...made];
    },
  };
}

/** Sources and compiled files lie at different depths. */
function programFile(): string {
  const places = ['../bin/parley.mjs', '../../bin/parley.mjs'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  return places.find((place) => existsSync(place)) ?? places[0]!;
}
