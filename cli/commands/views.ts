import { type Command, Option } from 'commander';
import type { CreateView, ViewLayout, ViewRow, ViewRows } from '../../contract/views.ts';
import { requireArtifact } from '../artifacts/find-artifact.ts';
import { addSharedCommands, csvRow, heading, type Reading, sub, writeOut } from '../artifacts/shared-commands.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { counted } from '../counted.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { look, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeJson, safeLine } from '../terminal-text.ts';

const LAYOUTS: readonly ViewLayout[] = ['table', 'board', 'list', 'calendar'];

export function define(command: Command): void {
  command.description('Show and change views: saved queries over lists and notes.').addHelpText('after', EXAMPLES);
  addSharedCommands(command, 'view');
  sub(command, 'show <view>', 'show what a view shows now')
    .option('-n, --limit <number>', 'maximum number of rows', '1000')
    .option('--json', 'as JSON')
    .action(show);
  viewFlags(sub(command, 'new <name>', 'save a query as a view'))
    .option('--json', 'as JSON')
    .action(create);
  viewFlags(sub(command, 'edit <view>', 'change a view; other fields stay as they are'))
    .option('--name <name>', 'rename it')
    .action(edit);
  sub(command, 'export <view>', 'write what a view shows to a file or to stdout')
    .addOption(new Option('-f, --format <format>', 'the format').choices(['json', 'csv']).default('json'))
    .option('-o, --output <file>', 'the file to write; default: stdout')
    .action(exportRows);
}

interface ViewFlags extends HomeOption {
  query?: string;
  layout?: ViewLayout;
}

function viewFlags(command: Command): Command {
  return command
    .option('--query <json>', 'the query as JSON: lists, notes, filters, words, sort, group')
    .addOption(new Option('--layout <layout>', 'how the web app shows it').choices([...LAYOUTS]));
}

function readFlags({ query, layout }: ViewFlags) {
  return { ...(query !== undefined && { query: readQuery(query) }), ...(layout && { layout }) };
}

/** The server says what is wrong with a query. */
function readQuery(json: string): CreateView['query'] {
  try {
    return JSON.parse(json) as CreateView['query'];
  } catch {
    throw new CommandFailure('--query is not valid JSON. For example: --query \'{"words": "milk"}\'', EXIT_USAGE);
  }
}

const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

async function show(name: string, options: Reading & { limit: string }): Promise<void> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
    throw new CommandFailure('--limit must be a number from 1 to 10000.', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const view = await requireArtifact(client, 'view', name);
    const rows = await client.call('getViewRows', { viewId: view.id, query: { limit, timeZone: timeZone() } });
    if (options.json) return printJson(rows);
    heading(view.name, [counted(rows.total, 'row')]);
    printRows(rows);
    const rest = rows.total - rows.rows.length;
    if (rest > 0) print(look().dim(`and ${rest} more`));
  });
}

function printRows({ rows, groups, lists }: ViewRows): void {
  const names = new Map(lists.map(({ id, name }) => [id, name]));
  const columns = [
    { title: '' },
    { title: 'Title', shrinks: true },
    { title: 'Due' },
    { title: 'In', shrinks: true },
    { title: 'ID' },
  ];
  if (rows.length === 0) print('No rows.');
  else if (groups.length === 0)
    printTable(
      columns,
      rows.map((row) => toRow(row, names)),
    );
  for (const { value, count } of groups) {
    const inGroup = rows.filter(({ group }) => group === value);
    if (inGroup.length === 0) continue;
    print(`\n${look().bold(safeLine(names.get(value ?? '') ?? value ?? 'None'))} (${count})`);
    printTable(
      columns,
      inGroup.map((row) => toRow(row, names)),
    );
  }
}

function toRow(row: ViewRow, names: ReadonlyMap<string, string>): string[] {
  if (row.kind === 'note') return ['', row.note.title, row.note.date ?? '-', 'note', row.note.id];
  const { doneAt, title, due, listId, id } = row.item;
  return [doneAt === null ? '·' : '✓', title, due ?? '-', names.get(listId) ?? '-', id];
}

async function create(name: string, options: ViewFlags & { json?: boolean }): Promise<void> {
  const { query = {} as CreateView['query'], ...more } = readFlags(options);
  await withClient(options, async ({ client }) => {
    const view = await client.call('createView', { body: { name, query, ...more } });
    if (options.json) return printJson(view);
    print(`Created the view "${safeLine(view.name)}" (${view.id}).`);
  });
}

async function edit(wanted: string, options: ViewFlags & { name?: string }): Promise<void> {
  const patch = { ...readFlags(options), ...(options.name !== undefined && { name: options.name }) };
  if (Object.keys(patch).length === 0)
    throw new CommandFailure('Nothing to change. See: parley views edit --help', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const { id } = await requireArtifact(client, 'view', wanted);
    const view = await client.call('patchView', { viewId: id, body: patch });
    print(`Updated "${safeLine(view.name)}".`);
  });
}

async function exportRows(
  name: string,
  options: HomeOption & { format: 'json' | 'csv'; output?: string },
): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await requireArtifact(client, 'view', name);
    const rows = await client.call('getViewRows', { viewId: id, query: { limit: 10_000, timeZone: timeZone() } });
    await writeOut(options.format === 'json' ? `${safeJson(rows, 2)}\n` : toCsv(rows), options.output);
  });
}

function toCsv({ rows, fields, lists }: ViewRows): string {
  const names = new Map(lists.map(({ id, name }) => [id, name]));
  const head = csvRow(['kind', 'title', 'done', 'due', 'tags', 'list', ...fields.map(({ name }) => name), 'id']);
  const lines = rows.map((row) => {
    if (row.kind === 'note')
      return csvRow([
        'note',
        row.note.title,
        '',
        row.note.date,
        row.note.tags.join(' '),
        '',
        ...fields.map(() => ''),
        row.note.id,
      ]);
    const { title, doneAt, due, tags, listId, values, id } = row.item;
    return csvRow([
      'item',
      title,
      doneAt ?? '',
      due,
      tags.join(' '),
      names.get(listId),
      ...fields.map((field) => values[field.id]),
      id,
    ]);
  });
  return head + lines.join('');
}

const EXAMPLES = `
Fields, tests and dates of a query are in docs/artifacts.md.

Examples:
  $ parley views new "Due this week" --query '{"filters": [{"field": "due", "test": "before", "value": "today+7"}], "group": "list"}'
  $ parley views show "Due this week"
  $ parley views export "Due this week" -f csv`;
