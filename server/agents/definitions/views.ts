import type { Agent, AgentDetail } from '../../../contract/agents.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';

export function agentView(agent: ResolvedAgent): Agent {
  return {
    agentId: agent.agentId,
    displayName: agent.displayName,
    description: agent.description,
    type: agent.type,
    parentAgentId: agent.parentAgentId,
    provider: agent.chat.provider,
    model: agent.chat.model,
    uiVisible: agent.uiVisible,
    color: agent.color,
    icon: agent.icon,
    welcomeMessage: agent.welcomeMessage,
    available: agent.unavailableReason === null,
    unavailableReason: agent.unavailableReason,
  };
}

export function agentDetailView(agent: ResolvedAgent): AgentDetail {
  const { version, source, definition, resolved } = agent;
  return { ...agentView(agent), version, source, definition, resolved };
}

/** In the order of the configuration; without the ones that are hidden from built-in clients unless asked for. */
export function listAgents(
  config: { agents: ReadonlyMap<string, ResolvedAgent> },
  { includeHidden = false }: { includeHidden?: boolean } = {},
): Agent[] {
  return [...config.agents.values()].filter((agent) => includeHidden || agent.uiVisible).map(agentView);
}
