import { agentLooks, lookOfUnknown } from '../../contract/agent-looks.ts';
import type { Agent, AgentDetail, AgentLook, AgentWarning } from '../../contract/agents.ts';
import { say } from '../../contract/texts.ts';
import { kindNamed } from '../agents/kinds.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { decide } from '../tools/scope.ts';

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
    steers: agent.steers,
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

/** What is configured for an agent and has no effect, in words for the person. */
export async function agentWarnings(agent: ResolvedAgent, authority: Authority): Promise<AgentWarning[]> {
  const texts = [
    ...(isOutdated(agent) ? [say('agent_warning.file', { problem: agent.problem ?? '' })] : []),
    ...(needsBash(agent, authority) ? [say('agent_warning.skills')] : []),
    ...((await kindNamed(agent.kind).warnings?.(agent)) ?? []),
  ];
  return texts.map(({ message, key, values }) => ({ message, text: { key, values } }));
}

/** An agent of which no version without errors is known is unavailable for that reason, which is told by itself. */
function isOutdated({ problem, unavailableReason }: ResolvedAgent): boolean {
  return problem !== null && problem !== unavailableReason;
}

function needsBash(agent: ResolvedAgent, authority: Authority): boolean {
  return agent.toolExposure === 'skills' && !mayRunCommands(agent, authority);
}
