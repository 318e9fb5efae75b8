import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ItemPage, ListItem } from '../../contract/lists.ts';
import { Keeping } from './keeping.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let keep: Keeping;

beforeAll(async () => {
  server = await TestServer.start({ agents: ['ada'] });
  keep = new Keeping(server);
});
afterAll(() => server.close());

const FIELDS = [
  { id: 'rating', name: 'Rating', type: 'number' },
  { id: 'state', name: 'State', type: 'choice', choices: ['new', 'old'] },
  { id: 'url', name: 'Link', type: 'link' },
];

describe('a list', () => {
  test('keeps items in the order in which they were added, with all their fields', async () => {
    const { id } = await keep.list('Books', { description: 'To read', fields: FIELDS });
    const { items, version } = await keep.add(
      id,
      {
        title: 'Emma',
        notes: '**good**',
        due: '2026-12-01',
        tags: ['a', 'b', 'a'],
        values: { rating: 4.5, state: 'new' },
      },
      { title: 'Persuasion', done: true, values: { url: 'https://example.com/p' } },
    );
    expect(version).toBe(3);
    expect(items[0]).toMatchObject({
      listId: id,
      title: 'Emma',
      notes: '**good**',
      due: '2026-12-01',
      tags: ['a', 'b'],
      values: { rating: 4.5, state: 'new' },
      doneAt: null,
      version: 2,
      createdBy: { kind: 'person', agentId: null },
    });
    expect(await keep.items(id)).toEqual(items);
    expect(await keep.read(id)).toMatchObject({ itemCount: 2, openCount: 1, version: 3, description: 'To read' });
  });

  test('takes the same creation twice as one, and refuses another one under the same id', async () => {
    const body = { id: 'my-own-id', name: 'Once' };
    const first = await keep.server.call('createList', { body });
    expect(await server.call('createList', { body })).toEqual(first);
    await server.refused('artifact_id_taken', 'createList', { body: { ...body, name: 'Twice' } });
    await server.refused('artifact_id_taken', 'createNote', { body });
    const item = { id: 'item-once', title: 'x' };
    const added = await keep.add(first.id, item);
    expect(await keep.add(first.id, item)).toEqual({ ...added, version: added.version });
    await server.refused('artifact_item_id_taken', 'addItems', {
      params: { listId: first.id },
      body: { items: [{ ...item, title: 'y' }] },
    });
    const twice = {
      params: { listId: first.id },
      body: {
        items: [
          { id: 'n', title: 'y' },
          { id: 'n', title: 'z' },
        ],
      },
    };
    await server.refused('artifact_item_id_taken', 'addItems', twice);
    expect(await keep.titles(first.id)).toEqual(['x']);
  });

  test('refuses values that do not fit their field, and changes nothing', async () => {
    const { id } = await keep.list('Strict', { fields: FIELDS });
    const wrong = [
      { rating: 'four' },
      { state: 'older' },
      { url: 'javascript:alert(1)' },
      { other: 1 },
      { rating: true },
    ];
    for (const values of wrong)
      await server.refused('artifact_value_invalid', 'addItems', {
        params: { listId: id },
        body: { items: [{ title: 'fine' }, { title: 'x', values }] },
      });
    expect(await keep.items(id)).toEqual([]);
    expect((await keep.read(id)).version).toBe(1);
  });

  test('keeps the values of a field that is left out, and shows them again with the field', async () => {
    const { id } = await keep.list('Fields', { fields: FIELDS });
    await keep.add(id, { title: 'x', values: { rating: 3, state: 'old' } });
    const list = await server.call('patchList', { params: { listId: id }, body: { fields: [FIELDS[0]] } });
    expect((await keep.items(id))[0]!.values).toEqual({ rating: 3 });
    await server.call('patchList', { params: { listId: id }, body: { fields: FIELDS, base: list.version } });
    expect((await keep.items(id))[0]!.values).toEqual({ rating: 3, state: 'old' });
  });

  test('is read in pages, of all items or of those that are done or not', async () => {
    const { list, items } = await keep.listOf('Pages', 'a', 'b', 'c', 'd', 'e');
    await keep.patch(items[1]!, { done: true });
    const read: ListItem[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const query: Record<string, string | number> = { limit: 2, ...(after && { after }) };
      const page: ItemPage = await server.call('listItems', { params: { listId: list.id }, query });
      read.push(...page.items);
      after = page.next;
    }
    expect(read.map(({ title }) => title)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect((await keep.items(list.id, { done: 'true' })).map(({ title }) => title)).toEqual(['b']);
    expect((await keep.items(list.id, { done: 'false' })).length).toBe(4);
    await server.refused('invalid_request', 'listItems', { params: { listId: list.id }, query: { after: 'nonsense' } });
  });
});

describe('items', () => {
  test('go before or after others, also several at once, and to the end', async () => {
    const { list, items } = await keep.listOf('Order', 'a', 'b', 'c', 'd');
    const [a, b, c, d] = items.map(({ id }) => id);
    const move = (body: object) => server.call('moveItems', { params: { listId: list.id }, body });
    await move({ items: [d], before: a });
    expect(await keep.titles(list.id)).toEqual(['d', 'a', 'b', 'c']);
    await move({ items: [a, d], after: b });
    expect(await keep.titles(list.id)).toEqual(['b', 'a', 'd', 'c']);
    await move({ items: [b] });
    expect(await keep.titles(list.id)).toEqual(['a', 'd', 'c', 'b']);
    await server.call('addItems', {
      params: { listId: list.id },
      body: { items: [{ title: 'x' }, { title: 'y' }], before: c },
    });
    expect(await keep.titles(list.id)).toEqual(['a', 'd', 'x', 'y', 'c', 'b']);
    await server.refused('artifact_item_not_found', 'moveItems', {
      params: { listId: list.id },
      body: { items: [a], before: 'none' },
    });
    await move({ items: [a, b], before: b });
    expect(await keep.titles(list.id)).toEqual(['a', 'd', 'x', 'y', 'c', 'b']);
  });

  test('stay in order when they are put between the same two again and again', async () => {
    const { list, items } = await keep.listOf('Narrow', 'first', 'last');
    const wanted: string[] = [];
    let [low, high] = [items[0]!, items[1]!];
    for (let index = 0; index < 1300; index++) {
      const place = index % 2 === 0 ? { after: low.id } : { before: high.id };
      const body = { items: [{ id: `n${index}`, title: `${index}` }], ...place };
      const { items: added } = await server.call('addItems', { params: { listId: list.id }, body });
      expect(added[0]!.rank.length).toBeLessThanOrEqual(200);
      if (index % 2 === 0) low = added[0]!;
      else high = added[0]!;
      wanted.splice(Math.ceil(wanted.length / 2), 0, `${index}`);
    }
    const titles: string[] = [];
    for (let after = ''; ; ) {
      const page = await server.call('listItems', {
        params: { listId: list.id },
        query: { limit: 1000, ...(after && { after }) },
      });
      titles.push(...page.items.map(({ title }) => title));
      if (page.next === null) break;
      after = page.next;
    }
    expect(titles).toEqual(['first', ...wanted, 'last']);
  }, 60_000);

  test('move to another list and keep values that it has no field for', async () => {
    const from = await keep.list('From', { fields: FIELDS });
    const to = await keep.list('To');
    const { items } = await keep.add(from.id, { title: 'x', values: { rating: 1 } }, { title: 'y' });
    const moved = await server.call('moveItems', {
      params: { listId: from.id },
      body: { items: [items[0]!.id], toListId: to.id },
    });
    expect(moved.items[0]).toMatchObject({ id: items[0]!.id, listId: to.id, values: {} });
    expect(await keep.read(from.id)).toMatchObject({ itemCount: 1, openCount: 1 });
    expect(await keep.read(to.id)).toMatchObject({ itemCount: 1, openCount: 1 });
    const entries = [(await keep.history(from.id))[0]!, (await keep.history(to.id))[0]!];
    expect(entries.map(({ type, itemId }) => [type, itemId])).toEqual([
      ['item_moved', items[0]!.id],
      ['item_moved', items[0]!.id],
    ]);
    await keep.undo(to.id, [entries[1]!.version]);
    expect(await keep.titles(from.id)).toEqual(['x', 'y']);
    expect((await keep.items(from.id))[0]!.values).toEqual({ rating: 1 });
    expect((await keep.history(from.id))[0]).toMatchObject({ type: 'item_moved', undoes: entries[0]!.version });
    expect((await keep.history(from.id))[1]!.undoneBy).toBe((await keep.read(from.id)).version);
  });

  test('are changed field by field; what does not change makes no version', async () => {
    const { items } = await keep.listOf('Fields', 'a');
    const changed = await keep.patch(items[0]!, { notes: 'n', done: true });
    expect(changed.doneAt).not.toBeNull();
    expect(await keep.patch(items[0]!, { notes: 'n', done: true })).toEqual(changed);
    expect(await keep.patch(items[0]!, { done: false })).toMatchObject({
      doneAt: null,
      notes: 'n',
      version: changed.version + 1,
    });
  });
});

describe('two who change one thing', () => {
  test('change different fields, and both changes are there', async () => {
    const { items } = await keep.listOf('Both', 'a');
    const { version } = items[0]!;
    await keep.patch(items[0]!, { title: 'theirs', tags: ['one'], base: version });
    const merged = await keep.patch(items[0]!, { due: '2026-02-02', tags: ['two'], base: version });
    expect(merged).toMatchObject({ title: 'theirs', due: '2026-02-02', tags: ['one', 'two'] });
  });

  test('change one field, and the second is told what the first one wrote', async () => {
    const { items } = await keep.listOf('One', 'a');
    const item = items[0]!;
    await keep.patch(item, { title: 'theirs', base: item.version });
    const asked = {
      params: { listId: item.listId, itemId: item.id },
      body: { title: 'mine', due: '2026-01-01', base: item.version },
    };
    const problem = await server.refused('artifact_conflict', 'patchItem', asked);
    expect(problem.conflicts).toEqual([
      {
        field: 'title',
        yours: 'mine',
        theirs: 'theirs',
        by: expect.objectContaining({ kind: 'person' }),
        at: expect.any(String),
      },
    ]);
    expect((await keep.items(item.listId))[0]).toMatchObject({ title: 'theirs', due: null });
    expect(await keep.patch(item, { title: 'mine' })).toMatchObject({ title: 'mine' });
  });

  test('write the same, or one takes a change back: no conflict', async () => {
    const { items } = await keep.listOf('Same', 'a');
    const item = items[0]!;
    await keep.patch(item, { title: 'same', base: item.version });
    await keep.patch(item, { title: 'same', base: item.version });
    await keep.patch(item, { title: 'a' });
    expect(await keep.patch(item, { title: 'mine', base: item.version })).toMatchObject({ title: 'mine' });
  });

  test('write into the notes of an item, and their lines are merged', async () => {
    const { id } = await keep.list('Lines');
    const { items } = await keep.add(id, { title: 'x', notes: 'one\ntwo\nthree' });
    await keep.patch(items[0]!, { notes: 'ONE\ntwo\nthree', base: items[0]!.version });
    const merged = await keep.patch(items[0]!, { notes: 'one\ntwo\nTHREE', base: items[0]!.version });
    expect(merged.notes).toBe('ONE\ntwo\nTHREE');
  });
});

describe('changes', () => {
  test('are in the history with who made them, and are taken back and made again', async () => {
    const { list, items } = await keep.listOf('History', 'a', 'b');
    await keep.patch(items[0]!, { title: 'A', done: true });
    const [last] = await keep.history(list.id);
    expect(last).toMatchObject({
      type: 'item_changed',
      itemId: items[0]!.id,
      title: 'A',
      before: { title: 'a', doneAt: null },
      after: { title: 'A', doneAt: expect.any(String) },
      by: { kind: 'person' },
    });
    const { changes, version } = await keep.undo(list.id, [last!.version]);
    expect(changes[0]).toMatchObject({ undoes: last!.version, version });
    expect(await keep.titles(list.id)).toEqual(['a', 'b']);
    expect((await keep.history(list.id))[1]!.undoneBy).toBe(version);
    await server.refused('artifact_change_undone', 'undoArtifactChanges', {
      params: { artifactId: list.id },
      body: { versions: [last!.version] },
    });
    await keep.undo(list.id, [version]);
    expect(await keep.titles(list.id)).toEqual(['A', 'b']);
    const [redone, , first] = await keep.history(list.id);
    expect([redone!.undoes, first!.undoneBy]).toEqual([version, null]);
    expect((await keep.read(list.id)).openCount).toBe(1);
  });

  test('are taken back together: deleted items come back where they were', async () => {
    const { list, items } = await keep.listOf('Deleted', 'a', 'b', 'c', 'd');
    const body = { items: [items[1]!.id, items[2]!.id] };
    const { versions } = await server.call('removeItems', { params: { listId: list.id }, body });
    expect(await keep.titles(list.id)).toEqual(['a', 'd']);
    await server.call('addItems', {
      params: { listId: list.id },
      body: { items: [{ title: 'new' }], after: items[0]!.id },
    });
    await keep.undo(list.id, versions);
    expect((await keep.titles(list.id)).filter((title) => title !== 'new')).toEqual(['a', 'b', 'c', 'd']);
    expect(await keep.read(list.id)).toMatchObject({ itemCount: 5, openCount: 5 });
  });

  test('are taken back all or none, and with force over what came later', async () => {
    const { list, items } = await keep.listOf('All or none', 'a', 'b');
    await keep.patch(items[0]!, { title: 'A' });
    await keep.patch(items[1]!, { title: 'B' });
    await keep.patch(items[1]!, { title: 'later' });
    const versions = (await keep.history(list.id)).slice(1, 3).map(({ version }) => version);
    const asked = { params: { artifactId: list.id }, body: { versions } };
    const problem = await server.refused('artifact_conflict', 'undoArtifactChanges', asked);
    expect(problem.conflicts).toMatchObject([{ field: 'title', yours: 'b', theirs: 'later' }]);
    expect(await keep.titles(list.id)).toEqual(['A', 'later']);
    await keep.undo(list.id, versions, true);
    expect(await keep.titles(list.id)).toEqual(['a', 'b']);
  });

  test('of moves and additions are taken back', async () => {
    const { list, items } = await keep.listOf('Moves', 'a', 'b', 'c');
    await server.call('moveItems', {
      params: { listId: list.id },
      body: { items: [items[2]!.id], before: items[0]!.id },
    });
    const [move] = await keep.history(list.id);
    await keep.undo(list.id, [move!.version]);
    expect(await keep.titles(list.id)).toEqual(['a', 'b', 'c']);
    await keep.undo(list.id, [2, 3]);
    expect(await keep.titles(list.id)).toEqual(['c']);
    await keep.patch((await keep.items(list.id))[0]!, { notes: 'changed' });
    const asked = { params: { artifactId: list.id }, body: { versions: [4] } };
    expect((await server.refused('artifact_conflict', 'undoArtifactChanges', asked)).conflicts).toMatchObject([
      { field: 'notes' },
    ]);
    await server.refused('artifact_version_not_found', 'undoArtifactChanges', { ...asked, body: { versions: [999] } });
  });

  test('are told live to every open client, after they are stored', async () => {
    const { list, items } = await keep.listOf('Live', 'a');
    const events = await keep.told(async () => {
      await keep.patch(items[0]!, { title: 'b' });
      return keep.add(list.id, { title: 'c' });
    });
    expect(events).toMatchObject([
      {
        kind: 'list',
        artifactId: list.id,
        name: 'Live',
        version: 3,
        changes: [{ type: 'item_changed', after: { title: 'b' } }],
      },
      { version: 4, changes: [{ type: 'item_added', title: 'c' }] },
    ]);
  });
});

describe('the trash', () => {
  test('keeps a list until it is restored, and refuses changes meanwhile', async () => {
    const { list, items } = await keep.listOf('Gone', 'a');
    const params = { artifactId: list.id };
    await server.call('deleteArtifact', { params });
    await server.call('deleteArtifact', { params });
    const deleted = await server.call('listArtifacts', { query: { deleted: 'true' } });
    expect(deleted.artifacts.map(({ id }) => id)).toContain(list.id);
    expect((await server.call('listArtifacts', { query: { limit: 500 } })).artifacts.map(({ id }) => id)).not.toContain(
      list.id,
    );
    await server.refused('artifact_deleted', 'addItems', {
      params: { listId: list.id },
      body: { items: [{ title: 'x' }] },
    });
    await server.refused('artifact_deleted', 'patchItem', {
      params: { listId: list.id, itemId: items[0]!.id },
      body: { title: 'x' },
    });
    await server.refused('artifact_deleted', 'undoArtifactChanges', { params, body: { versions: [2] } });
    expect(await server.call('restoreArtifact', { params })).toMatchObject({ deletedAt: null, count: 1 });
    expect(await keep.titles(list.id)).toEqual(['a']);
  });

  test('a list that is deleted for good is gone with its items and its history', async () => {
    const { list, items } = await keep.listOf('For good', 'unforgettable');
    await server.call('deleteArtifact', { params: { artifactId: list.id }, query: { permanently: 'true' } });
    await server.refused('artifact_not_found', 'getList', { params: { listId: list.id } });
    await server.refused('artifact_not_found', 'listArtifactChanges', { params: { artifactId: list.id } });
    await server.refused('artifact_not_found', 'getItem', { params: { listId: list.id, itemId: items[0]!.id } });
    expect((await server.call('searchArtifacts', { query: { q: 'unforgettable' } })).hits).toEqual([]);
  });
});
