import { AppError } from '../../contract/errors.ts';
import { say, toTextRef } from '../../contract/texts.ts';
import type { Explanation } from '../../contract/tools.ts';
import { decideSkill, decideUse } from './exposure.ts';
import { approvalOf, exposedIn, mayUse, type PermissionContext } from './permission-context.ts';
import { reachOf } from './reach.ts';
import { decide, type Scope, type ScopedTool } from './scope.ts';

/** What an agent may do and why, and what it could have others do. With a tool's name: of all tools only that one. */
export function explain(context: PermissionContext, agentId: string, toolName?: string): Explanation {
  const scope = context.agents.get(agentId);
  if (!scope) throw new AppError('agent_not_found', say('agent_not_found', { id: agentId }));
  const tools = context.tools.filter((tool) => toolName === undefined || tool.name === toolName);
  return {
    agentId,
    fullAuthority: context.tools.some((tool) => tool.name === 'bash' && mayUse(context, scope, tool)),
    tools:
      toolName !== undefined && tools.length === 0 ? [unknown(scope, toolName)] : explainTools(context, scope, tools),
    skills: context.plugins.map((plugin) => ({ plugin, decision: decideSkill(exposedIn(context), scope, plugin) })),
    agents: explainAgents(context, scope),
    reach: reachOf(context, scope, tools),
  };
}

function unknown(scope: Scope, name: string): Explanation['tools'][number] {
  const decision = decide(scope, { kind: 'unknown-tool', name });
  const { reason, reasonText } = decision;
  return { tool: name, decision, approval: 'deny', approvalRule: reason, approvalRuleText: reasonText };
}

function explainTools(context: PermissionContext, scope: Scope, tools: readonly ScopedTool[]): Explanation['tools'] {
  return tools.map((tool) => {
    const { policy, rule } = approvalOf(context, scope, tool);
    return {
      tool: tool.name,
      decision: decideUse(exposedIn(context), scope, tool),
      approval: policy,
      approvalRule: rule.message,
      approvalRuleText: toTextRef(rule),
    };
  });
}

/** Lists every agent but this one: no agent can message itself. */
function explainAgents(context: PermissionContext, scope: Scope): Explanation['agents'] {
  const others = [...context.agents.values()].filter(({ agentId }) => agentId !== scope.agentId);
  return others.map(({ agentId, uiVisible }) => ({
    agentId,
    decision: decide(scope, { kind: 'agent', agentId, uiVisible }),
  }));
}
