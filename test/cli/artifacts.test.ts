import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHome, parley, serve } from './parley.ts';

async function setUp() {
  const home = makeHome();
  await serve(home);
  const run = async (args: string[], input?: string) => {
    const result = await parley(home, args, input === undefined ? {} : { input });
    expect(result).toMatchObject({ code: 0 });
    return result.stdout;
  };
  const refused = async (...args: string[]) => {
    const result = await parley(home, args);
    expect([result.code, result.stdout]).not.toEqual([0, expect.anything()]);
    return result.stderr;
  };
  return { home, run, refused };
}

describe('lists on the command line', () => {
  test('are made, filled, shown, changed, undone and exported', async () => {
    const { home, run, refused } = await setUp();
    expect(await run(['lists'])).toContain('No lists yet.');
    expect(await run(['lists', 'new', 'Books', '--field', 'My rating:number', 'State:choice:new|read'])).toMatch(
      /^Created the list "Books" \(.+\)\.\n$/,
    );
    const added = await run([
      'lists',
      'add',
      'books',
      'Emma',
      'Persuasion',
      '--tag',
      'austen',
      '--set',
      'my_rating=4.5',
      'state=new',
      '--due',
      '2030-01-31',
    ]);
    const [emma] = added.split(/\s+/);
    expect(await run(['lists', 'add', 'Books', '-'], 'Middlemarch\n\nThe Mill\n')).toMatch(
      /^\w+ {2}Middlemarch\n\w+ {2}The Mill\n$/,
    );
    const shown = await run(['lists', 'show', 'Books']);
    expect(shown).toMatch(/^Books\n4 of 4 open\n/);
    expect(shown).toMatch(new RegExp(`·\\s+Emma\\s+2030-01-31\\s+austen\\s+4.5\\s+new\\s+${emma}\n`));
    expect(await run(['lists', 'done', 'Books', 'emma'])).toBe('✓ Emma\n');
    expect(await run(['lists', 'show', 'Books', '--done'])).toContain('Emma');
    expect(await run(['lists', 'edit', 'Books', emma!, '--title', 'Emma!', '--due', '', '--set', 'state=read'])).toBe(
      'Updated "Emma!".\n',
    );
    await run(['lists', 'move', 'Books', 'The Mill', '--before', 'Emma!']);
    const items = async () => JSON.parse(await run(['lists', 'show', 'Books', '--all', '--json'])).items;
    expect((await items()).map(({ title }: { title: string }) => title)).toEqual([
      'The Mill',
      'Emma!',
      'Persuasion',
      'Middlemarch',
    ]);
    expect(await run(['lists', 'undo', 'Books'])).toMatch(/^Undid 1 change of "Books"/);
    expect((await items())[0].title).toBe('Emma!');
    const removed = await run(['lists', 'remove', 'Books', 'Persuasion', 'Middlemarch']);
    expect((await items()).length).toBe(2);
    await run(removed.split('parley ')[1]!.trim().split(' '));
    expect((await items()).length).toBe(4);
    expect(await run(['lists', 'history', 'Books', '--limit', '1'])).toMatch(
      /item restored\s+Persuasion \(undoes \d+\)\s+you/,
    );
    const csv = path.join(home, 'books.csv');
    await run(['lists', 'export', 'Books', '-f', 'csv', '-o', csv]);
    expect(readFileSync(csv, 'utf8').split('\r\n')[0]).toBe('title,done,due,tags,notes,My rating,State,id');
    expect(JSON.parse(await run(['lists', 'export', 'Books'])).items).toHaveLength(4);
    expect(await refused('lists', 'show', 'Nothing')).toContain(
      'No list has the name or ID "Nothing". Run: parley lists',
    );
    expect(await refused('lists', 'done', 'Books', 'x')).toContain('The list has no item "x".');
    expect(await refused('lists', 'add', 'Books', 'x', '--set', 'pages=3')).toContain(
      'Fields of the list: my_rating, state',
    );
    expect(await refused('lists', 'add', 'Books', 'x', '--set', 'state=lost')).toContain(
      'state: must be one of: new, read',
    );
    expect(await refused('lists', 'new', 'x', '--field', 'a:colour')).toContain('Can\'t read the field "a:colour"');
  }, 60_000);

  test('of one name are told apart by their IDs; deleted ones are restored', async () => {
    const { run, refused } = await setUp();
    const make = async () => JSON.parse(await run(['lists', 'new', 'Twin', '--json'])).id;
    const [one, two] = [await make(), await make()];
    const words = await refused('lists', 'show', 'twin');
    expect(words).toContain(one);
    expect(words).toContain(two);
    await run(['lists', 'delete', one]);
    expect(await run(['lists', 'show', 'twin'])).toContain('No items.');
    expect(await run(['lists', '--deleted'])).toContain(one);
    await run(['lists', 'restore', 'Twin']);
    expect(await refused('lists', 'delete', one, '--permanently')).toContain('use --yes');
    await run(['lists', 'delete', one, '--permanently', '-y']);
    expect(JSON.parse(await run(['lists', '--json']))).toHaveLength(1);
  }, 60_000);
});

test('notes are written from arguments and standard input, shown as they were, and exported as Markdown', async () => {
  const { run, refused } = await setUp();
  await run(['notes', 'new', 'Trip'], '# Plan\n\nsee [[Packing]]\n');
  await run(['notes', 'new', 'Packing', 'socks', '--tag', 'travel', '--date', '2030-05-01']);
  await run(['notes', 'add', 'trip', '--', '- tickets']);
  expect(await run(['notes', 'show', 'Trip'])).toBe('Trip\nversion 2\n\n# Plan\n\nsee [[Packing]]\n- tickets\n');
  expect(await run(['notes', 'show', 'Packing'])).toBe(
    'Packing\n2030-05-01 · #travel · version 1\n\nsocks\n\nLinked from: Trip\n',
  );
  expect(await run(['notes', 'show', 'Trip', '--version', '1'])).not.toContain('tickets');
  await run(['notes', 'edit', 'Trip', '--text', '-', '--name', 'Rome'], 'all new');
  expect(await run(['notes', 'export', 'Rome'])).toBe('all new\n');
  await run(['notes', 'undo', 'Rome', '2']).catch(() => undefined);
  expect(await run(['notes', 'undo', 'Rome'])).toContain('Undid 1 change of "Rome"');
  expect(await run(['notes', 'export', 'Trip'])).toContain('- tickets');
  expect(await refused('notes', 'edit', 'Trip')).toContain('Nothing to change.');
}, 60_000);

test('views show what their query finds, in groups, and are exported', async () => {
  const { run, refused } = await setUp();
  await run(['lists', 'new', 'Work']);
  await run(['lists', 'add', 'Work', 'report', 'review']);
  await run(['lists', 'done', 'Work', 'review']);
  const query = '{"filters": [{"field": "done", "test": "is", "value": false}], "group": "list"}';
  await run(['views', 'new', 'Left', '--query', query, '--layout', 'board']);
  const shown = await run(['views', 'show', 'left']);
  expect(shown).toMatch(/^Left\n1 row\n\nWork \(1\)\n/);
  expect(shown).toMatch(/·\s+report\s+-\s+Work/);
  await run(['views', 'edit', 'Left', '--query', '{"words": "rev"}']);
  expect(await run(['views', 'export', 'Left', '-f', 'csv'])).toMatch(
    /^kind,title,done,due,tags,list,id\r\nitem,review,2\d{3}-/,
  );
  expect(await refused('views', 'new', 'x', '--query', '{oops')).toContain('--query is not valid JSON');
  expect(await refused('views', 'new', 'x', '--query', '{"group": "colour"}')).toContain('query.group');
}, 60_000);

test('files are kept, shown, changed and exported, with every version of their contents', async () => {
  const { home, run, refused } = await setUp();
  const place = path.join(home, 'report.csv');
  writeFileSync(place, 'a,b\n1,2\n');
  expect(await run(['files'])).toContain('No files yet.');
  expect(await run(['files', 'add', place, '--tag', 'work'])).toMatch(/^Kept "report.csv" \(.+\)\.\n$/);
  expect(await run(['files'])).toMatch(/report\.csv\s+a,b 1,2/);
  const bytes = Buffer.from([0, 255, 10, 13, 0]);
  writeFileSync(place, bytes);
  expect(await run(['files', 'edit', 'report.csv', '--contents', place, '--name', 'raw.bin'])).toBe(
    'Changed "raw.bin"; it is version 2 now.\n',
  );
  expect(await run(['files', 'export', 'raw.bin', '--version', '1'])).toBe('a,b\n1,2\n');
  const out = path.join(home, 'out.bin');
  await run(['files', 'export', 'raw.bin', '-o', out]);
  expect(readFileSync(out)).toEqual(bytes);
  expect(await run(['files', 'show', 'raw.bin'])).toMatch(
    /^raw\.bin\napplication\/octet-stream · 5 bytes · #work · version 2\n\nVersion.*\n2 +5 +you.*\n1 +8 +you/,
  );
  await run(['files', 'undo', 'raw.bin']);
  expect(await run(['files', 'export', 'report.csv'])).toBe('a,b\n1,2\n');
  await run(['files', 'delete', 'report.csv']);
  expect(await refused('files', 'show', 'report.csv')).toContain('No file has the name or ID "report.csv".');
  await run(['files', 'restore', 'report.csv']);
  expect(await refused('files', 'add', path.join(home, 'none'))).toContain('ENOENT');
  expect(await refused('files', 'edit', 'report.csv')).toContain('Nothing to change.');
}, 60_000);

test('everything is exported to a file, and imported into another data folder as it was, as often as one likes', async () => {
  const { home, run } = await setUp();
  await run(['lists', 'new', 'Books', '--field', 'Rating:number', '--description', 'To read']);
  await run(['lists', 'add', 'Books', 'Emma', '--set', 'rating=4', '--tag', 'austen', '--notes', '**good**']);
  await run(['lists', 'add', 'Books', '-'], Array.from({ length: 600 }, (_, index) => `book ${index}`).join('\n'));
  await run(['lists', 'done', 'Books', 'Emma']);
  await run(['tool', 'todo', 'add', '--title', 'call Bob', '--priority', 'high']);
  await run(['tool', 'journal', 'add', '--text', 'Walked.', '--mood', 'calm', '--date', '2030-01-01']);
  await run(['notes', 'new', 'Plan', 'see [[Books]]', '--tag', 'x']);
  await run(['views', 'new', 'Open', '--query', '{"group": "list"}', '--layout', 'board']);
  await run(['notes', 'new', 'Old', 'in the trash']);
  await run(['notes', 'delete', 'Old']);
  await run(['lists', 'edit', 'Books', 'Emma', '--title', 'Emma!']);
  const place = path.join(home, 'data.bin');
  for (const byte of [1, 2]) {
    writeFileSync(place, Buffer.from([byte, 0, 255]));
    await run(byte === 1 ? ['files', 'add', place] : ['files', 'edit', 'data.bin', '--contents', place]);
  }
  const file = path.join(home, 'everything.json');
  await run(['export', '--artifacts', '-o', file]);
  const other = await setUp();
  expect(await other.run(['import', file])).toBe(
    'Imported lists: 2, items: 602, notes: 3, views: 1, files: 1. Already there: 0.\n',
  );
  expect(await other.run(['import', file])).toBe(
    'Imported lists: 0, items: 0, notes: 0, views: 0, files: 0. Already there: 607.\n',
  );
  const content = async (from: typeof run) => {
    const { exportedAt, ...rest } = JSON.parse(await from(['export', '--artifacts']));
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    for (const kind of ['lists', 'notes', 'views', 'files']) rest[kind].sort(byId);
    return rest;
  };
  expect(await content(other.run)).toEqual(await content(run));
  expect(await other.run(['tool', 'todo', 'list'])).toBe(await run(['tool', 'todo', 'list']));
  expect(await other.run(['tool', 'journal', 'list'])).toBe(await run(['tool', 'journal', 'list']));
  for (const history of [
    ['lists', 'history', 'Books'],
    ['files', 'history', 'data.bin'],
    ['notes', '--deleted'],
  ])
    expect(await other.run(history)).toBe(await run(history));
  await other.run(['notes', 'restore', 'Old']);
  expect(await other.run(['notes', 'export', 'Old'])).toBe('in the trash\n');
  await other.run(['lists', 'undo', 'Books']);
  expect(await other.run(['lists', 'show', 'Books', '--done'])).toContain('Emma ');
  const out = path.join(other.home, 'data.bin');
  for (const byte of [1, 2]) {
    await other.run(['files', 'export', 'data.bin', '--version', String(byte), '-o', out]);
    expect(readFileSync(out)).toEqual(Buffer.from([byte, 0, 255]));
  }
  expect(JSON.parse(await run(['export', '--artifacts', '--no-files'])).files).toEqual([]);
  for (const [more, words] of [
    ['"version": 2', 'version'],
    ['"version": 1, "lists": 3', 'lists'],
    ['"version": 1, "lists": [{"id": "x", "name": "x"}]', 'lists[0].items'],
    ['"version": 1, "notes": [{"id": "x", "name": "x", "text": "x", "surprise": 1}]', 'surprise'],
  ])
    expect(
      (await parley(home, ['import', '-'], { input: `{"format": "parley-artifacts", ${more}}` })).stderr,
    ).toContain(words);
}, 60_000);

test('a search of sessions finds lists, items and notes, too', async () => {
  const { run } = await setUp();
  await run(['lists', 'new', 'Groceries']);
  await run(['lists', 'add', 'Groceries', 'oat milk']);
  await run(['notes', 'new', 'Recipe', 'needs oat milk']);
  const found = await run(['search', 'oat', 'milk']);
  expect(found).toContain('oat milk (in the list Groceries)');
  expect(found).toContain('Recipe (note)');
  expect(JSON.parse(await run(['search', 'oat', '--json'])).artifacts).toHaveLength(2);
  expect(await run(['search', 'nothingness'])).toBe('No messages match nothingness.\n');
}, 60_000);
