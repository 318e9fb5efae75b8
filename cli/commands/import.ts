import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { Session } from '../../contract/sessions.ts';
import type { SessionTeam } from '../../contract/teams.ts';
import { CREATES_FOLDER, withClient } from '../connect.ts';
import { counted } from '../counted.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { note, print } from '../output.ts';
import type { ProgramImportOptions } from '../program-sessions.ts';
import { safeLine } from '../terminal-text.ts';

interface ImportOptions extends Partial<ProgramImportOptions> {
  name?: string;
  home?: string;
}

export function define(command: Command): void {
  command
    .description(
      'Import a session from `parley export`, from a plain file of messages,\nor from Claude, Codex or Pi on this machine.',
    )
    .argument('[files...]', 'the file, - for stdin; with --from, IDs of sessions')
    .addOption(new Option('--from <program>', 'the program that has the sessions').choices(['claude', 'codex', 'pi']))
    .option('--list', 'with --from: list its sessions')
    .option('-n, --name <name>', 'the name of the new session')
    .option('--json', 'with --list: as JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(importSessions);
}

async function importSessions(files: string[], options: ImportOptions): Promise<void> {
  const { from } = options;
  if (from !== undefined) {
    const { importFromProgram } = await import('../program-sessions.ts');
    return importFromProgram(files, { ...options, from });
  }
  const [file, ...more] = files;
  if (file === undefined || more.length > 0)
    throw new CommandFailure('Give one file, or --from and the IDs of sessions. See: parley import --help', EXIT_USAGE);
  await importFile(file, options);
}

async function importFile(file: string, { name, ...place }: ImportOptions): Promise<void> {
  const content = parse(file, await read(file));
  const { importArtifacts, isExportOfArtifacts } = await import('../artifacts/everything.ts');
  if (isExportOfArtifacts(content))
    return withClient(place, ({ client }) => importArtifacts(client, content), CREATES_FOLDER);
  await withClient(
    place,
    async ({ client }) => {
      const session = await client.call('importSession', { body: content, query: { name } });
      printImported(session);
      if (session.missingTeam) noteMissing(session.missingTeam);
    },
    CREATES_FOLDER,
  );
}

export function printImported({ title, messageCount, id }: Session): void {
  print(`Imported "${safeLine(title)}", ${counted(messageCount, 'message')}: ${id}`);
}

function noteMissing({ name, agents }: SessionTeam): void {
  const cast = agents.map(safeLine).join(', ');
  note(
    `It began with the team "${safeLine(name)}" (${cast}). You have no such team with this orchestrator, so it goes on ` +
      'without one. To keep the team, import it with `parley teams import`, then import this file again.',
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
  $ parley import --from claude --list
  $ parley import --from claude 6f1d2c3b

A plain file looks like this; "agent" names the speaker:
  { "messages": [ { "role": "user", "content": "hello" },
                  { "role": "assistant", "agent": "wisp/concierge", "content": "Hi!" } ] }

Sessions of Claude, Codex and Pi are copied; their files are never changed by Parley. The next message that you
send in the imported session continues the program's own session.`;
