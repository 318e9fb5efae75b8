import type { AgentDefinition, DiscoveredProgram } from '../../../contract/agents.ts';
import { say } from '../../../contract/texts.ts';
import type { Environment } from '../../config/environment.ts';
import { findProgram, PROGRAMS, type ProgramName, programVersion, signInState } from '../cli/programs.ts';
import { toCommandLine } from '../command-line.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import { PROGRAM_AGENT_IDS } from './program-agents.ts';

export interface FoundProgram {
  readonly agent: AgentDefinition;
  readonly program: DiscoveredProgram;
}

interface Candidate {
  readonly agentId: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Whose files and variables say whether it is signed in. */
  readonly program: ProgramName;
  readonly title: string;
  /** An adapter has no version of its own to tell. */
  readonly isAdapter: boolean;
  readonly settings: Pick<AgentDefinition, 'type' | 'chat' | 'acp'>;
}

const CANDIDATES: readonly Candidate[] = [
  ...(['claude', 'codex', 'pi'] as const).map((name) => ({
    ...{ agentId: PROGRAM_AGENT_IDS[name], command: name, args: [], program: name, title: PROGRAMS[name].title },
    ...{ isAdapter: false, settings: { chat: { provider: `${name}-cli` as const } } },
  })),
  acp('gemini', 'gemini', 'gemini', ['--acp']),
  acp('opencode', 'opencode', 'opencode', ['acp']),
  acp('claude-acp', 'claude', 'claude-agent-acp'),
  acp('codex-acp', 'codex', 'codex-acp'),
  acp('pi-acp', 'pi', 'pi-acp'),
];

function acp(agentId: string, program: ProgramName, command: string, args: string[] = []): Candidate {
  const isAdapter = command !== program;
  const title = isAdapter ? `${PROGRAMS[program].title} (${command})` : PROGRAMS[program].title;
  return { agentId, command, args, program, title, isAdapter, settings: { type: 'acp', acp: { command, args } } };
}

/**
 * Programs on the PATH that can be agents and are none yet. They are asked for their version and nothing else; whether they
 * are signed in is told by their files and variables.
 */
export async function discoverPrograms(env: Environment, configured: Iterable<ResolvedAgent>): Promise<FoundProgram[]> {
  const used = inUse([...configured]);
  const unused = CANDIDATES.filter((candidate) => keysOf(candidate).every((key) => !used.has(key)));
  const found = await Promise.all(unused.map((candidate) => discoverProgram(env, candidate)));
  return found.filter((each) => each !== null);
}

/** Names of agents, providers and commands that are taken. */
function inUse(agents: readonly ResolvedAgent[]): Set<string> {
  return new Set(
    agents.flatMap(({ agentId, provider, resolved }) => [
      `agent ${agentId}`,
      `provider ${provider}`,
      `command ${resolved.acp?.command}`,
    ]),
  );
}

function keysOf({ agentId, settings: { chat, acp: program } }: Candidate): string[] {
  return [`agent ${agentId}`, chat ? `provider ${chat.provider}` : `command ${program?.command}`];
}

async function discoverProgram(env: Environment, candidate: Candidate): Promise<FoundProgram | null> {
  const { agentId, command, args, program, title, isAdapter, settings } = candidate;
  const file = findProgram(env, command);
  if (file === null) return null;
  const signIn = signInState(env, program);
  const advice = signIn === 'no' ? say('discovered.signIn', { title, command: PROGRAMS[program].signIn }) : null;
  const version = isAdapter ? null : await programVersion(env, program, file);
  const description = `${title} on this machine. It works in its workspace and asks before it acts.`;
  return {
    agent: { agentId, displayName: title, description, ...settings, icon: '⌨️' },
    program: {
      ...{ agentId, title, file, version, signIn, commandLine: toCommandLine({ command, args: [...args] }) },
      advice: advice?.message ?? null,
      ...(advice && { adviceText: { key: advice.key, values: advice.values } }),
    },
  };
}
