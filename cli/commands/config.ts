import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import type { HomeOption } from '../connect.ts';
import { counted } from '../counted.ts';
import { CommandFailure } from '../failure.ts';
import { resolveHome } from '../home.ts';
import { print } from '../output.ts';
import { pluginIssues } from '../plugin-issues.ts';
import { safeText } from '../terminal-text.ts';

export function define(command: Command): void {
  command
    .description('The configuration: parley.json and agents/**.json in the data folder.')
    .addHelpText('after', EXAMPLES);
  sub(command, 'check', 'check it and list every problem; needs no server').action(check);
  sub(command, 'path', 'print the path of the data folder').action(({ home }: HomeOption) => print(resolveHome(home)));
  sub(command, 'show', 'print parley.json').action(show);
}

function sub(command: Command, name: string, summary: string): Command {
  return command.command(name).description(summary).option('--home <folder>', 'the data folder');
}

async function check({ home: wanted }: HomeOption): Promise<void> {
  const home = resolveHome(wanted);
  if (!existsSync(home)) throw new CommandFailure(`${home} does not exist yet. \`parley serve\` creates it.`);
  const { checkConfiguration } = await import('../../server/config/configuration.ts');
  const { issues: own, warnings, agents, plugins } = await checkConfiguration(home, process.env);
  const issues = [...own, ...(await pluginIssues(home, plugins))];
  if (issues.length > 0)
    throw new CommandFailure(['The configuration is invalid:', ...issues.map((issue) => `  ${issue}`)].join('\n'));
  print(`The configuration is valid: ${counted(agents.length, 'agent')} in ${home}.`);
  for (const { agentId, available, unavailableReason } of agents)
    if (!available) print(`  ${agentId} is unavailable: ${safeText(unavailableReason ?? '')}`);
  for (const warning of warnings) print(`  Warning: ${safeText(warning)}`);
}

function show({ home }: HomeOption): void {
  const file = path.join(resolveHome(home), 'parley.json');
  if (!existsSync(file)) throw new CommandFailure(`${file} does not exist yet. \`parley serve\` creates it.`);
  process.stdout.write(safeText(readFileSync(file, 'utf8')));
}

const EXAMPLES = `
Examples:
  $ parley config check
  $ ls "$(parley config path)/agents"`;
