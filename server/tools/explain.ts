import { AppError } from '../../contract/errors.ts';
import { say, toTextRef } from '../../contract/texts.ts';
import type { Explanation } from '../../contract/tools.ts';
import { decideSkill, decideUse } from './exposure.ts';
import { reachOf } from './reach.ts';
import { decide, type Scope, type ScopedTool } from './scope.ts';
import { approvalOf, exposedIn, mayUse, type World } from './world.ts';

/** What an agent may do and why, and what it could have others do. With a tool's name: of all tools only that one. */
export function explain(world: World, agentId: string, toolName?: string): Explanation {
  const scope = world.agents.get(agentId);
  if (!scope) throw new AppError('agent_not_found', say('agent_not_found', { id: agentId }));
  const tools = world.tools.filter((tool) => toolName === undefined || tool.name === toolName);
  return {
    agentId,
    fullAuthority: world.tools.some((tool) => tool.name === 'bash' && mayUse(world, scope, tool)),
    tools:
      toolName !== undefined && tools.length === 0 ? [unknown(scope, toolName)] : explainTools(world, scope, tools),
    skills: world.plugins.map((plugin) => ({ plugin, decision: decideSkill(exposedIn(world), scope, plugin) })),
    agents: explainAgents(world, scope),
    reach: reachOf(world, scope, tools),
  };
}

function unknown(scope: Scope, name: string): Explanation['tools'][number] {
  const decision = decide(scope, { kind: 'unknown-tool', name });
  const { reason, reasonText } = decision;
  return { tool: name, decision, approval: 'deny', approvalRule: reason, approvalRuleText: reasonText };
}

function explainTools(world: World, scope: Scope, tools: readonly ScopedTool[]): Explanation['tools'] {
  return tools.map((tool) => {
    const { policy, rule } = approvalOf(world, scope, tool);
    return {
      tool: tool.name,
      decision: decideUse(exposedIn(world), scope, tool),
      approval: policy,
      approvalRule: rule.message,
      approvalRuleText: toTextRef(rule),
    };
  });
}

/** About everybody else: that nobody messages itself goes without saying. */
function explainAgents(world: World, scope: Scope): Explanation['agents'] {
  const others = [...world.agents.values()].filter(({ agentId }) => agentId !== scope.agentId);
  return others.map(({ agentId, uiVisible }) => ({
    agentId,
    decision: decide(scope, { kind: 'agent', agentId, uiVisible }),
  }));
}
