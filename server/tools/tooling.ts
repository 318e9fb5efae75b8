import type { Explanation, McpServerInfo, SkillInfo, ToolInfo } from '../../contract/tools.ts';
import { explain } from './explain.ts';
import type { Ceiling, Scope } from './scope.ts';
import type { Tool } from './tool.ts';
import type { Toolbox } from './toolbox.ts';
import { Toolset, Toolsets, type ToolWorld } from './toolset.ts';

/** Tools that servers elsewhere offer. */
export interface McpSide {
  /** Starts servers of which nothing is known yet. */
  ensureKnown(): Promise<void>;
  list(): McpServerInfo[];
  restart(name: string): Promise<McpServerInfo>;
  accept(name: string, hash: string): Promise<McpServerInfo>;
}

/** Everything about tools, for whoever serves turns and requests. */
export class Tooling {
  readonly #world: ToolWorld;
  readonly #toolbox: Toolbox;
  readonly #toolsets: Toolsets;
  readonly mcp: McpSide;

  constructor(world: ToolWorld, toolbox: Toolbox, mcp: McpSide) {
    this.#world = world;
    this.#toolbox = toolbox;
    this.#toolsets = new Toolsets(world);
    this.mcp = mcp;
  }

  /** What an agent may use. Servers nobody has asked for their tools yet are asked now. */
  async toolset(scope: Scope, ceilings: readonly Ceiling[]): Promise<Toolset> {
    await this.mcp.ensureKnown();
    return this.#toolsets.of(scope, ceilings);
  }

  find(name: string): Tool | undefined {
    return this.#toolbox.find(name);
  }

  findOperation(plugin: string, operation: string): Tool | undefined {
    return this.#toolbox.findOperation(plugin, operation);
  }

  async list(scope: Scope | null): Promise<ToolInfo[]> {
    await this.mcp.ensureKnown();
    const all = this.#world.tools();
    const toolset = scope && new Toolset(this.#world, scope, []);
    const usable = toolset ? all.filter((tool) => mayUse(toolset, tool.name)) : all;
    return usable.map(toInfo).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  skills(scope: Scope | null): SkillInfo[] {
    return [...(scope ? new Toolset(this.#world, scope, []).skills : this.#world.skills())];
  }

  async explain(agentId: string, tool: string | undefined): Promise<Explanation> {
    await this.mcp.ensureKnown();
    const { agents, tools, approvals, approvalDefault } = this.#world;
    const plugins = this.#toolbox.plugins().map((plugin) => plugin.id);
    const world = { agents: agents(), tools: tools(), plugins, settings: approvals(), approvalDefault };
    return explain(world, agentId, tool);
  }

  servers(): McpServerInfo[] {
    return this.mcp.list();
  }
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
