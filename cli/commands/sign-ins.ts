import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { BrowserSignIn } from '../../contract/access.ts';
import { findById } from '../actions/short-id.ts';
import { ago } from '../ago.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine } from '../terminal-text.ts';

interface SignInsOptions extends HomeOption {
  end?: string;
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('List signed-in browsers. To sign one in, use `parley open`.')
    .option('--end <id>', 'sign out a browser; the start or end of its ID is enough')
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .action(signIns);
}

async function signIns(options: SignInsOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { signIns } = await client.call('listSignIns');
    if (options.end !== undefined) return end(client, signIns, options.end);
    if (options.json) return printJson(signIns);
    if (signIns.length === 0) return print('No browser is signed in. Sign one in with: parley open');
    printTable(COLUMNS, signIns.map(toRow));
  });
}

async function end(client: ParleyClient, signIns: readonly BrowserSignIn[], given: string): Promise<void> {
  const signIn = findById(signIns, given, 'sign-ins');
  if (!signIn) throw new CommandFailure(`No sign-in has an ID that starts or ends with ${given}. See: parley sign-ins`);
  await client.call('endSignIn', { signInId: signIn.id });
  print(`${safeLine(signIn.browser)} was signed out.`);
}

const COLUMNS = [{ title: 'Browser', shrinks: true }, { title: 'Signed in' }, { title: 'Open' }, { title: 'Id' }];

function toRow({ id, browser, createdAt, isActive }: BrowserSignIn): string[] {
  return [browser, ago(createdAt), isActive ? 'yes' : 'no', id];
}
