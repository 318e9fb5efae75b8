import type { Command } from 'commander';
import type { ToolInfo } from '../../contract/tools.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { look, note, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine } from '../terminal-text.ts';

interface ToolsOptions extends HomeOption {
  agent?: string;
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('List tools, or the tools an agent can use.')
    .option('-a, --agent <agent>', 'only what this agent can use')
    .option('--json', 'as JSON, with input schemas')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(tools);
}

async function tools(options: ToolsOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { tools, issues = [] } = await client.call('listTools', { query: { agent: options.agent } });
    if (options.json) return printJson(tools);
    for (const issue of issues) note(`Problem: ${safeLine(issue)}`);
    if (tools.length === 0) return print(options.agent ? `${options.agent} has no tools.` : 'No tools.');
    printTable(COLUMNS, tools.map(toRow));
    if (options.agent) print(look().dim(`For reasons and blocked tools: parley explain ${options.agent}`));
  });
}

const COLUMNS = [
  { title: 'Tool' },
  { title: 'Risk' },
  { title: 'From', shrinks: true },
  { title: 'About', shrinks: true },
];

function toRow({ name, risk, source, description }: ToolInfo): string[] {
  return [name, risk, `${source.kind} ${source.id}`, description];
}

const EXAMPLES = `
Risk: read is read-only, write changes Parley data, execute runs on this machine or outside it.

Examples:
  $ parley tools
  $ parley tools -a wisp/concierge
  $ parley tool reading-list --help   how to run one yourself`;
