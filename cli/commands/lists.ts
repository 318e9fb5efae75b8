import { type Command, Option } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { FieldValue, List, ListField, ListItem } from '../../contract/lists.ts';
import { readItems, requireArtifact, requireItems } from '../artifacts/find-artifact.ts';
import {
  addSharedCommands,
  csvRow,
  heading,
  type Reading,
  sub,
  textOf,
  writeOut,
} from '../artifacts/shared-commands.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { counted } from '../counted.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeJson, safeLine } from '../terminal-text.ts';

export function define(command: Command): void {
  command.description('Show and change lists and their items.').addHelpText('after', EXAMPLES);
  addSharedCommands(command, 'list');
  sub(command, 'show <list>', 'show the items of a list; open ones by default')
    .option('--all', 'completed items, too')
    .option('--done', 'only completed items')
    .option('--json', 'as JSON')
    .action(show);
  sub(command, 'new <name>', 'create a list')
    .option('--description <text>', 'what it is for')
    .option(
      '--field <field...>',
      'a field of its own: NAME:TYPE, or NAME:choice:ONE|TWO. Types: text, number, date, choice, checkbox, link',
    )
    .option('--json', 'as JSON')
    .action(create);
  itemFlags(
    sub(
      command,
      'add <list> <titles...>',
      'add items to the end of a list; - reads titles from standard input, one a line',
    ),
  ).action(add);
  sub(command, 'done <list> <items...>', 'mark items as done').option('--not', 'mark them as not done').action(done);
  itemFlags(sub(command, 'edit <list> <item>', 'change an item; other fields stay as they are'))
    .option('--title <title>', 'its title')
    .action(edit);
  sub(command, 'move <list> <items...>', 'move items, by default to the end')
    .option('--to <list>', 'to another list')
    .option('--before <item>', 'before this item')
    .option('--after <item>', 'after this item')
    .action(move);
  sub(command, 'remove <list> <items...>', 'delete items; undo brings them back').action(remove);
  sub(command, 'export <list>', 'write a list to a file or to stdout')
    .addOption(new Option('-f, --format <format>', 'the format').choices(['json', 'csv']).default('json'))
    .option('-o, --output <file>', 'the file to write; default: stdout')
    .action(exportList);
}

async function load(client: ParleyClient, name: string): Promise<List> {
  const { id } = await requireArtifact(client, 'list', name);
  return client.call('getList', { listId: id });
}

async function show(name: string, options: Reading & { all?: boolean; done?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const list = await load(client, name);
    const items = await readItems(client, list.id, options.done ? true : options.all ? undefined : false);
    if (options.json) return printJson({ ...list, items });
    heading(list.name, [
      `${list.openCount} of ${list.itemCount} open`,
      ...(list.description ? [list.description] : []),
    ]);
    if (items.length === 0) return print('No items.');
    const shown = list.fields.filter(({ id }) => items.some(({ values }) => values[id] !== undefined));
    const columns = [
      { title: '' },
      { title: 'Item', shrinks: true },
      { title: 'Due' },
      { title: 'Tags', shrinks: true },
    ];
    const own = shown.map(({ name: title }) => ({ title, shrinks: true }));
    printTable(
      [...columns, ...own, { title: 'ID' }],
      items.map((item) => toRow(item, shown)),
    );
  });
}

function toRow({ id, title, doneAt, due, tags, values }: ListItem, fields: readonly ListField[]): string[] {
  const own = fields.map((field) => showValue(values[field.id]));
  return [doneAt === null ? '·' : '✓', title, due ?? '-', tags.join(', ') || '-', ...own, id];
}

function showValue(value: FieldValue | undefined): string {
  if (value === undefined || value === null) return '-';
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}

async function create(name: string, options: Reading & { description?: string; field?: string[] }): Promise<void> {
  const fields = (options.field ?? []).map(readField);
  await withClient(options, async ({ client }) => {
    const list = await client.call('createList', { body: { name, description: options.description ?? '', fields } });
    if (options.json) return printJson(list);
    print(`Created the list "${safeLine(list.name)}" (${list.id}).`);
  });
}

const TYPES = ['text', 'number', 'date', 'choice', 'checkbox', 'link'] as const;

function readField(given: string): ListField {
  const [name = '', type = 'text', choices] = given.split(':');
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 40);
  const known = TYPES.find((each) => each === type);
  if (!known || id === '' || (known === 'choice') !== (choices !== undefined))
    throw new CommandFailure(`Can't read the field "${given}". Write NAME:TYPE, or NAME:choice:ONE|TWO.`, EXIT_USAGE);
  return { id, name, type: known, ...(choices !== undefined && { choices: choices.split('|') }) };
}

interface ItemFlags extends HomeOption {
  due?: string;
  notes?: string;
  tag?: string[];
  set?: string[];
  title?: string;
}

function itemFlags(command: Command): Command {
  return command
    .option('--due <date>', 'a date (2026-01-31) or a time with its zone; "" for none')
    .option('--notes <text>', 'Markdown; - reads it from standard input')
    .option('--tag <tags...>', 'tags; "" for none')
    .option('--set <field=value...>', 'a field of the list; FIELD= empties it');
}

async function readFlags({ due, notes, tag, set }: ItemFlags, list: List) {
  return {
    ...(due !== undefined && { due: due || null }),
    ...(notes !== undefined && { notes: await textOf(notes) }),
    ...(tag !== undefined && { tags: tag.filter(Boolean) }),
    ...(set !== undefined && { values: Object.fromEntries(set.map((each) => readValue(each, list.fields))) }),
  };
}

function readValue(given: string, fields: readonly ListField[]): [string, FieldValue] {
  const at = given.indexOf('=');
  const [key, value] = [given.slice(0, Math.max(0, at)), given.slice(at + 1)];
  const field = fields.find(({ id, name }) => id === key || name.toLowerCase() === key.toLowerCase());
  if (at < 1 || !field) {
    const names = fields.map(({ id }) => id).join(', ') || 'none';
    throw new CommandFailure(`Can't set "${given}". Write FIELD=VALUE. Fields of the list: ${names}.`, EXIT_USAGE);
  }
  if (value === '') return [field.id, null];
  if (field.type === 'number') return [field.id, Number(value)];
  return [field.id, field.type === 'checkbox' ? /^(true|yes|1)$/i.test(value) : value];
}

async function add(name: string, titles: string[], options: ItemFlags): Promise<void> {
  const lines =
    titles.length === 1 && titles[0] === '-'
      ? (await textOf('-')).split(/\r?\n/).filter((line) => line.trim() !== '')
      : titles;
  if (lines.length === 0) throw new CommandFailure('No titles on standard input.', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const list = await load(client, name);
    const more = await readFlags(options, list);
    for (let from = 0; from < lines.length; from += MOST_AT_ONCE) {
      const items = lines.slice(from, from + MOST_AT_ONCE).map((title) => ({ title, ...more }));
      const added = await client.call('addItems', { listId: list.id, body: { items } });
      for (const { id, title } of added.items) print(`${id}  ${safeLine(title)}`);
    }
  });
}

const MOST_AT_ONCE = 500;

async function done(name: string, wanted: string[], options: HomeOption & { not?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const list = await load(client, name);
    for (const { id } of await requireItems(client, list.id, wanted)) {
      const item = await client.call('patchItem', { listId: list.id, itemId: id, body: { done: !options.not } });
      print(`${item.doneAt === null ? '·' : '✓'} ${safeLine(item.title)}`);
    }
  });
}

async function edit(name: string, wanted: string, options: ItemFlags): Promise<void> {
  await withClient(options, async ({ client }) => {
    const list = await load(client, name);
    const patch = { ...(await readFlags(options, list)), ...(options.title !== undefined && { title: options.title }) };
    if (Object.keys(patch).length === 0)
      throw new CommandFailure('Nothing to change. See: parley lists edit --help', EXIT_USAGE);
    const [item] = await requireItems(client, list.id, [wanted]);
    const changed = await client.call('patchItem', {
      listId: list.id,
      itemId: item!.id,
      body: { ...patch, base: item!.version },
    });
    print(`Updated "${safeLine(changed.title)}".`);
  });
}

interface Place extends HomeOption {
  to?: string;
  before?: string;
  after?: string;
}

async function move(name: string, wanted: string[], { to, before, after, ...options }: Place): Promise<void> {
  if (before !== undefined && after !== undefined)
    throw new CommandFailure('Use --before or --after, not both.', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const list = await load(client, name);
    const target = to === undefined ? list : await load(client, to);
    const items = (await requireItems(client, list.id, wanted)).map(({ id }) => id);
    const [beside] = (before ?? after) ? await requireItems(client, target.id, [(before ?? after)!]) : [];
    const place = beside ? (before === undefined ? { after: beside.id } : { before: beside.id }) : {};
    const body = { items, ...(target.id !== list.id && { toListId: target.id }), ...place };
    const moved = await client.call('moveItems', { listId: list.id, body });
    print(`Moved ${counted(moved.items.length, 'item')} in "${safeLine(target.name)}".`);
  });
}

async function remove(name: string, wanted: string[], options: HomeOption): Promise<void> {
  await withClient(options, async ({ client }) => {
    const list = await load(client, name);
    const items = (await requireItems(client, list.id, wanted)).map(({ id }) => id);
    const { versions } = await client.call('removeItems', { listId: list.id, body: { items } });
    const number = counted(versions.length, 'item');
    print(`Deleted ${number}. To undo: parley lists undo ${list.id} ${versions.join(' ')}`);
  });
}

async function exportList(
  name: string,
  options: HomeOption & { format: 'json' | 'csv'; output?: string },
): Promise<void> {
  await withClient(options, async ({ client }) => {
    const list = await load(client, name);
    const items = await readItems(client, list.id);
    const text = options.format === 'json' ? `${safeJson({ ...list, items }, 2)}\n` : toCsv(list, items);
    await writeOut(text, options.output);
  });
}

function toCsv({ fields }: List, items: readonly ListItem[]): string {
  const head = csvRow(['title', 'done', 'due', 'tags', 'notes', ...fields.map(({ name }) => name), 'id']);
  const rows = items.map(({ id, title, doneAt, due, tags, notes, values }) =>
    csvRow([title, doneAt ?? '', due, tags.join(' '), notes, ...fields.map((field) => values[field.id]), id]),
  );
  return head + rows.join('');
}

const EXAMPLES = `
Refer to a list by its name or ID, and to an item by its title or ID.

Examples:
  $ parley lists new Books --field Rating:number --field "State:choice:new|read"
  $ parley lists add Books Emma Persuasion --tag austen --set rating=5
  $ parley lists show Books
  $ parley lists done Books Emma
  $ parley lists move Books Persuasion --before Emma
  $ parley lists history Books
  $ parley lists undo Books
  $ parley lists export Books -f csv -o books.csv`;
