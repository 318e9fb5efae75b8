import { useQuery } from '@tanstack/react-query';
import type { ParleyClient } from '../../../client/parley-client.ts';
import { shownChat, usualChat } from '../../../client/usual-chat.ts';
import type { ChatSettings } from '../../../contract/agent-settings.ts';
import type { Agent, AgentDefinition, AgentTemplate } from '../../../contract/agents.ts';
import { AppError } from '../../../contract/errors.ts';
import { text } from '../../i18n/agent-words.ts';
import { builtInText } from '../../i18n/text.ts';
import { useLiveConnection } from '../../live/use-live.ts';
import { beginningOf, type Kind } from '../../state/agent-kinds.ts';

export interface NewAgentSource {
  from?: string;
  template?: string;
  discovered?: string;
  kind?: Kind;
}

/** What a new agent begins as. Read once: it is the person's from then on. */
export function useBeginning(source: NewAgentSource) {
  const { client } = useLiveConnection();
  return useQuery({
    queryKey: ['beginning', source],
    queryFn: () => begin(client, source),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
}

async function begin(client: ParleyClient, source: NewAgentSource): Promise<AgentDefinition> {
  const { agents } = await client.call('listAgents', { query: { hidden: true } });
  if (source.from !== undefined) {
    const { definition, displayName } = await client.call('getAgent', { agentId: source.from });
    return copyOf(definition, text('agents.copyName', { name: displayName }), agents);
  }
  if (source.kind !== undefined && source.kind !== 'model') return blankAgent(beginningOf(source.kind));
  if (source.discovered !== undefined) {
    const discovered = await client.call('listDiscovered');
    return fromDiscovered(found(discovered.agents.find(({ agentId }) => agentId === source.discovered)), agents);
  }
  const chat = await usualChat(client, agents);
  if (source.template === undefined) return blankAgent({ chat });
  const { templates } = await client.call('listTemplates');
  return fromTemplate(found(templates.find(({ templateId }) => templateId === source.template)), agents, chat);
}

function found<T>(thing: T | undefined): T {
  if (thing === undefined) throw new AppError('agent_not_found', text('agents.noBeginning'));
  return thing;
}

/** `settings`: those of its kind. */
export function blankAgent(settings: object): AgentDefinition {
  return { agentId: '', displayName: '', description: '', ...settings, systemPrompt: '' };
}

export function fromTemplate(
  { templateId, displayName }: AgentTemplate,
  agents: readonly Agent[],
  chat: ChatSettings,
): AgentDefinition {
  return {
    agentId: freeId(templateId, agents),
    displayName: builtInText(displayName ?? templateId),
    extends: templateId,
    chat,
  };
}

function fromDiscovered(definition: AgentDefinition, agents: readonly Agent[]): AgentDefinition {
  return { ...definition, agentId: freeId(definition.agentId, agents) };
}

export function copyOf(definition: AgentDefinition, name: string, agents: readonly Agent[]): AgentDefinition {
  const copy = { ...definition, agentId: freeId(`${definition.agentId}-copy`, agents), displayName: name };
  return definition.chat ? { ...copy, chat: shownChat(definition) } : copy;
}

/** The name, or the name with the first number that no other agent has. */
export function freeId(wanted: string, agents: readonly Agent[]): string {
  const taken = new Set(agents.map(({ agentId }) => agentId));
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number++) if (!taken.has(`${wanted}-${number}`)) return `${wanted}-${number}`;
}
