import type { Agent } from '../../contract/agents.ts';
import { BUILDER } from '../../contract/builder.ts';
import type { Session } from '../../contract/sessions.ts';
import type { SessionTemplate } from '../../contract/templates.ts';

/**
 * The agent used last, as long as it can answer; else the first that can; null when none can. Who wants
 * an agent built says so.
 */
export function chooseAgent(sessions: Iterable<Session>, agents: readonly Agent[]): string | null {
  const able = agents.filter((agent) => agent.available && agent.uiVisible && !isBuilder(agent));
  const names = new Set(able.map(({ agentId }) => agentId));
  const newest = [...sessions]
    .filter(({ type, agentId }) => type === 'conversation' && agentId !== null && names.has(agentId))
    .reduce<Session | null>((best, next) => (best && best.lastActivityAt >= next.lastActivityAt ? best : next), null);
  const first = able.find(({ parentAgentId }) => parentAgentId === null) ?? able[0];
  return newest?.agentId ?? first?.agentId ?? null;
}

export function isBuilder({ agentId }: Agent): boolean {
  return agentId === BUILDER.agentId;
}

/** Whether a session made from the template would have an agent. A template without one uses the usual agent. */
export function canAnswer({ agentId }: SessionTemplate, agents: readonly Agent[]): boolean {
  return agentId === null || agents.some((agent) => agent.agentId === agentId && agent.available);
}
