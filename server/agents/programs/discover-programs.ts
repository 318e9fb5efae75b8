import type { AcpSettings } from '../../../contract/agent-settings.ts';
import type { AgentDefinition, DiscoveredProgram } from '../../../contract/agents.ts';
import { say } from '../../../contract/texts.ts';
import { type Environment, variable } from '../../config/environment.ts';
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
  /** Whose files and variables say whether it is signed in. */
  readonly program: ProgramName;
  readonly title: string;
  /** An adapter has no version of its own to tell. */
  readonly isAdapter: boolean;
  /** False: it acts without asking. */
  readonly asks?: false;
  readonly settings: Pick<AgentDefinition, 'type' | 'chat' | 'acp'>;
}

/** Without this, opencode asks for nothing. It is added to the person's own configuration. */
const OPENCODE_ASKS = { OPENCODE_CONFIG_CONTENT: JSON.stringify({ permission: { '*': 'ask' } }) };

/** Also said to other agents, which choose by it whom they ask. */
export const DESCRIPTIONS = {
  asks: 'Works in its workspace on this machine, and asks before it acts.',
  acts: 'Works in its workspace on this machine, and does not ask before it acts.',
};

const CANDIDATES: readonly Candidate[] = [
  ...(['claude', 'codex', 'pi'] as const).map((name) => ({
    ...{ agentId: PROGRAM_AGENT_IDS[name], command: name, program: name, title: PROGRAMS[name].title },
    ...{ isAdapter: false, settings: { chat: { provider: `${name}-cli` as const } } },
  })),
  // Asked for a file that is not there, Gemini takes the answer for a failure, and cannot make a new one.
  acp('gemini', 'gemini', 'gemini', { args: ['--acp'], ownFiles: true }),
  acp('opencode', 'opencode', 'opencode', { args: ['acp'], env: OPENCODE_ASKS }),
  acp('claude-acp', 'claude', 'claude-agent-acp'),
  acp('codex-acp', 'codex', 'codex-acp'),
  // The way that Pi is started by Parley itself, it asks.
  { ...acp('pi-acp', 'pi', 'pi-acp'), asks: false },
];

function acp(agentId: string, program: ProgramName, command: string, more: AcpSettings = {}): Candidate {
  const isAdapter = command !== program;
  const title = isAdapter ? `${PROGRAMS[program].title} (${command})` : PROGRAMS[program].title;
  return { agentId, command, program, title, isAdapter, settings: { type: 'acp', acp: { command, ...more } } };
}

/** An ACP program is given the keys that are there, since it gets no other variables. */
function withKeys(env: Environment, { program, settings }: Candidate): Candidate['settings'] {
  if (!settings.acp) return settings;
  const { keys, variables } = PROGRAMS[program];
  const found = [...keys, ...variables].filter((name) => variable(env, name) !== undefined);
  const passed = Object.fromEntries(found.map((name) => [name, `\${${name}}`]));
  const own = { ...settings.acp.env, ...passed };
  const authMethod = AUTH_METHODS.find(({ key }) => found.includes(key))?.id;
  const acp = { ...settings.acp, ...(Object.keys(own).length > 0 && { env: own }), ...(authMethod && { authMethod }) };
  return { ...settings, acp };
}

/** Gemini has to be told which key it is to use. */
const AUTH_METHODS = [{ key: 'GEMINI_API_KEY', id: 'gemini-api-key' }];

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
  const { agentId, command, program, title, isAdapter } = candidate;
  const file = findProgram(env, command);
  if (file === null) return null;
  const signIn = signInState(env, program);
  const advice = signIn === 'no' ? say('discovered.signIn', { title, command: PROGRAMS[program].signIn }) : null;
  const version = isAdapter ? null : await programVersion(env, program, file);
  const settings = withKeys(env, candidate);
  const commandLine = toCommandLine({ command, args: settings.acp?.args, env: settings.acp?.env });
  const description = candidate.asks === false ? DESCRIPTIONS.acts : DESCRIPTIONS.asks;
  return {
    agent: { agentId, displayName: title, description, ...settings, icon: '⌨️' },
    program: {
      ...{ agentId, title, file, version, signIn, commandLine },
      advice: advice?.message ?? null,
      ...(advice && { adviceText: { key: advice.key, values: advice.values } }),
    },
  };
}
