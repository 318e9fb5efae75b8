import type { Agent, AgentDefinition, AgentTemplate } from '../../../contract/agents.ts';

/** Stands for a key that the server does not show. A copy cannot have it. */
const HIDDEN_KEY = '…';

export function blankAgent(agents: readonly Agent[]): AgentDefinition {
  return { agentId: '', displayName: '', description: '', chat: usualModel(agents), systemPrompt: '' };
}

export function fromTemplate({ templateId, displayName }: AgentTemplate, agents: readonly Agent[]): AgentDefinition {
  return {
    agentId: freeId(templateId, agents),
    displayName: displayName ?? templateId,
    extends: templateId,
    chat: usualModel(agents),
  };
}

export function fromDiscovered(definition: AgentDefinition, agents: readonly Agent[]): AgentDefinition {
  return { ...definition, agentId: freeId(definition.agentId, agents) };
}

export function copyOf(definition: AgentDefinition, name: string, agents: readonly Agent[]): AgentDefinition {
  const copy = { ...definition, agentId: freeId(`${definition.agentId}-copy`, agents), displayName: name };
  if (definition.chat?.apiKey !== HIDDEN_KEY) return copy;
  const { apiKey: _, ...chat } = definition.chat;
  return { ...copy, chat };
}

/** The name, or the name with the first number that makes it nobody else's. */
export function freeId(wanted: string, agents: readonly Agent[]): string {
  const taken = new Set(agents.map(({ agentId }) => agentId));
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number++) if (!taken.has(`${wanted}-${number}`)) return `${wanted}-${number}`;
}

/** What already works here: a real model before the demo. */
function usualModel(agents: readonly Agent[]): NonNullable<AgentDefinition['chat']> {
  const able = agents.filter(({ available }) => available);
  const like = able.find(({ provider }) => provider !== 'demo') ?? able[0];
  if (!like || like.provider === 'demo') return { provider: 'demo' };
  return { provider: like.provider, model: like.model };
}
