import type { ChatSettings } from '../../../contract/agent-settings.ts';
import type { AgentDefinition } from '../../../contract/agents.ts';
import { REDACTED } from '../../config/secrets.ts';
import type { KnownModel } from '../../tools/plugins/builder/builder.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';

/** The models of agents that can answer, those that are real first. A key that is written out is not handed on. */
export function knownModels(agents: Iterable<ResolvedAgent>): KnownModel[] {
  const byChat = new Map<string, { chat: ChatSettings; usedBy: string[] }>();
  for (const { agentId, kind, resolved, unavailableReason } of agents) {
    if (kind !== 'chat' || unavailableReason !== null) continue;
    const chat = modelOf(resolved.chat ?? {});
    const key = JSON.stringify(chat);
    const known = byChat.get(key) ?? { chat, usedBy: [] };
    known.usedBy.push(agentId);
    byChat.set(key, known);
  }
  const isDemo = ({ chat }: KnownModel) => chat.provider === 'demo';
  return [...byChat.values()].sort((a, b) => Number(isDemo(a)) - Number(isDemo(b)));
}

/** A draft sends nothing to a host, and no key to one, that this server does not use in this way already. */
export function usesKnownModel({ chat }: AgentDefinition, agents: Iterable<ResolvedAgent>): boolean {
  return knownModels(agents).some((known) => isSameModel(known.chat, chat ?? {}));
}

function isSameModel(a: ChatSettings, b: ChatSettings): boolean {
  const provider = ({ provider }: ChatSettings) => provider ?? 'openai';
  const same = (['model', 'baseUrl', 'apiKey'] as const).every((field) => (a[field] ?? null) === (b[field] ?? null));
  return same && provider(a) === provider(b);
}

function modelOf({ provider, model, baseUrl, apiKey }: ChatSettings): ChatSettings {
  return {
    provider: provider ?? 'openai',
    ...(model && { model }),
    ...(baseUrl && { baseUrl }),
    ...(apiKey && apiKey !== REDACTED && { apiKey }),
  };
}
