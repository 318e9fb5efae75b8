import { agentLooks, lookOfUnknown } from '../../../contract/agent-looks.ts';
import type { Agent, AgentDetail, AgentLook, AgentWarning } from '../../../contract/agents.ts';
import { decide } from '../../tools/scope.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';

/** The part of the configuration that says who may run commands. */
export interface Authority {
  readonly tools: { readonly bash: { readonly agents: readonly string[] } };
}

type Configured = Authority & { readonly agents: ReadonlyMap<string, ResolvedAgent> };

const looks = new WeakMap<Configured['agents'], Map<string, AgentLook>>();

/** An agent looks the same to every reader of this configuration, shared pages included. */
export function lookOf({ agents }: Pick<Configured, 'agents'>, agentId: string): AgentLook {
  const known = looks.get(agents) ?? agentLooks([...agents.values()]);
  looks.set(agents, known);
  return known.get(agentId) ?? lookOfUnknown(agentId);
}

export function agentView(agent: ResolvedAgent, config: Configured): Agent {
  const { color, initials } = lookOf(config, agent.agentId);
  return {
    agentId: agent.agentId,
    displayName: agent.displayName,
    description: agent.description,
    type: agent.type,
    parentAgentId: agent.parentAgentId,
    provider: agent.provider,
    model: agent.model,
    uiVisible: agent.uiVisible,
    color,
    icon: agent.icon,
    initials,
    welcomeMessage: agent.welcomeMessage,
    starters: [...agent.starters],
    available: agent.unavailableReason === null,
    unavailableReason: agent.unavailableReason,
    ...(agent.unavailableText && { unavailableText: agent.unavailableText }),
    fullAuthority: mayRunCommands(agent, config),
    attachments: [...agent.attachments],
  };
}

export function mayRunCommands(agent: ResolvedAgent, { tools }: Authority): boolean {
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

export function agentDetailView(
  agent: ResolvedAgent,
  config: Configured,
  warnings: readonly AgentWarning[] = [],
): AgentDetail {
  const { version, source, definition, resolved } = agent;
  return { ...agentView(agent, config), version, source, definition, resolved, warnings: [...warnings] };
}

/** In the order of the configuration; without the ones that are hidden from built-in clients unless asked for. */
export function listAgents(config: Configured, { includeHidden = false }: { includeHidden?: boolean } = {}): Agent[] {
  return [...config.agents.values()]
    .filter((agent) => includeHidden || agent.uiVisible)
    .map((agent) => agentView(agent, config));
}
