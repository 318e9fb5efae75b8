import type { AgentDefinition } from '../../contract/agents.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import type { Configuration } from '../config/configuration.ts';
import { matchGlob } from '../tools/glob.ts';
import { approvalOf, mayUse, type PermissionContext } from '../tools/permission-context.ts';
import type { Tool } from '../tools/tool.ts';

export interface JudgeDeps {
  readonly configuration: Configuration;
  /** All there are, known once the plugins are open. */
  readonly tools: () => readonly Tool[];
  readonly approvalDefault: PermissionContext['approvalDefault'];
  readonly ownsTools: (agentId: string) => boolean;
}

export interface RightsJudgement {
  readonly notes: string[];
  readonly mayUse: string[];
  readonly mayAskToUse: string[];
}

/** What an agent would be allowed, as resolved, among these agents, and what is worth knowing of it. */
export function judgeRights(
  deps: JudgeDeps,
  agent: ResolvedAgent,
  agents: ReadonlyMap<string, ResolvedAgent>,
): RightsJudgement {
  const { approvalDefault, ownsTools, configuration } = deps;
  const settings = configuration.current.approvals;
  const context = { agents, tools: deps.tools(), plugins: [], settings, approvalDefault, ownsTools };
  const usable = context.tools.filter((tool) => mayUse(context, agent, tool));
  const asks = (tool: Tool) => approvalOf(context, agent, tool).policy === 'ask';
  return {
    notes: notesOn(agent.definition, agent, context),
    mayUse: usable.filter((tool) => !asks(tool)).map(({ name }) => name),
    mayAskToUse: usable.filter(asks).map(({ name }) => name),
  };
}

function notesOn(
  definition: AgentDefinition,
  { unavailableReason }: ResolvedAgent,
  context: PermissionContext,
): string[] {
  const tools = context.tools.map(({ name }) => name);
  const capabilities = context.tools.flatMap((tool) => tool.capabilities);
  return [
    ...(unavailableReason === null ? [] : [`It can't reply yet. ${unavailableReason}`]),
    ...idle(definition, 'toolAllowlist', tools),
    ...idle(definition, 'toolDenylist', tools),
    ...idle(definition, 'capabilityAllowlist', capabilities),
    ...idle(definition, 'capabilityDenylist', capabilities),
    ...idle(definition, 'agentAllowlist', [...context.agents.keys()]),
    ...idle(definition, 'agentDenylist', [...context.agents.keys()]),
  ];
}

type List = `${'tool' | 'capability' | 'agent'}${'Allowlist' | 'Denylist'}`;

/** Slips of the pen, most of the time. */
function idle(definition: AgentDefinition, list: List, names: readonly string[]): string[] {
  return (definition[list] ?? [])
    .filter((pattern) => !names.some((name) => matchGlob(pattern, name)))
    .map((pattern) => `${list} names ${pattern}, which matches nothing.`);
}
