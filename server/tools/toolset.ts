import type { ApprovalSettings } from '../../contract/config.ts';
import type { ApprovalPolicy, ScopeDecision, SkillInfo } from '../../contract/tools.ts';
import { decideApproval } from './approval-policy.ts';
import { type Ceiling, decide, type Scope } from './scope.ts';
import type { InputSchema, Tool } from './tool.ts';

/** Everything there is, before anybody's scope. */
export interface ToolWorld {
  tools(): readonly Tool[];
  find(name: string): Tool | undefined;
  skills(): readonly SkillInfo[];
  agents(): ReadonlyMap<string, Colleague>;
  approvals(): ApprovalSettings;
  /** What applies to tools of its source when the agent says nothing. */
  approvalDefault(tool: Tool): ApprovalPolicy | undefined;
}

export interface Colleague extends Scope {
  readonly displayName: string;
  readonly description: string;
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
}

/** What one agent may use under its ceilings. The one place where a call, a skill and an offer are decided. */
export class Toolset {
  readonly #world: ToolWorld;
  readonly #scope: Scope;
  readonly #ceilings: readonly Ceiling[];
  readonly offered: readonly OfferedTool[];
  readonly skills: readonly SkillInfo[];
  readonly agents: readonly Colleague[];
  readonly #offeredNames: ReadonlySet<string>;

  constructor(world: ToolWorld, scope: Scope, ceilings: readonly Ceiling[]) {
    this.#world = world;
    this.#scope = scope;
    this.#ceilings = ceilings;
    this.skills = world.skills().filter((skill) => this.#skillDecision(skill.id).allowed);
    this.offered = this.#offer();
    this.#offeredNames = new Set(this.offered.map((tool) => tool.name));
    this.agents = this.offers('agents_message') ? this.#colleagues() : [];
  }

  offers(name: string): boolean {
    return this.#offeredNames.has(name);
  }

  find(name: string): Tool | undefined {
    return this.#world.find(name);
  }

  /** Whether the agent may call it, as its model or through a skill's command line. */
  decide(name: string, via: 'model' | 'skill'): ScopeDecision {
    const tool = this.#world.find(name);
    if (!tool) return decide(this.#scope, { kind: 'unknown-tool', name });
    const decision = decide(this.#scope, { kind: 'tool', tool }, this.#ceilings);
    if (!decision.allowed) return decision;
    if (via === 'skill') return this.#skillDecision(tool.source.id);
    return this.#isSkillOnly(tool) ? onlyAsSkill(tool, this.#scope) : decision;
  }

  /** Whether the agent may give work to another. */
  decideAgent(agentId: string, uiVisible: boolean): ScopeDecision {
    return decide(this.#scope, { kind: 'agent', agentId, uiVisible }, this.#ceilings);
  }

  approval(tool: Tool): { policy: ApprovalPolicy; rule: string } {
    const settings = this.#world.approvals();
    return decideApproval(this.#scope, tool, settings, this.#world.approvalDefault(tool), this.#ceilings);
  }

  /** The housekeeping tools are of no use to somebody who has nothing else. */
  #offer(): OfferedTool[] {
    const allowed = this.#world
      .tools()
      .filter((tool) => decide(this.#scope, { kind: 'tool', tool }, this.#ceilings).allowed)
      .filter((tool) => !this.#isSkillOnly(tool));
    if (allowed.every((tool) => tool.name.startsWith('system_'))) return [];
    return allowed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  }

  #isSkillOnly(tool: Tool): boolean {
    return (
      this.#scope.toolExposure === 'skills' &&
      tool.operation !== undefined &&
      this.skills.some((skill) => skill.id === tool.source.id)
    );
  }

  #skillDecision(plugin: string): ScopeDecision {
    return decide(this.#scope, { kind: 'skill', plugin }, this.#ceilings);
  }

  #colleagues(): Colleague[] {
    const all = [...this.#world.agents().values()];
    return all.filter(({ agentId, uiVisible }) => this.decideAgent(agentId, uiVisible).allowed);
  }
}

function onlyAsSkill(tool: Tool, { agentId }: Scope): ScopeDecision {
  return {
    allowed: false,
    rule: { list: 'toolExposure', pattern: 'skills', subject: tool.name, of: agentId },
    reason: `toolExposure of ${agentId} is "skills": ${tool.name} is used as \`parley tool ${tool.source.id} ${tool.operation}\`.`,
  };
}

interface Known {
  readonly tools: readonly Tool[];
  readonly agents: unknown;
  readonly toolset: Toolset;
}

/** Toolsets of agents without a ceiling, kept as long as neither the agents nor the tools change. */
export class Toolsets {
  readonly #world: ToolWorld;
  readonly #known = new WeakMap<Scope, Known>();

  constructor(world: ToolWorld) {
    this.#world = world;
  }

  of(scope: Scope, ceilings: readonly Ceiling[]): Toolset {
    if (ceilings.length > 0) return new Toolset(this.#world, scope, ceilings);
    const [tools, agents] = [this.#world.tools(), this.#world.agents()];
    const known = this.#known.get(scope);
    if (known && known.tools === tools && known.agents === agents) return known.toolset;
    const toolset = new Toolset(this.#world, scope, []);
    this.#known.set(scope, { tools, agents, toolset });
    return toolset;
  }
}
