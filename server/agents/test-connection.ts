import type { ConnectionTest } from '../../contract/agents.ts';
import { say } from '../../contract/texts.ts';
import type { AgentDeps, Finding } from './agent.ts';
import { kindNamed } from './kinds.ts';
import type { ResolvedAgent } from './resolved-agent.ts';

/** What is missing before the agent can answer, in words. */
export async function testConnection(
  agent: ResolvedAgent,
  deps: AgentDeps,
  mayStart: boolean,
): Promise<ConnectionTest> {
  const findings = missing(agent) ?? (await kindNamed(agent.kind).test(agent, deps, mayStart));
  return {
    works: findings.every(({ state }) => state !== 'problem'),
    checks: findings.map(({ state, text: { message, key, values } }) => ({ state, message, text: { key, values } })),
  };
}

/** A card can be read before it is approved; whatever else is missing has to be set first. */
function missing({ unavailableReason, unavailableText }: ResolvedAgent): Finding[] | null {
  if (unavailableReason === null || unavailableText?.key === 'unavailable.card') return null;
  const { key, values } = unavailableText ?? say('connection.unreachable', { reason: unavailableReason });
  return [{ state: 'problem', text: { message: unavailableReason, key, values } as Finding['text'] }];
}
