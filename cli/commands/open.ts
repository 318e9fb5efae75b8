import type { Command } from 'commander';
import { findServer } from '../discovery.ts';
import { CommandFailure } from '../failure.ts';
import { resolveHome } from '../home.ts';
import { canOpen, openBrowser } from '../open-browser.ts';
import { print } from '../output.ts';

export function define(command: Command): void {
  command
    .description('Prints a link that signs a browser in, once, within ten minutes; opens it where there is a display.')
    .option('--print', 'only print the link')
    .option('--home <folder>', 'the data folder')
    .action(open);
}

async function open(options: { home?: string; print?: boolean }): Promise<void> {
  const client = await findServer(resolveHome(options.home));
  if (!client) throw new CommandFailure('No server is running. Start one with: parley serve');
  const { url } = await client.createSignInLink();
  print(url);
  if (!options.print && canOpen()) openBrowser(url);
}
