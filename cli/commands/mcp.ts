import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import { AppError } from '../../contract/errors.ts';
import type { McpServerInfo } from '../../contract/tools.ts';
import { confirm } from '../confirm.ts';
import { CREATES_FOLDER, type HomeOption, withClient } from '../connect.ts';
import { counted } from '../counted.ts';
import { readToken } from '../discovery.ts';
import { CommandFailure } from '../failure.ts';
import { look, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine, safeText } from '../terminal-text.ts';

interface Reading extends HomeOption {
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('Manage the configured MCP servers. Agents can use their tools only as you accepted them.')
    .addHelpText('after', EXAMPLES);
  sub(command, 'list', 'list servers, their state and changed tools', { isDefault: true }).action(list);
  sub(command, 'restart <name>', 'restart a server and read its tools again').action(restart);
  sub(command, 'accept <name>', 'accept the tools as the server describes them now')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(accept);
  command
    .command('serve')
    .description('offer your exposed agents and sessions as an MCP server on standard input and output')
    .option('--home <folder>', 'the data folder')
    .action(serve);
}

/** Programs such as Claude Desktop start it. Without a running server it is one itself, until its input ends. */
async function serve(options: HomeOption): Promise<void> {
  const { serveMcpOnStdio } = await import('../mcp-stdio.ts');
  await withClient(
    options,
    async ({ client, home }) => {
      const token = readToken(home, process.env);
      if (token === undefined) throw new CommandFailure('No token found. Set PARLEY_TOKEN, or --home.');
      const unreachable = `The server at ${client.baseUrl} does not respond.`;
      await serveMcpOnStdio({ url: new URL('/mcp', client.baseUrl), token, unreachable, resources: true });
    },
    { ...CREATES_FOLDER, serves: 'until its input ends; `parley serve` keeps one running' },
  );
}

function sub(command: Command, name: string, summary: string, options: { isDefault?: boolean } = {}): Command {
  return command
    .command(name, options)
    .description(summary)
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder');
}

async function list(options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { servers } = await client.call('listMcpServers');
    if (options.json) return printJson(servers);
    if (servers.length === 0) return print('No MCP servers are configured. Add them under mcpServers in parley.json.');
    printTable(COLUMNS, servers.map(toRow));
    for (const server of servers) printTrouble(server);
  });
}

const COLUMNS = [{ title: 'Server' }, { title: 'State' }, { title: 'Tools' }, { title: 'Target', shrinks: true }];

function toRow({ name, state, restarts, tools, target }: McpServerInfo): string[] {
  const accepted = tools.filter((tool) => tool.state === 'accepted').length;
  const usable = accepted === tools.length ? `${accepted}` : `${accepted} of ${tools.length}`;
  return [name, restarts > 0 ? `${state} (${counted(restarts, 'restart')})` : state, usable, target];
}

function printTrouble(server: McpServerInfo): void {
  const name = safeLine(server.name);
  if (server.error) print(look().red(`${name}: ${safeLine(server.error)}`));
  if (changesOf(server).length > 0)
    print(look().amber(`${name}: its tools changed. Review them with: parley mcp accept ${name}`));
}

async function restart(name: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const server = await client.call('restartMcpServer', { name });
    if (options.json) return printJson(server);
    print(`${safeLine(server.name)} is ${server.state}, with ${counted(server.tools.length, 'tool')}.`);
    printTrouble(server);
  });
}

async function accept(name: string, options: Reading & { yes?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const server = await requireServer(client, name);
    const changes = changesOf(server);
    if (server.definitionsHash === null || changes.length === 0) return print(nothingToAccept(server));
    if (!options.json) for (const change of changes) printChange(change);
    await confirm(`Accept the tools of ${safeLine(name)} as described here?`, options.yes);
    const accepted = await client.call('acceptMcpDefinitions', { name, body: { hash: server.definitionsHash } });
    if (options.json) printJson(accepted);
    else print(`Accepted ${counted(accepted.tools.length, 'tool')} of ${safeLine(name)}.`);
  });
}

async function requireServer(client: ParleyClient, name: string): Promise<McpServerInfo> {
  const { servers } = await client.call('listMcpServers');
  const server = servers.find((one) => one.name === name);
  if (server) return server;
  const known = servers.map((one) => one.name).join(', ') || 'none';
  throw new AppError('mcp_server_not_found', `No MCP server is called ${name}. Configured: ${known}.`);
}

type McpTool = McpServerInfo['tools'][number];

function changesOf({ tools }: McpServerInfo): McpTool[] {
  return tools.filter(({ state }) => state !== 'accepted');
}

function nothingToAccept({ name, definitionsHash }: McpServerInfo): string {
  return definitionsHash === null
    ? `The tools of ${safeLine(name)} are not known yet. Start it with: parley mcp restart ${safeLine(name)}`
    : `The tools of ${safeLine(name)} have not changed since you accepted them.`;
}

/** Descriptions are read by models: everything in them is shown. */
function printChange({ name, state, description, before }: McpTool): void {
  print(`${look().bold(safeLine(name))} ${look().amber(state)}`);
  if (before !== null) for (const line of safeText(before).split('\n')) print(look().red(`  - ${line}`));
  if (state !== 'gone') for (const line of safeText(description).split('\n')) print(`  + ${line}`);
}

const EXAMPLES = `
Examples:
  $ parley mcp
  $ parley mcp restart files
  $ parley mcp accept files        shows what changed and asks
  $ parley mcp serve               for MCP clients: Parley itself as a server`;
