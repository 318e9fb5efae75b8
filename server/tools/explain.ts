import { AppError } from '../../contract/errors.ts';
import { say, toTextRef } from '../../contract/texts.ts';
import { type ExplainedTool, type Explanation, ToolRisk } from '../../contract/tools.ts';
import { decideSkill, decideUse } from './exposure.ts';
import { approvalOf, exposedIn, mayUse, type PermissionContext } from './permission-context.ts';
import { reachOf } from './reach.ts';
import { counterpartOf, decide, type Scope, type ScopedTool, toOwnTool } from './scope.ts';

/** What an agent may do and why, and what it could have others do. With a tool's name: of all tools only that one. */
export function explain(context: PermissionContext, agentId: string, toolName?: string): Explanation {
  const scope = context.agents.get(agentId);
  if (!scope) throw new AppError('agent_not_found', say('agent_not_found', { id: agentId }));
  const tools = context.tools.filter((tool) => toolName === undefined || tool.name === toolName);
  const ownsTools = context.ownsTools?.(agentId) ?? false;
  const isUnknown = toolName !== undefined && tools.length === 0 && !ownsTools;
  return {
    agentId,
    fullAuthority: context.tools.some((tool) => tool.name === 'bash' && mayUse(context, scope, tool)),
    tools: isUnknown ? [unknown(scope, toolName)] : tools.map((tool) => explainTool(context, scope, tool)),
    ...(ownsTools && { ownTools: explainOwnTools(context, scope, toolName ?? '*') }),
    skills: context.plugins.map((plugin) => ({ plugin, decision: decideSkill(exposedIn(context), scope, plugin) })),
    agents: explainAgents(context, scope),
    reach: reachOf(context, scope, tools),
  };
}

function unknown(scope: Scope, name: string): ExplainedTool {
  const decision = decide(scope, { kind: 'unknown-tool', name });
  const { reason, reasonText } = decision;
  return { tool: name, decision, approval: 'deny', approvalRule: reason, approvalRuleText: reasonText };
}

function explainTool(context: PermissionContext, scope: Scope, tool: ScopedTool): ExplainedTool {
  const { policy, rule } = approvalOf(context, scope, tool);
  return {
    tool: tool.name,
    decision: decideUse(exposedIn(context), scope, tool),
    approval: policy,
    approvalRule: rule.message,
    approvalRuleText: toTextRef(rule),
  };
}

/** Which tools a program has, and what each can do, is known only when it asks to use one. */
function explainOwnTools(context: PermissionContext, scope: Scope, name: string): Explanation['ownTools'] {
  return ToolRisk.options.map((risk) => {
    const tool = toOwnTool(scope.agentId, { name, risk });
    const decision = decide(scope, { kind: 'own-tool', tool, counterpart: counterpartOf(context.tools, tool) });
    return { ...explainTool(context, scope, tool), decision, risk };
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
