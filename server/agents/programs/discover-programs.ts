import type { AgentDefinition, DiscoveredProgram } from '../../../contract/agents.ts';
import type { SessionProgram } from '../../../contract/program-sessions.ts';
import { say } from '../../../contract/texts.ts';
import type { Environment } from '../../config/environment.ts';
import { findProgram, PROGRAMS, programVersion, signInState } from '../cli/programs.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { PROGRAM_AGENT_IDS, programAgents } from './program-agents.ts';

export interface FoundProgram {
  readonly agent: AgentDefinition;
  readonly program: DiscoveredProgram;
}

/**
 * Programs on the PATH that can be agents and are none yet. They are asked for their version and nothing else; whether they
 * are signed in is told by their files and variables.
 */
export async function discoverPrograms(env: Environment, configured: Iterable<ResolvedAgent>): Promise<FoundProgram[]> {
  const unused = programAgents(configured).filter((each) => !each.configured);
  const found = await Promise.all(unused.map(({ program }) => discoverProgram(env, program)));
  return found.filter((each) => each !== null);
}

async function discoverProgram(env: Environment, name: SessionProgram): Promise<FoundProgram | null> {
  const file = findProgram(env, name);
  if (file === null) return null;
  const { title, signIn: command } = PROGRAMS[name];
  const agentId = PROGRAM_AGENT_IDS[name];
  const signIn = signInState(env, name);
  const advice = signIn === 'no' ? say('discovered.signIn', { title, command }) : null;
  const about = { agentId, title, file, version: await programVersion(env, name, file), signIn };
  return {
    agent: agentOf(name, agentId, title),
    program: {
      ...about,
      advice: advice?.message ?? null,
      ...(advice && { adviceText: { key: advice.key, values: advice.values } }),
    },
  };
}

function agentOf(name: SessionProgram, agentId: string, title: string): AgentDefinition {
  return {
    agentId,
    displayName: title,
    description: `${title} on this machine. It works in its workspace and asks before it acts.`,
    chat: { provider: `${name}-cli` as const },
    icon: '⌨️',
  };
}
