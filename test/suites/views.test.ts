import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ViewRows } from '../../contract/views.ts';
import { Keeping } from './keeping.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let keep: Keeping;
let work: string;
let home: string;

const day = (days: number, now = Date.now()) => new Date(now + days * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  server = await TestServer.start({ agents: ['ada'] });
  keep = new Keeping(server);
  const state = { id: 'state', name: 'State', type: 'choice', choices: ['todo', 'doing', 'done'] };
  work = (await keep.list('Work', { fields: [state, { id: 'hours', name: 'Hours', type: 'number' }] })).id;
  home = (await keep.list('Home')).id;
  await keep.add(
    work,
    { title: 'Report', due: day(-1), tags: ['urgent', 'writing'], values: { state: 'doing', hours: 3 } },
    { title: 'Review', due: day(1), values: { state: 'todo', hours: 10 } },
    { title: 'Archive', done: true, values: { state: 'done' } },
  );
  await keep.add(home, { title: 'Dishes', due: day(0), tags: ['Urgent'] }, { title: 'Garden' });
  await keep.note('Diary', 'a long day', { date: day(0), tags: ['urgent'] });
});
afterAll(() => server.close());

function run(query: object, more: object = {}): Promise<ViewRows> {
  return server.call('runQuery', { body: { query, timeZone: 'UTC', ...more } });
}

function titlesIn({ rows }: ViewRows): string[] {
  return rows.map((row) => (row.kind === 'item' ? row.item.title : row.note.title));
}

async function titles(filters: object[], more: object = {}): Promise<string[]> {
  return titlesIn(await run({ filters, ...more }));
}

describe('a query', () => {
  test('finds the items of all lists or of some, and notes where it asks for them', async () => {
    expect(await titles([])).toEqual(['Dishes', 'Garden', 'Report', 'Review', 'Archive']);
    expect(await titles([], { lists: [work], notes: true })).toEqual(['Report', 'Review', 'Archive', 'Diary']);
    expect(await titles([], { lists: [], notes: true })).toEqual(['Diary']);
    expect(await titles([], { lists: ['nothing'] })).toEqual([]);
  });

  test.each([
    ['done is true', [{ field: 'done', test: 'is', value: true }], ['Archive']],
    ['done is not true', [{ field: 'done', test: 'is_not', value: true }], ['Dishes', 'Garden', 'Report', 'Review']],
    ['due before today', [{ field: 'due', test: 'before', value: 'today' }], ['Report']],
    ['due today', [{ field: 'due', test: 'is', value: 'today' }], ['Dishes']],
    ['due after yesterday', [{ field: 'due', test: 'after', value: 'today-1' }], ['Dishes', 'Review']],
    [
      'due within a week',
      [
        { field: 'due', test: 'before', value: 'today+7' },
        { field: 'due', test: 'after', value: 'today' },
      ],
      ['Review'],
    ],
    ['without a day', [{ field: 'due', test: 'empty' }], ['Garden', 'Archive']],
    ['with tags', [{ field: 'tags', test: 'filled' }], ['Dishes', 'Report']],
    ['tagged', [{ field: 'tags', test: 'contains', value: 'URGENT' }], ['Dishes', 'Report']],
    ['not tagged', [{ field: 'tags', test: 'lacks', value: 'urgent' }], ['Garden', 'Review', 'Archive']],
    ['of a list by its name', [{ field: 'list', test: 'is', value: 'home' }], ['Dishes', 'Garden']],
    ['of another list', [{ field: 'list', test: 'is_not', value: 'Home' }], ['Report', 'Review', 'Archive']],
    ['a number above', [{ field: 'values.hours', test: 'after', value: 3 }], ['Review']],
    ['a number', [{ field: 'values.hours', test: 'is', value: '3' }], ['Report']],
    ['a choice', [{ field: 'values.state', test: 'is_not', value: 'todo' }], ['Dishes', 'Garden', 'Report', 'Archive']],
    ['a title', [{ field: 'title', test: 'contains', value: 're' }], ['Report', 'Review']],
  ])('keeps rows with: %s', async (_, filters, wanted) => {
    expect(await titles(filters)).toEqual(wanted);
  });

  test('knows what today is where the person is', async () => {
    const { id } = await keep.list('Zones');
    const late = new Date();
    late.setUTCHours(23, 30, 0, 0);
    await keep.add(id, { title: 'late', due: late.toISOString() });
    const query = { lists: [id], filters: [{ field: 'due', test: 'is', value: day(0, late.getTime() + 86_400_000) }] };
    expect(titlesIn(await run(query, { timeZone: 'Asia/Tokyo' }))).toEqual(['late']);
    expect(titlesIn(await run(query, { timeZone: 'UTC' }))).toEqual([]);
    await server.refused('time_zone_unknown', 'runQuery', { body: { query, timeZone: 'Middle/Earth' } });
    await server.call('deleteArtifact', { params: { artifactId: id } });
  });

  test('finds words in titles, notes and tags', async () => {
    expect(await titles([], { words: 'WRITING rep' })).toEqual(['Report']);
    expect(await titles([], { words: 'long', notes: true })).toEqual(['Diary']);
  });

  test('sorts by several fields, choices in their own order, what is empty last', async () => {
    const sort = (...fields: [string, string][]) => ({
      sort: fields.map(([field, direction]) => ({ field, direction })),
    });
    expect(await titles([], sort(['due', 'down']))).toEqual(['Review', 'Dishes', 'Report', 'Garden', 'Archive']);
    expect(await titles([], { lists: [work], ...sort(['values.state', 'up']) })).toEqual([
      'Review',
      'Report',
      'Archive',
    ]);
    expect(await titles([], { lists: [work], ...sort(['values.hours', 'down']) })).toEqual([
      'Review',
      'Report',
      'Archive',
    ]);
    expect(await titles([], sort(['done', 'up'], ['title', 'down']))).toEqual([
      'Review',
      'Report',
      'Garden',
      'Dishes',
      'Archive',
    ]);
  });

  test('groups rows; one with several tags is in several groups', async () => {
    const byState = await run({ lists: [work], group: 'values.state' });
    expect(byState.groups).toEqual([
      { value: 'todo', count: 1 },
      { value: 'doing', count: 1 },
      { value: 'done', count: 1 },
    ]);
    expect(byState.rows.map(({ group }) => group)).toEqual(['todo', 'doing', 'done']);
    const byTag = await run({ lists: [work], group: 'tags' });
    expect(byTag.groups).toEqual([
      { value: 'urgent', count: 1 },
      { value: 'writing', count: 1 },
      { value: null, count: 2 },
    ]);
    expect(byTag.total).toBe(4);
  });

  test('says how many rows there are when it gives fewer, and which fields their lists have', async () => {
    const cut = await run({}, { limit: 2 });
    expect(cut).toMatchObject({ total: 5, isCut: true, rows: { length: 2 } });
    expect(cut.fields).toMatchObject([
      { id: 'state', listIds: [work] },
      { id: 'hours', listIds: [work] },
    ]);
    expect(cut.lists.map(({ name }) => name)).toEqual(['Home', 'Work']);
  });

  test('that makes no sense is refused', async () => {
    const wrong = [
      { filters: [{ field: 'title', test: 'is' }] },
      { filters: [{ field: 'title', test: 'empty', value: 'x' }] },
      { filters: [{ field: 'nothing', test: 'empty' }] },
      { group: 'values.NOT' },
    ];
    for (const query of wrong) await server.refused('invalid_request', 'runQuery', { body: { query } });
  });
});

describe('a view', () => {
  test('is a query that is kept, and shows what it finds now', async () => {
    const query = { filters: [{ field: 'done', test: 'is', value: false }], group: 'list' };
    const view = await server.call('createView', { body: { name: 'Open', query, layout: 'board' } });
    expect(view).toMatchObject({ layout: 'board', columns: [], dateField: null, query: { notes: false, lists: null } });
    const rows = await server.call('getViewRows', {
      params: { viewId: view.id },
      query: { timeZone: 'Europe/Zurich' },
    });
    expect(rows.groups).toEqual(
      [
        { value: home, count: 2 },
        { value: work, count: 2 },
      ].sort((a, b) => (a.value < b.value ? -1 : 1)),
    );
    const changed = await server.call('patchView', { params: { viewId: view.id }, body: { layout: 'table', base: 1 } });
    expect(changed).toMatchObject({ layout: 'table', version: 2, query: { group: 'list' } });
    await keep.undo(view.id, [2]);
    expect(await server.call('getView', { params: { viewId: view.id } })).toMatchObject({
      layout: 'board',
      version: 3,
    });
  });
});

test('many tests of many long notes hold up nothing else', async () => {
  const own = await TestServer.start({ agents: ['ada'] });
  try {
    const text = 'İ é \n'.repeat(198_000);
    for (let number = 0; number < 12; number++) await new Keeping(own).note(`Long ${number}`, text);
    const filters = Array.from({ length: 50 }, () => ({ field: 'notes', test: 'lacks', value: 'zzz' }));
    let isDone = false;
    const query = { lists: [], notes: true, filters, words: 'É' };
    const answer = own.call('runQuery', { body: { query: { ...query, sort: [{ field: 'notes' }] } } }).finally(() => {
      isDone = true;
    });
    let longest = 0;
    while (!isDone) {
      const since = performance.now();
      await own.call('health');
      longest = Math.max(longest, performance.now() - since);
    }
    const { rows, total } = await answer;
    expect(total).toBe(12);
    expect(rows[0]).toMatchObject({ kind: 'note', note: { notes: text.slice(0, 500) } });
    expect(longest).toBeLessThan(2000);
  } finally {
    await own.close();
  }
}, 120_000);

test('what a query holds at once is bounded, and it says that there is more', async () => {
  const own = await TestServer.start({ agents: ['ada'] });
  try {
    const keeping = new Keeping(own);
    const tags = Array.from({ length: 50 }, (_, index) => `tag ${index}`);
    const tagged = (await keeping.list('Tagged')).id;
    const wordy = (await keeping.list('Wordy')).id;
    for (let count = 0; count < 9; count++)
      await keeping.add(tagged, ...Array.from({ length: 500 }, (_, index) => ({ title: `${index}`, tags })));
    for (let count = 0; count < 5; count++)
      await keeping.add(wordy, ...Array.from({ length: 400 }, () => ({ title: 'long', notes: 'n'.repeat(20_000) })));
    const found = (query: object) => own.call('runQuery', { body: { query, limit: 10 } });
    const groups = await found({ lists: [tagged], group: 'tags', sort: [{ field: 'title' }] });
    expect([groups.total, groups.isCut]).toEqual([200_000, true]);
    const long = await found({ lists: [wordy], sort: [{ field: 'notes' }] });
    expect(long.isCut).toBe(true);
    expect(long.total).toBeLessThan(1650);
  } finally {
    await own.close();
  }
}, 120_000);
