import type { Command } from 'commander';
import { findServer } from '../discovery.ts';
import { CommandFailure } from '../failure.ts';
import { resolveHome } from '../home.ts';
import { canOpen, openBrowser } from '../open-browser.ts';
import { print } from '../output.ts';

export function define(command: Command): void {
  command
    .description(
      'Print a link that signs in a browser. It works once, for one minute. Opens the browser if there is a display.',
    )
    .option('--print', 'only print the link')
    .option('--home <folder>', 'the data folder')
    .action(open);
}

async function open(options: { home?: string; print?: boolean }): Promise<void> {
  const home = resolveHome(options.home);
  const client = await findServer(home);
  if (!client) throw new CommandFailure('No server is running. Start one with: parley serve');
  const { url } = await client.call('createSignInLink');
  print(url);
  if (!options.print && canOpen()) openBrowser(home, url);
}
