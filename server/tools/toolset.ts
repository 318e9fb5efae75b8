import type { ApprovalSettings } from '../../contract/config.ts';
import type { ApprovalPolicy, ScopeDecision, SkillInfo } from '../../contract/tools.ts';
import { type ApprovalDecision, judgeApproval } from './approval-policy.ts';
import { denies } from './denies.ts';
import { decideCall, decideSkill, type Exposed, type Way } from './exposure.ts';
import { findGlob } from './glob.ts';
import { withinRequest } from './request-share.ts';
import { type Ceiling, counterpartOf, decide, reachesAllSessions, type Scope, type ScopedTool } from './scope.ts';
import type { InputSchema, Tool } from './tool.ts';

/** All tools and skills, before any scope is applied. */
export interface ToolCatalogue {
  tools(): readonly Tool[];
  find(name: string): Tool | undefined;
  skills(): readonly SkillInfo[];
  /** Those that are there for an agent. */
  agents(agentId: string): ReadonlyMap<string, Colleague>;
  /** Whether an agent runs tools itself. */
  ownsTools(agentId: string): boolean;
  approvals(): ApprovalSettings;
  /** What applies to tools of its source when the agent says nothing. */
  approvalDefault(tool: ScopedTool): ApprovalPolicy | undefined;
  /** MCP servers that the agent may use and whose tools are not known yet because they are still starting. */
  starting(scope: Scope): readonly string[];
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

/** On whose behalf and under which limits an agent works. */
export interface Standing {
  readonly ceilings: readonly Ceiling[];
  /** The agents that it works for, whether their ceiling applies or not. */
  readonly askers: readonly Scope[];
}

export const ON_ITS_OWN: Standing = { ceilings: [], askers: [] };

/** What one agent may use, as it stands. The one place where a call, a skill and an offer are decided. */
export class Toolset {
  readonly #catalogue: ToolCatalogue;
  readonly #scope: Scope;
  readonly #standing: Standing;
  readonly #exposed: Exposed;
  readonly offered: readonly OfferedTool[];
  readonly skills: readonly SkillInfo[];
  readonly agents: readonly Colleague[];
  /** MCP servers that are still starting: their tools are offered once they are there. */
  readonly starting: readonly string[];
  readonly #offeredNames: ReadonlySet<string>;

  constructor(catalogue: ToolCatalogue, scope: Scope, standing: Standing = ON_ITS_OWN) {
    this.#catalogue = catalogue;
    this.#scope = scope;
    this.#standing = standing;
    this.#exposed = { tools: catalogue.tools(), skills: new Set(catalogue.skills().map(({ id }) => id)) };
    this.skills = this.#usableSkills();
    this.offered = this.#offer();
    this.#offeredNames = new Set(this.offered.map((tool) => tool.name));
    this.agents = this.offers('agents_message') ? this.#colleagues() : [];
    this.starting = catalogue.starting(scope);
  }

  offers(name: string): boolean {
    return this.#offeredNames.has(name);
  }

  find(name: string): Tool | undefined {
    return this.#catalogue.find(name);
  }

  /** Whether the agent may call it, as its model or through a skill's command line. */
  decide(name: string, via: Way): ScopeDecision {
    const tool = this.#catalogue.find(name);
    if (!tool) return decide(this.#scope, { kind: 'unknown-tool', name });
    return decideCall(this.#exposed, this.#scope, tool, via, this.#standing.ceilings);
  }

  /** Whether the agent may give work to another. */
  decideAgent(agentId: string, uiVisible: boolean): ScopeDecision {
    return decide(this.#scope, { kind: 'agent', agentId, uiVisible }, this.#standing.ceilings);
  }

  /** Whether a sessions tool works beyond the turn's own tree. */
  reachesAllSessions(tool: string): boolean {
    return reachesAllSessions(this.#scope, tool, this.#standing.ceilings);
  }

  /** Whether a session in which this agent takes part is kept from the one that asks. */
  isKeptFrom(agentId: string): boolean {
    return findGlob(this.#scope.agentDenylist ?? [], agentId) !== undefined;
  }

  /** Whether what a tool shows is kept from the agent with every other tool, too. */
  denies(name: string): boolean {
    const tool = this.#catalogue.find(name);
    return tool !== undefined && denies(this.#scope, tool, this.#standing.ceilings);
  }

  /** Whether the agent may use a tool that it runs itself. */
  decideOwn(tool: ScopedTool): ScopeDecision {
    const counterpart = counterpartOf(this.#exposed.tools, tool);
    return decide(this.#scope, { kind: 'own-tool', tool, counterpart }, this.#standing.ceilings);
  }

  approval(tool: ScopedTool): ApprovalDecision {
    return judgeApproval(this.#scope, tool, {
      ...this.#standing,
      all: this.#exposed,
      agents: this.#catalogue.agents(this.#scope.agentId),
      ownsTools: this.#catalogue.ownsTools,
      settings: this.#catalogue.approvals(),
      sourceDefault: this.#catalogue.approvalDefault(tool),
    });
  }

  #offer(): OfferedTool[] {
    const allowed = this.#catalogue
      .tools()
      .filter((tool) => decideCall(this.#exposed, this.#scope, tool, 'model', this.#standing.ceilings).allowed);
    return withinRequest(allowed).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  }

  /** With the operations that the agent may use. */
  #usableSkills(): SkillInfo[] {
    const { ceilings } = this.#standing;
    return this.#catalogue
      .skills()
      .filter(({ id }) => decideSkill(this.#exposed, this.#scope, id, ceilings).allowed)
      .map((skill) => ({ ...skill, operations: skill.operations.filter((name) => this.#mayOperate(skill.id, name)) }));
  }

  #mayOperate(plugin: string, operation: string): boolean {
    const tool = this.#catalogue.tools().find((each) => each.source.id === plugin && each.operation === operation);
    return tool !== undefined && this.decide(tool.name, 'skill').allowed;
  }

  #colleagues(): Colleague[] {
    const all = [...this.#catalogue.agents(this.#scope.agentId).values()];
    return all.filter(({ agentId, uiVisible }) => this.decideAgent(agentId, uiVisible).allowed);
  }
}
