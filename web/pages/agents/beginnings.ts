import { shownChat } from '../../../client/usual-chat.ts';
import type { ChatSettings } from '../../../contract/agent-settings.ts';
import type { Agent, AgentDefinition, AgentTemplate } from '../../../contract/agents.ts';
import { builtInText } from '../../i18n/text.ts';

export function blankAgent(chat: ChatSettings): AgentDefinition {
  return { agentId: '', displayName: '', description: '', chat, systemPrompt: '' };
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

export function fromDiscovered(definition: AgentDefinition, agents: readonly Agent[]): AgentDefinition {
  return { ...definition, agentId: freeId(definition.agentId, agents) };
}

export function copyOf(definition: AgentDefinition, name: string, agents: readonly Agent[]): AgentDefinition {
  const copy = { ...definition, agentId: freeId(`${definition.agentId}-copy`, agents), displayName: name };
  return definition.chat ? { ...copy, chat: shownChat(definition) } : copy;
}

/** The name, or the name with the first number that makes it nobody else's. */
export function freeId(wanted: string, agents: readonly Agent[]): string {
  const taken = new Set(agents.map(({ agentId }) => agentId));
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number++) if (!taken.has(`${wanted}-${number}`)) return `${wanted}-${number}`;
}
