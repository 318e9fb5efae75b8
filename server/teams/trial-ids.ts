import { randomBytes } from 'node:crypto';
import type { AgentDefinition } from '../../contract/agents.ts';
import { matchGlob } from '../tools/glob.ts';

/**
 * Agents that are tried have ids of their own, so that approvals and memory of a trial never belong to an agent that is
 * created later. Wherever a definition names an agent of its team, it names the one of the trial as well.
 */
export function withTrialIds(definitions: readonly AgentDefinition[]): AgentDefinition[] {
  const prefix = `trial-${randomBytes(4).toString('hex')}/`;
  const ids = new Map(definitions.map(({ agentId }) => [agentId, prefix + agentId]));
  return definitions.map((definition) => ({
    ...definition,
    agentId: ids.get(definition.agentId)!,
    ...(definition.parentAgentId && { parentAgentId: ids.get(definition.parentAgentId) ?? definition.parentAgentId }),
    ...(definition.systemPrompt && { systemPrompt: inWords(definition.systemPrompt, ids) }),
    ...(definition.agentAllowlist && { agentAllowlist: inPatterns(definition.agentAllowlist, ids) }),
    ...(definition.agentDenylist && { agentDenylist: inPatterns(definition.agentDenylist, ids) }),
  }));
}

function inPatterns(patterns: readonly string[], ids: ReadonlyMap<string, string>): string[] {
  const named = [...ids].filter(([id]) => patterns.some((pattern) => matchGlob(pattern, id)));
  return [...patterns, ...named.map(([, trialId]) => trialId)];
}

/** An id counts where it stands alone, not as a part of a longer one. */
function inWords(words: string, ids: ReadonlyMap<string, string>): string {
  return words.replaceAll(/[A-Za-z0-9][A-Za-z0-9._/-]*/g, (word) => {
    const bare = word.replace(/[./-]+$/, '');
    return (ids.get(bare) ?? bare) + word.slice(bare.length);
  });
}
