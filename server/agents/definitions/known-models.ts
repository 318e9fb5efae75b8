import type { ChatSettings } from '../../../contract/agents.ts';
import type { KnownModel } from '../../tools/plugins/builder/builder.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { REDACTED } from './redact.ts';

/** The models of agents that can answer, those that are real first. A key that is written out is not handed on. */
export function knownModels(agents: Iterable<ResolvedAgent>): KnownModel[] {
  const byChat = new Map<string, { chat: ChatSettings; usedBy: string[] }>();
  for (const { agentId, resolved, unavailableReason } of agents) {
    if (unavailableReason !== null) continue;
    const chat = modelOf(resolved.chat ?? {});
    const key = JSON.stringify(chat);
    const known = byChat.get(key) ?? { chat, usedBy: [] };
    known.usedBy.push(agentId);
    byChat.set(key, known);
  }
  const isDemo = ({ chat }: KnownModel) => chat.provider === 'demo';
  return [...byChat.values()].sort((a, b) => Number(isDemo(a)) - Number(isDemo(b)));
}

function modelOf({ provider, model, baseUrl, apiKey }: ChatSettings): ChatSettings {
  return {
    provider: provider ?? 'openai',
    ...(model && { model }),
    ...(baseUrl && { baseUrl }),
    ...(apiKey && apiKey !== REDACTED && { apiKey }),
  };
}
