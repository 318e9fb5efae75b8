import type { Agent } from '../../contract/agents.ts';
import type { SessionTemplate } from '../../contract/templates.ts';

/** Whether a session made from it would have somebody to answer. A template for nobody in particular finds somebody. */
export function canAnswer({ agentId }: SessionTemplate, agents: readonly Agent[]): boolean {
  return agentId === null || agents.some((agent) => agent.agentId === agentId && agent.available);
}
