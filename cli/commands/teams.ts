import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Cast, PatchTeam, Team, TeamDefinition, TeamFile } from '../../contract/teams.ts';
import { confirm } from '../confirm.ts';
import { withConfirmedProgram } from '../confirmed-program.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { requireSession } from '../find-session.ts';
import { requireTeam } from '../find-team.ts';
import { look, note, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { teamTree } from '../team-tree.ts';
import { safeLine, safeText } from '../terminal-text.ts';

interface Reading extends HomeOption {
  json?: boolean;
}

export function define(command: Command): void {
  command.description('Manage teams: an orchestrator and the agents it delegates to.').addHelpText('after', EXAMPLES);
  sub(command, 'list', 'list teams', { isDefault: true }).option('--json', 'as JSON').action(list);
  sub(command, 'show <team>', 'show a team and its agents').option('--json', 'as JSON').action(show);
  sub(command, 'save <name>', 'keep the agents of a session as a team')
    .requiredOption('--from <session>', 'the session, by name or ID')
    .option('--orchestrator <agent>', 'the agent that leads; default: the one that delegated, else the primary')
    .option('--agents <agents>', 'the others, separated by commas; default: all of the session')
    .option('--description <text>', 'what the team is for')
    .option('--allow', 'change the orchestrator so that it can delegate to the others')
    .option('--json', 'as JSON')
    .action(save);
  sub(command, 'import <file>', 'create a team with its agents from a file; - for stdin')
    .option('--name <name>', 'another name')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'as JSON')
    .action(importTeam);
  sub(command, 'export <team>', 'print a team with the definitions of its agents')
    .option('-o, --out <file>', 'write it to a file')
    .action(exportTeam);
  sub(command, 'update <team>', 'change a team; other fields stay as they are')
    .option('--name <name>', 'rename it')
    .option('--description <text>', 'what the team is for')
    .option('--agents <agents>', 'its agents, separated by commas, the orchestrator first')
    .option('--allow', 'change the orchestrator so that it can delegate to the others')
    .action(update);
  sub(command, 'delete <team>', 'delete a team; its agents and sessions are kept')
    .option('--agents', 'also delete the agents that were created with it, if they have not changed since')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(remove);
}

function sub(command: Command, name: string, summary: string, options: { isDefault?: boolean } = {}): Command {
  return command.command(name, options).description(summary).option('--home <folder>', 'the data folder');
}

async function list(options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { teams } = await client.call('listTeams');
    if (options.json) return printJson(teams);
    if (teams.length === 0) return print(EMPTY);
    printTable(COLUMNS, teams.map(toRow));
  });
}

const COLUMNS = [
  { title: 'Team', shrinks: true },
  { title: 'Agents', shrinks: true },
  { title: 'About', shrinks: true },
];

function toRow({ name, agents, description }: Team): string[] {
  return [name, agents.join(', '), description || '-'];
}

async function show(name: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await requireTeam(client, name);
    const team = await client.call('getTeam', { teamId: id });
    if (options.json) return printJson(team);
    const { agents } = await client.call('listAgents', { query: { hidden: true } });
    print(look().bold(safeLine(team.name)));
    if (team.description) print(look().dim(safeLine(team.description)));
    for (const { depth, words } of teamTree(team.agents, agents)) print(`${'  '.repeat(depth)}${safeLine(words)}`);
    warn(team, `parley teams update ${quoted(team.name)} --allow`);
  });
}

interface SaveOptions extends Reading {
  from: string;
  orchestrator?: string;
  agents?: string;
  description?: string;
  allow?: boolean;
}

async function save(name: string, options: SaveOptions): Promise<void> {
  const { from, orchestrator, description, allow = false } = options;
  await withClient(options, async ({ client }) => {
    const { id: sessionId } = await requireSession(client, from);
    const cast = await client.call('sessionCast', { sessionId, query: orchestrator ? { orchestrator } : {} });
    const agents = chosen(cast, options.agents);
    const team = await client.call('createTeam', { body: { name, description: description ?? '', agents, allow } });
    if (options.json) return printJson(team);
    print(`Saved "${safeLine(team.name)}": ${agents.join(', ')}. Use it with: parley chat --team ${quoted(team.name)}`);
    if (!allow) warn(cast, '--allow');
  });
}

function chosen({ agents: [leader, ...others] }: Cast, wanted: string | undefined): string[] {
  if (leader === undefined) throw new CommandFailure('No agent of this session exists any more.');
  const kept = wanted === undefined ? others : namesIn(wanted).filter((agentId) => agentId !== leader);
  return [leader, ...kept];
}

function warn({ agents: [leader], refused, changes }: Pick<Cast, 'agents' | 'refused' | 'changes'>, how: string): void {
  for (const { reason } of refused) note(look().amber(safeLine(reason)));
  if (changes) note(`With ${how}, ${leader} is changed so that it can delegate to the others.`);
}

function namesIn(names: string): string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

async function importTeam(file: string, options: Reading & { name?: string; yes?: boolean }): Promise<void> {
  const written = await readTeam(file);
  const team = { ...written, ...(options.name !== undefined && { name: options.name }) };
  await withClient(options, async ({ client }) => {
    await showRights(client, team);
    await confirm(`Create the team "${safeLine(team.name)}" with these agents?`, options.yes);
    const make = (confirmed?: string) => client.call('makeTeam', { body: team, query: { confirm: confirmed } });
    const made = await withConfirmedProgram(make, options.yes);
    if (options.json) return printJson(made);
    print(`Created "${safeLine(made.name)}". Use it with: parley chat --team ${quoted(made.name)}`);
  });
}

/** What every agent would be allowed, before anything is created. */
async function showRights(client: ParleyClient, team: TeamDefinition): Promise<void> {
  const { issues, members } = await client.call('judgeTeam', { body: team });
  for (const issue of issues) note(look().red(safeLine(issue)));
  for (const { agentId, issues: wrong, mayUse, mayAskToUse, notes } of members) {
    note(safeLine(agentId));
    for (const issue of wrong) note(look().red(safeLine(`  ${issue}`)));
    if (mayUse.length > 0) note(look().dim(safeLine(`  can use ${mayUse.join(', ')}`)));
    if (mayAskToUse.length > 0) note(look().dim(safeLine(`  asks before it uses ${mayAskToUse.join(', ')}`)));
    for (const words of notes) note(look().dim(safeLine(`  ${words}`)));
  }
}

/** A file that was exported, or one that holds only the team. */
async function readTeam(file: string): Promise<TeamDefinition> {
  try {
    const json = JSON.parse(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')) as
      | TeamFile
      | TeamDefinition;
    return 'format' in json ? json.team : json;
  } catch (error) {
    const why =
      error instanceof SyntaxError ? 'is not valid JSON' : `can't be read (${(error as NodeJS.ErrnoException).code})`;
    throw new CommandFailure(`${file} ${why}.`, EXIT_USAGE);
  }
}

async function exportTeam(name: string, options: HomeOption & { out?: string }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await requireTeam(client, name);
    const file = await client.call('exportTeam', { teamId: id });
    if (options.out === undefined) return print(safeText(JSON.stringify(file, null, 2)));
    await writeFile(options.out, `${JSON.stringify(file, null, 2)}\n`);
    note(`Written to ${safeLine(options.out)}. Create it elsewhere with: parley teams import ${safeLine(options.out)}`);
  });
}

interface UpdateOptions extends HomeOption {
  name?: string;
  description?: string;
  agents?: string;
  allow?: boolean;
}

async function update(name: string, options: UpdateOptions): Promise<void> {
  const patch: PatchTeam = {
    ...(options.name !== undefined && { name: options.name }),
    ...(options.description !== undefined && { description: options.description }),
    ...(options.agents !== undefined && { agents: namesIn(options.agents) }),
    ...(options.allow && { allow: true }),
  };
  if (Object.keys(patch).length === 0)
    throw new CommandFailure('Nothing to change. See: parley teams update --help', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const { id } = await requireTeam(client, name);
    const changed = await client.call('patchTeam', { teamId: id, body: patch });
    print(`Updated "${safeLine(changed.name)}".`);
  });
}

async function remove(name: string, options: HomeOption & { agents?: boolean; yes?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const team = await requireTeam(client, name);
    const shown = safeLine(team.name);
    if (options.agents) {
      await confirm(`Delete the team "${shown}" and ${team.created.join(', ')}?`, options.yes);
      await client.call('unmakeTeam', { teamId: team.id });
    } else {
      await confirm(`Delete the team "${shown}"? Its agents and sessions are kept.`, options.yes);
      await client.call('deleteTeam', { teamId: team.id });
    }
    print(`Deleted "${shown}".`);
  });
}

/** As one would type it in a shell. */
function quoted(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${safeLine(name).replaceAll("'", `'\\''`)}'`;
}

const EMPTY = 'No teams yet. Describe one with: parley agents build "a team that researches, writes and reviews"';

const EXAMPLES = `
Refer to a team by its name.

Examples:
  $ parley agents build "a team of three that researches, writes and reviews release notes"
  $ parley teams
  $ parley teams save editors --from trip --orchestrator wisp/concierge --allow
  $ parley teams export editors -o editors.json
  $ parley teams import editors.json
  $ parley chat --team editors`;
