import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Author } from '../../contract/artifacts.ts';
import type { ExportedMemories, Memory, MemoryChange } from '../../contract/memory.ts';
import { ago } from '../ago.ts';
import { confirm } from '../confirm.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { look, print, printJson } from '../output.ts';
import { safeLine, safeText } from '../terminal-text.ts';

interface Reading extends HomeOption {
  json?: boolean;
}

export function define(command: Command): void {
  command.description('See and change what agents remember across sessions.').addHelpText('after', EXAMPLES);
  sub(command, 'list [agent]', 'list what agents remember, newest first', { isDefault: true })
    .option('-q, --query <words>', 'only what has all of these words')
    .option('--tag <tag>', 'only what has this tag')
    .option('-n, --limit <number>', 'how many', '50')
    .option('--json', 'as JSON')
    .action(list);
  sub(command, 'show <id>', 'show a memory, where it came from and its history')
    .option('--json', 'as JSON')
    .action(show);
  addFlags(sub(command, 'add <agent> <text>', 'have an agent remember something; - reads the text')).action(add);
  addFlags(sub(command, 'update <id>', 'change a memory; other fields stay as they are'))
    .option('--text <text>', 'what is remembered; - reads it')
    .action(update);
  sub(command, 'delete <id>', 'have an agent forget something; it can be restored for a week')
    .option('--permanently', 'delete it for good, with its history')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(remove);
  sub(command, 'restore <id>', 'restore a deleted memory').action(restore);
  sub(command, 'export [agent]', 'print what agents remember as JSON').action(exportAll);
  sub(command, 'import <file>', 'import what was exported; - reads it').action(importAll);
}

function sub(command: Command, name: string, summary: string, options: { isDefault?: boolean } = {}): Command {
  return command.command(name, options).description(summary).option('--home <folder>', 'the data folder');
}

interface Flags extends HomeOption {
  topic?: string;
  tag?: string[];
}

function addFlags(command: Command): Command {
  return command
    .option('--topic <topic>', 'what it is about; "" for nothing')
    .option('--tag <tags...>', 'its tags; "" for none');
}

function toFields({ topic, tag }: Flags) {
  return {
    ...(topic !== undefined && { topic }),
    ...(tag !== undefined && { tags: tag.filter((one) => one !== '') }),
  };
}

async function list(
  agent: string | undefined,
  { query: q, tag, limit, json, ...options }: Reading & { query?: string; tag?: string; limit: string },
): Promise<void> {
  await withClient(options, async ({ client }) => {
    const query = { ...(agent && { agent }), ...(q && { q }), ...(tag && { tag }), limit: Number(limit) };
    const { memories, isComplete } = await client.call('listMemories', { query });
    if (json) return printJson(memories);
    if (memories.length === 0) return print('Nothing is remembered.');
    for (const memory of memories) printMemory(memory);
    if (!isComplete) print(look().dim('There are more: use --limit or --query.'));
  });
}

function printMemory(memory: Memory): void {
  const { id, agentId, topic, tags, createdAt, text: words } = memory;
  const head = [id, agentId, ago(createdAt), ...(topic ? [topic] : []), ...tags.map((tag) => `#${tag}`)];
  print(`${look().dim(head.map(safeLine).join(' · '))}\n${safeText(words)}\n`);
}

async function show(id: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const memory = await client.call('getMemory', { memoryId: id });
    const { changes } = await client.call('listMemoryChanges', { memoryId: id });
    if (options.json) return printJson({ ...memory, changes });
    printMemory(memory);
    print(originOf(memory));
    for (const change of changes) print(look().dim(changeLine(change)));
  });
}

function originOf({ origin, createdBy }: Memory): string {
  if (origin) return `From the session "${safeLine(origin.sessionTitle)}" (parley sessions show ${origin.sessionId})`;
  if (createdBy?.kind === 'agent') return 'The session it came from was deleted.';
  if (createdBy === null) return 'Where it came from is not known.';
  return createdBy.kind === 'person' ? 'Added by you.' : 'Imported.';
}

function changeLine({ version, type, by, at, text: words }: MemoryChange): string {
  return safeLine(`${version}. ${type} by ${nameOf(by)} ${ago(at)}: ${words}`);
}

function nameOf(by: Author | null): string {
  if (by === null) return 'unknown';
  return by.agentId ?? (by.kind === 'person' ? 'you' : by.kind);
}

async function add(agentId: string, words: string, options: Flags): Promise<void> {
  await withClient(options, async ({ client }) => {
    const body = { agentId, text: await read(words), ...toFields(options) };
    const made = await client.call('createMemory', { body });
    print(`${safeLine(agentId)} remembers it as ${made.id}.`);
  });
}

async function update(id: string, options: Flags & { text?: string }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const words = options.text === undefined ? {} : { text: await read(options.text) };
    const body = { ...toFields(options), ...words };
    if (Object.keys(body).length === 0)
      throw new CommandFailure('Nothing to change. See: parley memory update --help', EXIT_USAGE);
    await client.call('patchMemory', { memoryId: id, body });
    print(`Updated ${id}.`);
  });
}

async function remove(id: string, options: HomeOption & { permanently?: boolean; yes?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const memory = await client.call('getMemory', { memoryId: id });
    const words = safeLine(memory.text.slice(0, 60));
    if (options.permanently) await confirm(`Delete "${words}" for good?`, options.yes);
    const query = options.permanently ? { permanently: 'true' as const } : {};
    await client.call('deleteMemory', { memoryId: id, query });
    print(options.permanently ? `Deleted ${id}.` : `Deleted ${id}. Undo with: parley memory restore ${id}`);
  });
}

async function restore(id: string, options: HomeOption): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { agentId } = await client.call('undeleteMemory', { memoryId: id });
    print(`${safeLine(agentId)} remembers ${id} again.`);
  });
}

async function exportAll(agent: string | undefined, options: HomeOption): Promise<void> {
  await withClient(options, async ({ client }) => {
    printJson(await client.call('exportMemories', { query: agent ? { agent } : {} }));
  });
}

async function importAll(file: string, options: HomeOption): Promise<void> {
  const words = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  await withClient(options, async ({ client }) => {
    const { imported, known } = await client.call('importMemories', { body: parse(words) });
    print(`Imported ${imported}. ${known} were there already.`);
  });
}

/** What is in it is for the server to judge. */
function parse(words: string): ExportedMemories {
  try {
    return JSON.parse(words);
  } catch {
    throw new CommandFailure('This file is not JSON.', EXIT_USAGE);
  }
}

async function read(words: string): Promise<string> {
  return words === '-' ? (await text(process.stdin)).trimEnd() : words;
}

const EXAMPLES = `
Examples:
  $ parley memory list wisp/concierge
  $ parley memory list -q "deploy day"
  $ parley memory add wisp/concierge "The deploy day is Thursday." --topic work
  $ parley memory update 1j2k3m4n5p --text "The deploy day is Friday."
  $ parley memory delete 1j2k3m4n5p
  $ parley memory export > memories.json`;
