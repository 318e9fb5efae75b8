import type { Agent, AgentDetail } from '../../../contract/agents.ts';
import { decide } from '../../tools/scope.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';

/** The part of the configuration that says who may run commands. */
export interface Authority {
  readonly tools: { readonly bash: { readonly agents: readonly string[] } };
}

export function agentView(agent: ResolvedAgent, authority: Authority): Agent {
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
    fullAuthority: mayRunCommands(agent, authority),
    attachments: [...agent.chat.attachments],
  };
}

function mayRunCommands(agent: ResolvedAgent, { tools }: Authority): boolean {
  const source = { kind: 'built-in', id: 'bash' } as const;
  const bash = {
    name: 'bash',
    capabilities: ['bash.execute'],
    source,
    risk: 'execute',
    agents: tools.bash.agents,
  } as const;
  return decide(agent, { kind: 'tool', tool: bash }).allowed;
}

export function agentDetailView(agent: ResolvedAgent, authority: Authority): AgentDetail {
  const { version, source, definition, resolved } = agent;
  return { ...agentView(agent, authority), version, source, definition, resolved };
}

/** In the order of the configuration; without the ones that are hidden from built-in clients unless asked for. */
export function listAgents(
  config: Authority & { agents: ReadonlyMap<string, ResolvedAgent> },
  { includeHidden = false }: { includeHidden?: boolean } = {},
): Agent[] {
  return [...config.agents.values()]
    .filter((agent) => includeHidden || agent.uiVisible)
    .map((agent) => agentView(agent, config));
}
