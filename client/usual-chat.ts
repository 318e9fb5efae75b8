import type { ChatSettings } from '../contract/agent-settings.ts';
import type { Agent, AgentDefinition } from '../contract/agents.ts';
import type { ParleyClient } from './parley-client.ts';

/** Stands for a key that the server does not show. */
const HIDDEN_KEY = '…';

/** The model of an agent that works here already, a real one before the demo. */
export async function usualChat(client: ParleyClient, agents: readonly Agent[]): Promise<ChatSettings> {
  const able = agents.filter(({ available, type, provider }) => available && type === 'chat' && !isProgram(provider));
  const like = able.find(({ provider }) => provider !== 'demo') ?? able[0];
  if (!like || like.provider === 'demo') return { provider: 'demo' };
  const { provider, model, baseUrl, apiKey } = shownChat(
    (await client.call('getAgent', { agentId: like.agentId })).resolved,
  );
  return {
    // Only agents of type `chat` are looked at, and theirs is one of these. Parsing would load zod into the page.
    provider: provider ?? (like.provider as ChatSettings['provider']),
    model: model ?? like.model,
    ...(baseUrl && { baseUrl }),
    ...(apiKey && { apiKey }),
  };
}

/** A program that brings its own model, such as `claude-cli`. */
function isProgram(provider: string): boolean {
  return provider.endsWith('-cli');
}

/** What can be handed on of an agent's model: all but a key that is written out. */
export function shownChat({ chat }: AgentDefinition): ChatSettings {
  if (chat?.apiKey !== HIDDEN_KEY) return chat ?? {};
  const { apiKey: _, ...rest } = chat;
  return rest;
}
