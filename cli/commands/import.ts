import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { CREATES_FOLDER, withClient } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { print } from '../output.ts';
import { safeLine } from '../terminal-text.ts';

interface ImportOptions {
  name?: string;
  home?: string;
}

export function define(command: Command): void {
  command
    .description('Import a session from `parley export` or from a plain file of messages.')
    .argument('<file>', 'the file; - for stdin')
    .option('-n, --name <name>', 'the name of the new session')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(importSession);
}

async function importSession(file: string, { name, ...place }: ImportOptions): Promise<void> {
  const content = parse(file, await read(file));
  await withClient(
    place,
    async ({ client }) => {
      const session = await client.call('importSession', { body: content, query: { name } });
      print(
        `Imported "${safeLine(session.title)}", ${session.messageCount} ${session.messageCount === 1 ? 'message' : 'messages'}: ${session.id}`,
      );
    },
    CREATES_FOLDER,
  );
}

async function read(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`Can't read ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** What is in it is for the server to judge. */
function parse(file: string, json: string) {
  try {
    return JSON.parse(json);
  } catch {
    throw new CommandFailure(`${file} is not valid JSON. Import a file from \`parley export -f json\`.`);
  }
}

const EXAMPLES = `
Examples:
  $ parley import trip.json --name trip-copy
  $ parley export trip | PARLEY_HOME=~/other parley import -

A plain file looks like this; "agent" names the speaker:
  { "messages": [ { "role": "user", "content": "hello" },
                  { "role": "assistant", "agent": "wisp/concierge", "content": "Hi!" } ] }`;
