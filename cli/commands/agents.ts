import type { Command } from 'commander';
import type { Agent, AgentDetail } from '../../contract/agents.ts';
import { type AgentFlags, addAgentFlags, readAgentFlags } from '../agent-flags.ts';
import type { BuildOptions } from '../chat/build-agent.ts';
import { confirm } from '../confirm.ts';
import { withConfirmedProgram } from '../confirmed-program.ts';
import { CREATES_FOLDER, type HomeOption, withClient } from '../connect.ts';
import { counted } from '../counted.ts';
import type { DiscoverOptions } from '../discovered-agents.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { look, note, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine, safeText } from '../terminal-text.ts';

interface Reading extends HomeOption {
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('Manage agents. They are stored as JSON files in the data folder.')
    .addHelpText('after', EXAMPLES);
  sub(command, 'list', 'list agents', { isDefault: true })
    .option('--hidden', 'include hidden agents')
    .option('--json', 'as JSON')
    .action(list);
  sub(command, 'show <agent>', 'show an agent and its definition').option('--json', 'as JSON').action(show);
  sub(command, 'build [words...]', 'create an agent by describing it')
    .option('-s, --session <name>', 'continue an earlier builder session, by name or ID')
    .option('-o, --out <file>', 'write the draft to a file')
    .option('--no-wait', 'exit when an approval or answer is needed instead of waiting')
    .action(build);
  addAgentFlags(sub(command, 'create [agent]', 'create an agent from a file or from options')).action(create);
  addAgentFlags(sub(command, 'update <agent>', 'change an agent; other fields stay as they are')).action(update);
  sub(command, 'delete <agent>', 'delete an agent; its messages are kept')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(remove);
  sub(command, 'card <agent>', 'show what a remote agent says of itself, and approve it')
    .option('--approve', 'approve the card, so that the agent can reply')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'as JSON')
    .action(card);
  sub(command, 'memories', 'list what deleted agents remembered').option('--json', 'as JSON').action(memories);
  sub(command, 'restore-memory <memory> <agent>', 'give the memory of a deleted agent to an agent')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(restoreMemory);
  sub(command, 'discover', 'find agents that keys and programs on this machine make possible')
    .option('--add [agents...]', 'add all of them, or the ones given')
    .option('-y, --yes', 'do not ask for confirmation before a program is added')
    .option('--json', 'as JSON')
    .action(discover);
  sub(command, 'templates', 'list agent templates').option('--json', 'as JSON').action(templates);
}

function sub(command: Command, name: string, summary: string, options: { isDefault?: boolean } = {}): Command {
  return command.command(name, options).description(summary).option('--home <folder>', 'the data folder');
}

async function list(options: Reading & { hidden?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { agents, configuration } = await client.call('listAgents', {
      query: options.hidden ? { hidden: true } : {},
    });
    if (options.json) return printJson(agents);
    if (agents.length === 0) print('No agents yet. To find some on this machine: parley agents discover');
    else printAgents(agents);
    for (const issue of configuration.issues) note(`Problem: ${safeLine(issue)}`);
  });
}

function printAgents(agents: readonly Agent[]): void {
  const paint = (cell: string, row: number) => look().speaker(cell, agents[row]?.color);
  const columns = [{ title: 'Agent', paint }, { title: 'Model' }, { title: 'About', shrinks: true }];
  printTable(
    columns,
    agents.map((agent) => [agent.agentId, modelOf(agent), about(agent)]),
  );
}

/** Programs and remote agents may not name a model. */
function modelOf({ provider, model }: Agent): string {
  return model === '' ? provider : `${provider}/${model}`;
}

function about({ available, unavailableReason, description, displayName }: Agent): string {
  return available ? description || displayName : `unavailable: ${unavailableReason ?? 'setup needed'}`;
}

async function show(agentId: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const agent = await client.call('getAgent', { agentId });
    if (options.json) printJson(agent);
    else printAgent(agent);
  });
}

function printAgent(agent: AgentDetail): void {
  print(`${look().speaker(safeLine(agent.agentId), agent.color)}  ${safeLine(agent.displayName)}`);
  if (agent.description) print(safeLine(agent.description));
  if (agent.fullAuthority) print(look().amber('It can run any command on this machine, as you.'));
  if (!agent.available) print(look().red(`Unavailable: ${safeLine(agent.unavailableReason ?? '')}`));
  printWarnings(agent);
  print(look().dim(`${agent.source}, version ${agent.version}`));
  print(safeText(JSON.stringify(agent.definition, null, 2)));
}

function printWarnings({ warnings }: AgentDetail): void {
  for (const { message } of warnings) note(look().amber(safeLine(`Warning: ${message}`)));
}

async function build(words: string[], options: BuildOptions): Promise<void> {
  const { buildAgent } = await import('../chat/build-agent.ts');
  await buildAgent(words.join(' '), options);
}

async function create(agentId: string | undefined, flags: AgentFlags & HomeOption): Promise<void> {
  const definition = await readAgentFlags(flags);
  const id = agentId ?? definition.agentId;
  if (!id) throw new CommandFailure('Give an agent ID, for example: parley agents create team/writer', EXIT_USAGE);
  await withClient(
    flags,
    async ({ client }) => {
      const body = { ...definition, agentId: id };
      const make = (confirmed?: string) => client.call('createAgent', { body, query: { confirm: confirmed } });
      printWarnings(await withConfirmedProgram(make, flags.yes));
      print(`Created ${id}. Chat with it: parley chat -a ${id} -m "hello"`);
    },
    CREATES_FOLDER,
  );
}

async function update(agentId: string, flags: AgentFlags & HomeOption): Promise<void> {
  const { agentId: _, ...patch } = await readAgentFlags(flags);
  if (Object.keys(patch).length === 0)
    throw new CommandFailure('Nothing to change. See: parley agents update --help', EXIT_USAGE);
  await withClient(flags, async ({ client }) => {
    const before = await client.call('getAgent', { agentId });
    const chat = patch.chat && { ...before.definition.chat, ...patch.chat };
    const change = { agentId, body: { ...patch, ...(chat && { chat }) }, version: before.version };
    const save = (confirmed?: string) => client.call('updateAgent', { ...change, query: { confirm: confirmed } });
    printWarnings(await withConfirmedProgram(save, flags.yes));
    print(`Updated ${agentId}.`);
  });
}

async function remove(agentId: string, options: HomeOption & { yes?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { version } = await client.call('getAgent', { agentId });
    await confirm(`Delete the agent ${agentId}? Its messages are kept.`, options.yes);
    await client.call('deleteAgent', { agentId, version });
    print(`Deleted ${agentId}.`);
  });
}

async function card(agentId: string, options: Reading & { approve?: boolean; yes?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const shown = await client.call('getAgentCard', { agentId });
    if (options.json) printJson(shown);
    else print(safeText(JSON.stringify(shown.card, null, 2)));
    if (shown.approved) return note('This card is approved.');
    if (!options.approve)
      return note(`This card is not approved. Approve it with: parley agents card ${agentId} --approve`);
    await confirm(`Approve this card, so that ${agentId} can reply?`, options.yes);
    await client.call('approveAgentCard', { agentId, body: { hash: shown.hash } });
    note(`Approved. Chat with it: parley chat -a ${agentId} -m "hello"`);
  });
}

async function memories(options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { memories } = await client.call('listKeptMemories');
    if (options.json) return printJson(memories);
    if (memories.length === 0) return print('No memories of deleted agents.');
    const rows = memories.map(({ holder, agentId, count }) => [holder, agentId, String(count)]);
    printTable([{ title: 'Memory' }, { title: 'Agent' }, { title: 'Entries' }], rows);
    note('\nRead one with: parley tool memory list --agent MEMORY');
  });
}

async function restoreMemory(holder: string, agentId: string, options: HomeOption & { yes?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    await client.call('getAgent', { agentId });
    await confirm(safeLine(`Give ${agentId} the memory kept as ${holder}?`), options.yes);
    const { restored } = await client.call('restoreMemory', { body: { holder, agentId } });
    print(`${agentId} has ${counted(restored, 'more entry', 'more entries')} in its memory.`);
  });
}

async function discover(options: DiscoverOptions): Promise<void> {
  const { discoverAgents } = await import('../discovered-agents.ts');
  await discoverAgents(options);
}

async function templates(options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { templates } = await client.call('listTemplates');
    if (options.json) return printJson(templates);
    if (templates.length === 0) return print('No templates.');
    const rows = templates.map(({ templateId, description, displayName }) => [
      templateId,
      description ?? displayName ?? '',
    ]);
    printTable([{ title: 'Template' }, { title: 'About', shrinks: true }], rows);
  });
}

const EXAMPLES = `
Examples:
  $ parley agents
  $ parley agents build "an agent that reviews my plans and asks before it writes anything down"
  $ parley agents create team/writer --extends assistant --provider anthropic --api-key-env ANTHROPIC_API_KEY
  $ parley agents create -f writer.json
  $ parley agents update team/writer --system-prompt "You write short sentences."
  $ parley agents discover --add`;
