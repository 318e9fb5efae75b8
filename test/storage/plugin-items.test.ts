import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import type { ArtifactSummary } from '../../contract/artifacts.ts';
import type { ListItem } from '../../contract/lists.ts';
import type { MemoryChangeList, MemoryList } from '../../contract/memory.ts';
import type { Note } from '../../contract/notes.ts';
import { MIGRATIONS } from '../../server/storage/migrations.ts';
import { searchWords } from '../../server/storage/search-words.ts';
import { Parley } from '../harness/parley.ts';

const BECOMES = 'to-dos, links and journal pages become items of lists and notes';
const KILL = { PARLEY_FAULT: 'migration.before-commit' };

let parley: Parley | undefined;
afterEach(() => parley?.close());

interface Thing {
  plugin: string;
  id: string;
  title?: string;
  text?: string;
  data: object;
  owner?: string;
  holder?: string;
}

const T0 = Date.parse('2026-01-05T08:00:00.123Z');

/** A data folder as the version before wrote it. */
function homeWith(things: readonly Thing[]): string {
  const home = mkdtempSync(path.join(tmpdir(), 'parley-things-'));
  writeFileSync(path.join(home, 'parley.json'), JSON.stringify({ agents: [] }));
  const db = new DatabaseSync(path.join(home, 'parley.db'));
  db.function('search_words', (text) => searchWords(String(text)));
  const before = MIGRATIONS.slice(
    0,
    MIGRATIONS.findIndex(({ name }) => name === BECOMES),
  );
  db.exec('CREATE TABLE schema_version (version INTEGER NOT NULL)');
  for (const { statements } of before) for (const statement of statements) db.exec(statement);
  db.exec(`INSERT INTO schema_version (version) VALUES (${before.length})`);
  db.exec('BEGIN');
  const insert = db.prepare('INSERT INTO plugin_items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  for (const [index, { plugin, id, title = '', text = '', data, owner = 'owner', holder = '' }] of things.entries())
    insert.run(owner, plugin, holder, id, title, text, JSON.stringify(data), T0 + index, T0 + index + 5);
  db.exec('COMMIT');
  db.close();
  return home;
}

const THINGS: Thing[] = [
  { plugin: 'todo', id: '1aaaaaaaa1', title: 'milk', data: { due: null, priority: 'normal', tags: [], doneAt: null } },
  {
    plugin: 'todo',
    id: '1aaaaaaaa2',
    title: 'report',
    text: 'for Zoë\n我们明天',
    data: { due: '2026-02-01', priority: 'high', tags: ['work', 'a b'], doneAt: T0 },
  },
  {
    plugin: 'reading-list',
    id: '1bbbbbbbb1',
    title: 'On Growth',
    text: 'from Ada',
    data: { url: 'https://a.example/x', tags: ['bio'], readAt: T0 },
  },
  { plugin: 'reading-list', id: '1bbbbbbbb2', data: { url: 'https://b.example/', tags: [], readAt: null } },
  {
    plugin: 'journal',
    id: '1cccccccc1',
    title: 'Sunday',
    text: 'Walked.',
    data: { date: '2026-01-04', mood: 'calm', tags: ['out'] },
  },
  { plugin: 'journal', id: '1cccccccc2', text: 'Rain.', data: { date: '2026-01-05', mood: null, tags: [] } },
  { plugin: 'memory', id: '1dddddddd1', holder: 'ada', text: 'likes tea', data: {} },
];

async function tool(name: string, input: object = {}): Promise<string> {
  const { output } = await parley!.ok<{ output: string }>('POST', '/api/tool-runs', { tool: name, input });
  return output;
}

test('to-dos, links and journal pages are in lists and notes after an update, under their ids, and tools answer as before', async () => {
  parley = await Parley.start({ home: homeWith(THINGS) });
  expect(await tool('todo_list', { status: 'all' })).toBe(
    '2 todos:\n[1aaaaaaaa1] milk\n[1aaaaaaaa2] report (done 2026-01-05, due 2026-02-01, high priority) #work #a-b\n  for Zoë\n  我们明天',
  );
  expect(await tool('reading_list_list', { status: 'all' })).toBe(
    '2 links:\n[1bbbbbbbb2] <https://b.example/> (added 2026-01-05)\n[1bbbbbbbb1] On Growth <https://a.example/x> (read 2026-01-05) #bio\n  from Ada',
  );
  expect(await tool('journal_list')).toBe(
    '2 journal pages:\n[1cccccccc2] 2026-01-05\n  Rain.\n[1cccccccc1] 2026-01-04 Sunday (calm) #out\n  Walked.',
  );
  const { artifacts } = await parley.ok<{ artifacts: ArtifactSummary[] }>('GET', '/api/artifacts');
  expect(artifacts.map(({ id, kind, plugin, name, count }) => [id, kind, plugin, name, count]).sort()).toEqual([
    ['1cccccccc1', 'note', 'journal', 'Sunday', null],
    ['1cccccccc2', 'note', 'journal', '2026-01-05', null],
    ['reading-list', 'list', 'reading-list', 'Reading list', 1],
    ['todo', 'list', 'todo', 'To-dos', 1],
  ]);
  const { items } = await parley.ok<{ items: ListItem[] }>('GET', '/api/lists/todo/items');
  expect(items[1]).toMatchObject({
    id: '1aaaaaaaa2',
    title: 'report',
    due: '2026-02-01',
    tags: ['work', 'a b'],
    values: { priority: 'high' },
    doneAt: '2026-01-05T08:00:00.123Z',
    createdAt: new Date(T0 + 1).toISOString(),
    updatedAt: new Date(T0 + 6).toISOString(),
    createdBy: { kind: 'import' },
  });
  const note = await parley.ok<Note>('GET', '/api/notes/1cccccccc1');
  expect(note).toMatchObject({ text: 'Walked.', date: '2026-01-04', mood: 'calm', tags: ['out'] });
  for (const [q, id] of [
    ['明天', '1aaaaaaaa2'],
    ['b.example', '1bbbbbbbb2'],
  ] as const) {
    const { hits } = await parley.ok<{ hits: { itemId: string }[] }>(
      'GET',
      `/api/artifact-search?q=${encodeURIComponent(q)}`,
    );
    expect(hits.map(({ itemId }) => itemId)).toEqual([id]);
  }
});

test('what agents remember is theirs after an update, says that its origin is not known, and keeps its text when it is changed', async () => {
  const same = {
    plugin: 'memory',
    id: '1dddddddd1',
    holder: 'bob',
    title: 'food',
    text: 'likes figs',
    data: { tags: ['x'] },
  };
  parley = await Parley.start({ home: homeWith([...THINGS, same]) });
  const { memories } = await parley.ok<MemoryList>('GET', '/api/memories');
  expect(memories.map(({ id, agentId, topic, text, tags }) => [id, agentId, topic, text, tags])).toEqual([
    ['1dddddddd1-2', 'bob', 'food', 'likes figs', ['x']],
    ['1dddddddd1', 'ada', '', 'likes tea', []],
  ]);
  expect(memories[1]).toMatchObject({ createdBy: null, origin: null, version: 1 });
  expect(await tool('memory_list', { agent: 'ada' })).toContain('[1dddddddd1] 2026-01-05\n  likes tea');
  await parley.ok('PATCH', '/api/memories/1dddddddd1', { text: 'likes coffee' });
  const { changes } = await parley.ok<MemoryChangeList>('GET', '/api/memories/1dddddddd1/changes');
  expect(changes.map(({ text, by }) => [text, by?.kind ?? null])).toEqual([
    ['likes coffee', 'person'],
    ['likes tea', null],
  ]);
});

test('what came out of the update has a history, and goes on as any list', async () => {
  parley = await Parley.start({ home: homeWith(THINGS) });
  await parley.ok('POST', '/api/artifacts/todo/undo', { versions: [3] });
  expect(await tool('todo_list', { status: 'all' })).toBe('1 todo:\n[1aaaaaaaa1] milk');
  await parley.ok('POST', '/api/artifacts/todo/undo', { versions: [4] });
  const added = await tool('todo_add', { title: 'new' });
  expect(added).toMatch(/^Added:\n\[\w+\] new$/);
  expect(await tool('reading_list_add', { url: 'https://b.example/' })).toContain('Already on the list:\n[1bbbbbbbb2]');
  const { items } = await parley.ok<{ items: ListItem[] }>('GET', '/api/lists/todo/items');
  expect(items.map(({ title }) => title)).toEqual(['milk', 'report', 'new']);
  await parley.ok('POST', '/api/lists/todo/moves', { items: [items[2]!.id], before: items[0]!.id });
  const { items: moved } = await parley.ok<{ items: ListItem[] }>('GET', '/api/lists/todo/items');
  expect(moved.map(({ title }) => title)).toEqual(['new', 'milk', 'report']);
});

test('ten thousand things of two people keep their order and their ids', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({
    plugin: 'todo',
    id: `2${String(index).padStart(9, '0')}`,
    title: `todo ${index}`,
    data: { due: null, priority: 'low', tags: [], doneAt: null },
  }));
  const ofOther = { plugin: 'todo', id: many[5]!.id, owner: 'other', title: 'theirs', data: many[0]!.data };
  const clash = {
    plugin: 'reading-list',
    id: many[5]!.id,
    data: { url: 'https://c.example/', tags: [], readAt: null },
  };
  parley = await Parley.start({ home: homeWith([...many, ofOther, clash]) });
  const seen: ListItem[] = [];
  for (let after = ''; ; ) {
    const page = await parley.ok<{ items: ListItem[]; next: string | null }>(
      'GET',
      `/api/lists/todo/items?limit=1000${after}`,
    );
    seen.push(...page.items);
    if (page.next === null) break;
    after = `&after=${page.next}`;
  }
  expect(seen.map(({ id }) => id)).toEqual(many.map(({ id }) => id));
  expect(await tool('reading_list_list')).toContain('<https://c.example/>');
  expect(await tool('todo_list', { limit: 1 })).toContain('and 9999 more');
});

test('a server that is killed while it updates begins anew with the next start', async () => {
  const home = homeWith(THINGS);
  await expect(Parley.start({ home, env: KILL })).rejects.toThrow('the server ended');
  const raw = new DatabaseSync(path.join(home, 'parley.db'), { readOnly: true });
  expect(raw.prepare('SELECT count(*) AS n FROM plugin_items').get()).toEqual({ n: THINGS.length });
  raw.close();
  parley = await Parley.start({ home });
  expect(await tool('todo_list', { status: 'all' })).toContain('2 todos:');
  expect(await tool('reading_list_list', { status: 'all' })).toContain('2 links:');
  expect(await tool('journal_list')).toContain('2 journal pages:');
});
