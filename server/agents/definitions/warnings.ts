import type { AgentWarning } from '../../../contract/agents.ts';
import { say } from '../../../contract/texts.ts';
import { kindNamed } from '../kinds.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { type Authority, mayRunCommands } from './views.ts';

/** What is configured for an agent and has no effect, in words for the person. */
export async function agentWarnings(agent: ResolvedAgent, authority: Authority): Promise<AgentWarning[]> {
  const texts = [
    ...(isOutdated(agent) ? [say('agent_warning.file', { problem: agent.problem ?? '' })] : []),
    ...(needsBash(agent, authority) ? [say('agent_warning.skills')] : []),
    ...((await kindNamed(agent.kind).warnings?.(agent)) ?? []),
  ];
  return texts.map(({ message, key, values }) => ({ message, text: { key, values } }));
}

/** An agent of which no version without errors is known is unavailable for that reason, which is told by itself. */
function isOutdated({ problem, unavailableReason }: ResolvedAgent): boolean {
  return problem !== null && problem !== unavailableReason;
}

function needsBash(agent: ResolvedAgent, authority: Authority): boolean {
  return agent.toolExposure === 'skills' && !mayRunCommands(agent, authority);
}
