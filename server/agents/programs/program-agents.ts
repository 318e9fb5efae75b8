import { type ProgramAgent, SessionProgram } from '../../../contract/program-sessions.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';

/** What an agent that runs the program is called when it is added as it is offered. */
export const PROGRAM_AGENT_IDS: Record<SessionProgram, string> = { claude: 'claude-code', codex: 'codex', pi: 'pi' };

/** The agent that runs each program: the first that is configured, or the one that discovery offers. */
export function programAgents(configured: Iterable<ResolvedAgent>): ProgramAgent[] {
  const byProvider = new Map([...configured].reverse().map(({ provider, agentId }) => [provider, agentId]));
  return SessionProgram.options.map((program) => {
    const agentId = byProvider.get(`${program}-cli`);
    return { program, agentId: agentId ?? PROGRAM_AGENT_IDS[program], configured: agentId !== undefined };
  });
}
