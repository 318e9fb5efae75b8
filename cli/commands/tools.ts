import type { Command } from 'commander';
import type { ToolInfo } from '../../contract/tools.ts';
import { type Place, withClient } from '../connect.ts';
import { look, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';

interface ToolsOptions extends Place {
  agent?: string;
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('The tools there are, or those that an agent may use.')
    .option('-a, --agent <agent>', 'only what this agent may use')
    .option('--json', 'as JSON, with what each takes')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(tools);
}

async function tools(options: ToolsOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { tools } = await client.listTools({ agent: options.agent });
    if (options.json) return printJson(tools);
    if (tools.length === 0) return print(options.agent ? `${options.agent} may use no tools.` : 'There are no tools.');
    printTable(COLUMNS, tools.map(toRow));
    if (options.agent) print(look().dim(`Why, and what it may not use: parley explain ${options.agent}`));
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
Risk: read looks, write changes what Parley keeps, execute acts beyond it.

Examples:
  $ parley tools
  $ parley tools -a wisp/concierge
  $ parley tool reading-list --help   how to use one yourself`;
