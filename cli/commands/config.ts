import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import type { Place } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { resolveHome } from '../home.ts';
import { print } from '../output.ts';
import { safeText } from '../terminal-text.ts';

export function define(command: Command): void {
  command
    .description('The configuration: parley.json and agents/**.json in the data folder.')
    .addHelpText('after', EXAMPLES);
  sub(command, 'check', 'say exactly what is wrong with it; no server needed').action(check);
  sub(command, 'path', 'print where it is').action(({ home }: Place) => print(resolveHome(home)));
  sub(command, 'show', 'print parley.json').action(show);
}

function sub(command: Command, name: string, summary: string): Command {
  return command.command(name).description(summary).option('--home <folder>', 'the data folder');
}

async function check({ home: wanted }: Place): Promise<void> {
  const home = resolveHome(wanted);
  if (!existsSync(home)) throw new CommandFailure(`There is no ${home} yet; \`parley serve\` makes it.`);
  const { checkConfiguration } = await import('../../server/config.ts');
  const { valid, issues, agents } = await checkConfiguration(home, process.env);
  if (!valid)
    throw new CommandFailure(['The configuration is not valid:', ...issues.map((issue) => `  ${issue}`)].join('\n'));
  print(`The configuration is valid: ${agents.length} agents in ${home}.`);
  for (const { agentId, available, unavailableReason } of agents)
    if (!available) print(`  ${agentId} is not available: ${safeText(unavailableReason ?? '')}`);
}

function show({ home }: Place): void {
  const file = path.join(resolveHome(home), 'parley.json');
  if (!existsSync(file)) throw new CommandFailure(`There is no ${file} yet; \`parley serve\` makes it.`);
  process.stdout.write(safeText(readFileSync(file, 'utf8')));
}

const EXAMPLES = `
Examples:
  $ parley config check
  $ ls "$(parley config path)/agents"`;
