import type { Explanation, McpServerInfo, SkillInfo, ToolInfo } from '../../contract/tools.ts';
import { explain } from './explain.ts';
import type { WantedServers } from './mcp/servers.ts';
import { mightUseServer, type Scope } from './scope.ts';
import type { Tool } from './tool.ts';
import type { Toolbox } from './toolbox.ts';
import { type Standing, type ToolCatalogue, Toolset } from './toolset.ts';

/** Tools that servers elsewhere offer. */
export interface McpSide {
  /** Starts the new servers that are wanted and waits a short time for their tools, once for each. */
  ensureKnown(wanted?: WantedServers): Promise<void>;
  /** Waits a short time for new servers that are starting. */
  whenStarted(): Promise<void>;
  /** Starts new servers in the background, now and whenever the configuration names another one. */
  meetNewServers(): void;
  list(): McpServerInfo[];
  restart(name: string): Promise<McpServerInfo>;
  accept(name: string, hash: string): Promise<McpServerInfo>;
}

/** Everything about tools that turns and routes need. */
export class Tooling {
  readonly #catalogue: ToolCatalogue;
  readonly #toolbox: Toolbox;
  /** Toolsets of agents that work on their own, kept as long as neither the agents nor the tools change. */
  readonly #toolsets = new WeakMap<Scope, KnownToolset>();
  readonly #pluginIssues: () => readonly string[];
  readonly mcp: McpSide;

  constructor(catalogue: ToolCatalogue, toolbox: Toolbox, mcp: McpSide, pluginIssues: () => readonly string[]) {
    this.#pluginIssues = pluginIssues;
    this.#catalogue = catalogue;
    this.#toolbox = toolbox;
    this.mcp = mcp;
  }

  /** What an agent may use. It waits, for a short time, only for new MCP servers that the agent may use. */
  async toolset(scope: Scope, standing: Standing): Promise<Toolset> {
    await this.mcp.ensureKnown((name, settings) => mightUseServer(scope, name, settings.agents));
    if (standing.ceilings.length + standing.askers.length > 0) return new Toolset(this.#catalogue, scope, standing);
    const [tools, agents] = [this.#catalogue.tools(), this.#catalogue.agents(scope.agentId)];
    const known = this.#toolsets.get(scope);
    const isStarting = (known?.toolset.starting.length ?? 0) > 0;
    if (known && known.tools === tools && known.agents === agents && !isStarting) return known.toolset;
    const toolset = new Toolset(this.#catalogue, scope);
    this.#toolsets.set(scope, { tools, agents, toolset });
    return toolset;
  }

  /** Plugins and tools that were left out, and why. */
  issues(): string[] {
    return [...this.#pluginIssues(), ...this.#toolbox.issues()];
  }

  find(name: string): Tool | undefined {
    return this.#toolbox.find(name);
  }

  findOperation(plugin: string, operation: string): Tool | undefined {
    return this.#toolbox.findOperation(plugin, operation);
  }

  async list(scope: Scope | null): Promise<ToolInfo[]> {
    await this.mcp.whenStarted();
    const all = this.#catalogue.tools();
    const toolset = scope && new Toolset(this.#catalogue, scope);
    const usable = toolset ? all.filter((tool) => mayUse(toolset, tool.name)) : all;
    return usable.map(toInfo).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  skills(scope: Scope | null): SkillInfo[] {
    return [...(scope ? new Toolset(this.#catalogue, scope).skills : this.#catalogue.skills())];
  }

  async explain(agentId: string, tool: string | undefined): Promise<Explanation> {
    await this.mcp.whenStarted();
    const { agents, tools, approvals, approvalDefault, ownsTools } = this.#catalogue;
    const plugins = this.#toolbox.skills().map(({ id }) => id);
    const context = {
      agents: agents(agentId),
      tools: tools(),
      plugins,
      settings: approvals(),
      approvalDefault,
      ownsTools,
    };
    return explain(context, agentId, tool);
  }

  servers(): McpServerInfo[] {
    return this.mcp.list();
  }
}

interface KnownToolset {
  readonly tools: readonly Tool[];
  readonly agents: unknown;
  readonly toolset: Toolset;
}

/** As its model is offered it, or through a skill. */
function mayUse(toolset: Toolset, name: string): boolean {
  return toolset.offers(name) || toolset.decide(name, 'skill').allowed;
}

function toInfo({ name, description, inputSchema, capabilities, source, risk }: Tool): ToolInfo {
  return {
    name,
    description,
    inputSchema: inputSchema as ToolInfo['inputSchema'],
    capabilities: [...capabilities],
    source,
    risk,
  };
}
