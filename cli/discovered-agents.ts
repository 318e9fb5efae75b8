import type { ParleyClient } from '../client/parley-client.ts';
import type { AgentDefinition, DiscoveredAgents, DiscoveredProgram } from '../contract/agents.ts';
import { confirm } from './confirm.ts';
import { withConfirmedProgram } from './confirmed-program.ts';
import { type HomeOption, withClient } from './connect.ts';
import { CommandFailure } from './failure.ts';
import { note, print, printJson } from './output.ts';
import { printTable } from './table.ts';
import { safeLine } from './terminal-text.ts';

export interface DiscoverOptions extends HomeOption {
  add?: true | string[];
  yes?: boolean;
  json?: boolean;
}

export async function discoverAgents(options: DiscoverOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const found = await client.call('listDiscovered');
    if (options.add) return add(client, found, options);
    if (options.json) return printJson(found);
    if (found.agents.length === 0) return print(NOTHING_FOUND);
    list(found);
  });
}

function list({ agents, programs }: DiscoveredAgents): void {
  const program = (agentId: string) => programs.find((each) => each.agentId === agentId);
  printTable(
    [
      { title: 'Agent' },
      { title: 'Program', shrinks: true },
      { title: 'Signed in' },
      { title: 'About', shrinks: true },
    ],
    agents.map(({ agentId, description }) => [agentId, ...programCells(program(agentId)), description ?? '']),
  );
  for (const { advice } of programs) if (advice !== null) note(safeLine(advice));
  note('\nAdd them with: parley agents discover --add');
}

function programCells(program: DiscoveredProgram | undefined): [string, string] {
  if (!program) return ['', ''];
  const { file, version, signIn } = program;
  return [version === null ? file : `${file} ${version}`, signIn];
}

async function add(client: ParleyClient, found: DiscoveredAgents, options: DiscoverOptions): Promise<void> {
  const chosen = options.add === true || !options.add ? found.agents : choose(found.agents, options.add);
  if (chosen.length === 0) print(NOTHING_FOUND);
  for (const agent of chosen) {
    const program = found.programs.find(({ agentId }) => agentId === agent.agentId);
    if (program) await confirm(safeLine(question(agent, program)), options.yes);
    const make = (confirmed = program?.commandLine) =>
      client.call('createAgent', { body: agent, query: { confirm: confirmed } });
    await withConfirmedProgram(make, options.yes);
    print(`Added ${agent.agentId}.`);
  }
}

/** A program can do what the person can: it is added only as it was shown. */
function question({ agentId }: AgentDefinition, { file, commandLine }: DiscoveredProgram): string {
  return `Add ${agentId}, which runs ${commandLine} (${file}) on this machine as you?`;
}

function choose(agents: readonly AgentDefinition[], wanted: readonly string[]): AgentDefinition[] {
  return wanted.map((id) => {
    const found = agents.find(({ agentId }) => agentId === id);
    if (!found) throw new CommandFailure(`${id} was not found on this machine.`);
    return found;
  });
}

const NOTHING_FOUND =
  'Nothing new found. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, start Ollama, or install claude, codex, pi, gemini or opencode, and try again.';
