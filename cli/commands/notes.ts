import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Note } from '../../contract/notes.ts';
import { requireArtifact } from '../artifacts/find-artifact.ts';
import { addSharedCommands, heading, type Reading, sub, textOf, writeOut } from '../artifacts/shared-commands.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { print, printJson } from '../output.ts';
import { safeLine, safeText } from '../terminal-text.ts';

export function define(command: Command): void {
  command.description('Show and write notes.').addHelpText('after', EXAMPLES);
  addSharedCommands(command, 'note');
  sub(command, 'show <note>', 'show a note')
    .option('--version <number>', 'as it was in this version')
    .option('--json', 'as JSON')
    .action(show);
  noteFlags(
    sub(command, 'new <name> [text]', 'create a note; without a text, or with -, it is read from standard input'),
  )
    .option('--json', 'as JSON')
    .action(create);
  sub(command, 'add <note> <text>', 'add text at the end of a note; - reads it from standard input').action(add);
  noteFlags(sub(command, 'edit <note>', 'change a note; other fields stay as they are'))
    .option('--name <name>', 'rename it')
    .option('--text <text>', 'its whole text; - reads it from standard input')
    .action(edit);
  sub(command, 'export <note>', 'write a note to a Markdown file or to stdout')
    .option('-o, --output <file>', 'the file to write; default: stdout')
    .action(exportNote);
}

interface NoteFlags extends HomeOption {
  tag?: string[];
  date?: string;
  mood?: string;
}

function noteFlags(command: Command): Command {
  return command
    .option('--tag <tags...>', 'tags; "" for none')
    .option('--date <date>', 'the day that it is about; "" for none')
    .option('--mood <mood>', '"" for none');
}

function readFlags({ tag, date, mood }: NoteFlags) {
  return {
    ...(tag !== undefined && { tags: tag.filter(Boolean) }),
    ...(date !== undefined && { date: date || null }),
    ...(mood !== undefined && { mood: mood || null }),
  };
}

async function load(client: ParleyClient, name: string): Promise<Note> {
  const { id } = await requireArtifact(client, 'note', name);
  return client.call('getNote', { noteId: id });
}

async function show(name: string, options: Reading & { version?: string }): Promise<void> {
  const version = options.version === undefined ? undefined : Number(options.version);
  if (version !== undefined && !Number.isInteger(version))
    throw new CommandFailure('--version must be a number of the history.', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const note = await load(client, name);
    const old = version === undefined ? null : await client.call('getNoteVersion', { noteId: note.id, version });
    if (options.json) return printJson(old ?? note);
    const facts = [note.date, note.mood, ...note.tags.map((tag) => `#${tag}`)].filter((fact) => fact !== null);
    heading(old?.name ?? note.name, [...facts, `version ${old?.version ?? note.version}`]);
    print(`\n${safeText(old?.text ?? note.text)}`);
    const linking = note.linkedFrom.map((from) => from.name);
    if (linking.length > 0 && !old) print(`\nLinked from: ${linking.map(safeLine).join(', ')}`);
  });
}

async function create(name: string, given: string | undefined, options: NoteFlags & { json?: boolean }): Promise<void> {
  const text = await textOf(given ?? (process.stdin.isTTY ? '' : '-'));
  await withClient(options, async ({ client }) => {
    const note = await client.call('createNote', { body: { name, text, ...readFlags(options) } });
    if (options.json) return printJson(note);
    print(`Created the note "${safeLine(note.name)}" (${note.id}).`);
  });
}

async function add(name: string, given: string, options: HomeOption): Promise<void> {
  const more = await textOf(given);
  await withClient(options, async ({ client }) => {
    const { id, text: known, version } = await load(client, name);
    const text = known === '' || known.endsWith('\n') ? known + more : `${known}\n${more}`;
    const note = await client.call('patchNote', { noteId: id, body: { text, base: version } });
    print(`Added to "${safeLine(note.name)}"; now version ${note.version}.`);
  });
}

async function edit(name: string, options: NoteFlags & { name?: string; text?: string }): Promise<void> {
  const { name: newName, text } = options;
  const patch = {
    ...readFlags(options),
    ...(newName !== undefined && { name: newName }),
    ...(text !== undefined && { text: await textOf(text) }),
  };
  if (Object.keys(patch).length === 0)
    throw new CommandFailure('Nothing to change. See: parley notes edit --help', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const { id } = await requireArtifact(client, 'note', name);
    const note = await client.call('patchNote', { noteId: id, body: patch });
    print(`Updated "${safeLine(note.name)}"; now version ${note.version}.`);
  });
}

async function exportNote(name: string, options: HomeOption & { output?: string }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { text } = await load(client, name);
    const whole = text.endsWith('\n') || text === '' ? text : `${text}\n`;
    const isForTerminal = options.output === undefined || options.output === '-';
    await writeOut(isForTerminal ? safeText(whole) : whole, options.output);
  });
}

const EXAMPLES = `
Refer to a note by its name or ID.

Examples:
  $ parley notes new "Trip to Rome" "# Plan" --tag travel
  $ parley notes new Minutes < minutes.md
  $ parley notes add "Trip to Rome" -- "- buy tickets"
  $ parley notes show "Trip to Rome" --version 1
  $ parley notes edit "Trip to Rome" --name Rome --date 2026-05-01
  $ parley notes undo Rome
  $ parley notes export Rome -o rome.md`;
