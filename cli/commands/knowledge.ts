import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import { AppError } from '../../contract/errors.ts';
import type { KnowledgePassage, KnowledgeSource } from '../../contract/knowledge.ts';
import { placeLabel } from '../../contract/knowledge-places.ts';
import { requireArtifact } from '../artifacts/find-artifact.ts';
import { confirm } from '../confirm.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { counted } from '../counted.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { look, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine, safeText } from '../terminal-text.ts';

interface Reading extends HomeOption {
  json?: boolean;
}

interface Adding extends Reading {
  agent?: string;
  children?: boolean;
  note?: boolean;
  wait?: boolean;
}

export function define(command: Command): void {
  command.description('Files and notes that agents can search.').addHelpText('after', EXAMPLES);
  sub(command, 'list', 'list what agents can search', { isDefault: true })
    .option('-a, --agent <agent>', 'only what this agent can search')
    .option('--json', 'as JSON')
    .action(list);
  sub(command, 'add <files...>', 'add files; with --note, notes by name or ID')
    .option('-a, --agent <agent>', 'the agent that gets them')
    .option('--children', 'also for the sub-agents of that agent')
    .option('--note', 'the names are those of notes')
    .option('--no-wait', 'do not wait until they have been read')
    .option('--json', 'as JSON')
    .action(add);
  sub(command, 'show <source>', 'show the text that was found in a source').option('--json', 'as JSON').action(show);
  sub(command, 'search <words...>', 'search as an agent does')
    .option('-a, --agent <agent>', 'only what this agent can search')
    .option('-s, --source <source>', 'only in this source')
    .option('-n, --limit <number>', 'how many passages', '5')
    .option('--json', 'as JSON')
    .action(search);
  sub(command, 'attach <source> <agent>', 'let an agent search a source')
    .option('--children', 'also for its sub-agents')
    .action(attach);
  sub(command, 'detach <source> <agent>', 'no longer let an agent search a source').action(detach);
  sub(command, 'rename <source> <name>', 'give a file another name; a note has its own').action(rename);
  sub(command, 'retry <source>', 'read a source again').action(retry);
  sub(command, 'stop <source>', 'stop reading a source').action(stop);
  sub(command, 'remove <source>', 'delete a source with its file; a note itself is kept')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(remove);
  sub(command, 'export <folder>', 'write all files, and which agents have them, to a folder').action(writeFolder);
  sub(command, 'import <folder>', 'add what was exported').action(readFolder);
}

function sub(command: Command, name: string, summary: string, options: { isDefault?: boolean } = {}): Command {
  return command.command(name, options).description(summary).option('--home <folder>', 'the data folder');
}

async function list(options: Reading & { agent?: string }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const query = options.agent === undefined ? {} : { agent: options.agent };
    const { sources, embeddings } = await client.call('listKnowledge', { query });
    if (options.json) return printJson({ sources, embeddings });
    if (sources.length === 0) return print(EMPTY);
    printTable(COLUMNS, sources.map(toRow));
    if (embeddings?.problem) print(`\n${safeLine(embeddings.problem)}`);
  });
}

const COLUMNS = [
  { title: 'Source', shrinks: true },
  { title: 'Kind' },
  { title: 'State', shrinks: true },
  { title: 'Passages' },
  { title: 'Agents', shrinks: true },
];

function toRow(source: KnowledgeSource): string[] {
  const agents = source.agents.map(({ agentId, children }) => (children ? `${agentId} and below` : agentId));
  return [source.name, source.format, stateOf(source), `${source.passages}`, agents.join(', ') || '-'];
}

function stateOf({ state, fraction, problem }: KnowledgeSource): string {
  if (fraction !== null) return `reading ${Math.round(fraction * 100)} %`;
  return problem ? `${state}: ${problem.message}` : state;
}

async function add(names: string[], options: Adding): Promise<void> {
  await withClient(options, async ({ client }) => {
    const added: KnowledgeSource[] = [];
    for (const name of names) {
      const source = options.note ? await addNote(client, name, options) : await addFile(client, name, options);
      added.push(options.wait === false ? source : await whenRead(client, source));
      if (!options.json) print(`${safeLine(source.name)}: ${safeLine(outcome(added.at(-1)!))}`);
    }
    if (options.json) printJson(added);
    if (added.some(({ state }) => state === 'failed')) throw new CommandFailure('Not everything could be read.');
  });
}

async function addFile(client: ParleyClient, file: string, { agent, children }: Adding): Promise<KnowledgeSource> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new CommandFailure(`File not found: ${file}.`, EXIT_USAGE);
  const about = { ...(agent !== undefined && { agent }), ...(children && { children: 'true' as const }) };
  return client.call('uploadKnowledge', {
    query: { name: path.basename(file), ...about },
    contents: await readFile(file),
  });
}

async function addNote(client: ParleyClient, name: string, { agent, children }: Adding): Promise<KnowledgeSource> {
  const { id: noteId } = await requireArtifact(client, 'note', name);
  const about = { ...(agent !== undefined && { agent }), ...(children && { children }) };
  return client.call('addKnowledgeNote', { body: { noteId, ...about } });
}

const LOOK_EVERY_MS = 300;

async function whenRead(client: ParleyClient, source: KnowledgeSource): Promise<KnowledgeSource> {
  let now = source;
  while (now.state === 'waiting' || now.state === 'reading') {
    await pause(LOOK_EVERY_MS);
    now = await client.call('getKnowledge', { sourceId: source.id });
  }
  return now;
}

function outcome({ state, passages, pages, problem }: KnowledgeSource): string {
  if (problem) return problem.message;
  if (state !== 'ready') return state;
  return [...(pages === null ? [] : [counted(pages, 'page')]), counted(passages, 'passage')].join(', ');
}

async function show(name: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const source = await requireSource(client, name);
    const passages = await readPassages(client, source.id);
    if (options.json) return printJson({ source, passages });
    print(look().bold(safeLine(source.name)));
    print(look().dim(safeLine(`${source.format} · ${stateOf(source)} · ${counted(source.passages, 'passage')}`)));
    for (const { number, place, text } of passages) {
      print(`\n${look().dim(safeLine([`${number}`, placeLabel(place)].filter(Boolean).join(' · ')))}`);
      print(safeText(text));
    }
  });
}

async function readPassages(client: ParleyClient, sourceId: string): Promise<KnowledgePassage[]> {
  const passages: KnowledgePassage[] = [];
  for (let isComplete = false; !isComplete; ) {
    const query = { from: passages.length + 1, limit: 200 };
    const page = await client.call('listKnowledgePassages', { sourceId, query });
    passages.push(...page.passages);
    isComplete = page.isComplete;
  }
  return passages;
}

async function search(
  words: string[],
  options: Reading & { agent?: string; source?: string; limit: string },
): Promise<void> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 50)
    throw new CommandFailure('--limit must be a number from 1 to 50.', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const source = options.source === undefined ? {} : { source: (await requireSource(client, options.source)).id };
    const query = {
      q: words.join(' '),
      limit,
      ...source,
      ...(options.agent !== undefined && { agent: options.agent }),
    };
    const found = await client.call('searchKnowledge', { query });
    if (options.json) return printJson(found);
    if (found.problem) print(`${safeLine(found.problem.message)}\n`);
    if (found.hits.length === 0) return print('Nothing found.');
    for (const { name, place, text } of found.hits) {
      print(look().bold(safeLine([name, placeLabel(place)].filter(Boolean).join(', '))));
      print(`${safeText(text)}\n`);
    }
  });
}

async function attach(name: string, agentId: string, options: HomeOption & { children?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const source = await requireSource(client, name);
    const body = { children: options.children === true };
    await client.call('useKnowledge', { sourceId: source.id, agentId, body });
    print(`${safeLine(agentId)} can search "${safeLine(source.name)}".`);
  });
}

async function detach(name: string, agentId: string, options: HomeOption): Promise<void> {
  await withClient(options, async ({ client }) => {
    const source = await requireSource(client, name);
    await client.call('stopUsingKnowledge', { sourceId: source.id, agentId });
    print(`${safeLine(agentId)} can no longer search "${safeLine(source.name)}".`);
  });
}

async function rename(name: string, next: string, options: HomeOption): Promise<void> {
  await withClient(options, async ({ client }) => {
    const source = await requireSource(client, name);
    const renamed = await client.call('renameKnowledge', { sourceId: source.id, body: { name: next } });
    print(`"${safeLine(source.name)}" is called "${safeLine(renamed.name)}" now.`);
  });
}

async function retry(name: string, options: HomeOption): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await requireSource(client, name);
    const source = await whenRead(client, await client.call('retryKnowledge', { sourceId: id }));
    print(`${safeLine(source.name)}: ${safeLine(outcome(source))}`);
  });
}

async function stop(name: string, options: HomeOption): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await requireSource(client, name);
    const source = await client.call('stopKnowledge', { sourceId: id });
    print(`${safeLine(source.name)}: ${safeLine(outcome(source))}`);
  });
}

async function remove(name: string, options: HomeOption & { yes?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const source = await requireSource(client, name);
    await confirm(`Delete "${safeLine(source.name)}" from what agents can search?`, options.yes);
    await client.call('deleteKnowledge', { sourceId: source.id });
    print(`Deleted "${safeLine(source.name)}".`);
  });
}

async function writeFolder(folder: string, options: HomeOption): Promise<void> {
  const { exportKnowledge } = await import('../knowledge/move.ts');
  await withClient(options, async ({ client }) => {
    const exported = await exportKnowledge(client, folder);
    print(`Exported ${counted(exported, 'source')} to ${safeLine(folder)}.`);
  });
}

async function readFolder(folder: string, options: HomeOption): Promise<void> {
  const { importKnowledge } = await import('../knowledge/move.ts');
  await withClient(options, async ({ client }) => {
    for await (const { name, problem } of importKnowledge(client, folder))
      print(`${safeLine(name)}: ${safeLine(problem ?? 'imported')}`);
  });
}

/** A source by its name, however it is capitalised, or by its id. */
async function requireSource(client: ParleyClient, nameOrId: string): Promise<KnowledgeSource> {
  const { sources } = await client.call('listKnowledge');
  const exact = sources.filter(({ id, name }) => name === nameOrId || id === nameOrId);
  const alike = sources.filter(({ name }) => name.toLowerCase() === nameOrId.toLowerCase());
  const found = exact.length > 0 ? exact : alike;
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new CommandFailure(`Several sources are called "${nameOrId}". Use one of the IDs: ${ids}.`, EXIT_USAGE);
  }
  throw new AppError('knowledge_not_found', `No source has the name or ID "${nameOrId}".`);
}

const EMPTY = 'Nothing yet. Add a file with: parley knowledge add handbook.pdf -a AGENT';

const EXAMPLES = `
Agents search PDF, Word (.docx), HTML, Markdown and text files (code, too), and notes, and cite what they use.

Examples:
  $ parley knowledge add handbook.pdf faq.md -a wisp/concierge
  $ parley knowledge add "Trip to Rome" --note -a wisp/concierge
  $ parley knowledge search refund policy -a wisp/concierge
  $ parley knowledge attach handbook.pdf wisp/orchestrator --children
  $ parley knowledge export backup/`;
