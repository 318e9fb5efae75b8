import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { ArtifactChange, ArtifactList } from '../../contract/artifacts.ts';
import type { ItemPage, List, ListItem } from '../../contract/lists.ts';
import type { Note, NoteAtVersion } from '../../contract/notes.ts';
import { Parley } from '../harness/parley.ts';

/** Passages at which a transaction of the scenario below is about to commit, or has just committed. */
const POINTS = [
  ...[4, 5, 6, 7, 9, 11, 13, 15, 16, 17].map((passage) => `write.before-commit:${passage}`),
  ...[4, 5, 6, 7, 9, 11, 13, 15, 16, 17].map((passage) => `write.committed:${passage}`),
];

async function open(env: Record<string, string>): Promise<Parley> {
  const home = mkdtempSync(path.join(tmpdir(), 'parley-artifacts-'));
  writeFileSync(path.join(home, 'parley.json'), JSON.stringify({ agents: [] }));
  return Parley.start({ home, env });
}

/** Whether the server is gone; anything else is a failure of the test. */
async function diesOf(parley: Parley, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  await parley.waitForExit();
}

/** Changes of every kind; what was acknowledged is remembered. */
class Scenario {
  readonly parley: Parley;
  readonly acknowledged = new Map<string, number>();

  constructor(parley: Parley) {
    this.parley = parley;
  }

  async run(): Promise<void> {
    for (const id of ['one', 'two']) this.#note(id, await this.parley.ok<List>('POST', '/api/lists', { id, name: id }));
    this.#note('note', await this.parley.ok<Note>('POST', '/api/notes', { id: 'note', name: 'note', text: 'line 0' }));
    const items = Array.from({ length: 5 }, (_, index) => ({ id: `i${index}`, title: `item ${index}` }));
    this.#note('one', await this.parley.ok('POST', '/api/lists/one/items', { items }));
    this.#note('one', await this.parley.ok('PATCH', '/api/lists/one/items/i0', { done: true, notes: 'noted' }));
    this.#note('two', await this.parley.ok('POST', '/api/lists/one/moves', { items: ['i1', 'i2'], toListId: 'two' }));
    const { versions } = await this.parley.ok<{ versions: number[] }>('POST', '/api/lists/one/removals', {
      items: ['i3', 'i4'],
    });
    this.#note('one', { version: Math.max(...versions) });
    this.#note('one', await this.parley.ok('POST', '/api/artifacts/one/undo', { versions }));
    this.#note('note', await this.parley.ok('PATCH', '/api/notes/note', { text: 'line 0\nline 1', base: 1 }));
    this.#note('note', await this.parley.ok('PATCH', '/api/notes/note', { text: 'line 0 changed\nline 1', base: 2 }));
    this.#note('note', await this.parley.ok('POST', '/api/artifacts/note/undo', { versions: [2] }));
    await this.#file();
    await this.parley.request('DELETE', '/api/artifacts/two');
    await this.parley.ok('POST', '/api/artifacts/two/restore');
    for (let index = 0; index < 20; index++)
      await this.parley.ok('POST', '/api/lists/two/items', { items: [{ title: `${index}` }] });
  }

  /** With two versions of its contents, and back to the first. */
  async #file(): Promise<void> {
    const upload = async (words: string) =>
      (await this.parley.ok<{ id: string }>('POST', '/api/files?name=f.txt', words)).id;
    const body = { id: 'file', name: 'f.txt', fileId: await upload('one') };
    this.#note('file', await this.parley.ok('POST', '/api/artifact-files', body));
    const patch = { fileId: await upload('two'), base: 1 };
    this.#note('file', await this.parley.ok('PATCH', '/api/artifact-files/file', patch));
    this.#note('file', await this.parley.ok('POST', '/api/artifacts/file/undo', { versions: [2] }));
  }

  #note(id: string, { version }: { version: number }): void {
    this.acknowledged.set(id, Math.max(version, this.acknowledged.get(id) ?? 0));
  }
}

/** Every version has its entry, counts are right, and the history leads to what there is. */
async function check(parley: Parley, acknowledged: ReadonlyMap<string, number>): Promise<void> {
  const { artifacts } = await parley.ok<ArtifactList>('GET', '/api/artifacts?limit=500');
  const trash = await parley.ok<ArtifactList>('GET', '/api/artifacts?limit=500&deleted=true');
  const all = [...artifacts, ...trash.artifacts];
  for (const [id, version] of acknowledged) {
    const found = all.find((artifact) => artifact.id === id);
    expect([id, found !== undefined && found.version >= version]).toEqual([id, true]);
  }
  for (const { id, kind, version } of all) {
    const { changes } = await parley.ok<{ changes: ArtifactChange[] }>('GET', `/api/artifacts/${id}/changes?limit=500`);
    expect(changes.map((change) => change.version)).toEqual(
      Array.from({ length: version }, (_, index) => version - index),
    );
    if (kind === 'list') await checkList(parley, id, changes);
    if (kind === 'note') await checkNote(parley, id, version);
    if (kind === 'file') await checkFile(parley, changes);
  }
  const raw = new DatabaseSync(path.join(parley.home, 'parley.db'), { readOnly: true });
  const indexed = raw.prepare('SELECT count(*) AS n FROM artifacts_fts').get()!.n;
  const rows = raw
    .prepare(
      'SELECT (SELECT count(*) FROM artifacts) + (SELECT count(*) FROM list_items WHERE deleted_at IS NULL) AS n',
    )
    .get()!.n;
  raw.close();
  expect(indexed).toBe(rows);
}

async function checkList(parley: Parley, id: string, changes: ArtifactChange[]): Promise<void> {
  const list = await parley.ok<List>('GET', `/api/lists/${id}`);
  const { items } = await parley.ok<ItemPage>('GET', `/api/lists/${id}/items?limit=1000`);
  expect([list.itemCount, list.openCount]).toEqual([
    items.length,
    items.filter(({ doneAt }) => doneAt === null).length,
  ]);
  expect(items.map(({ id: itemId }) => itemId).sort()).toEqual([...presentAfter(id, changes)].sort());
  for (const item of items) expect(titleAfter(item, changes)).toBe(item.title);
}

function presentAfter(listId: string, changes: readonly ArtifactChange[]): Set<string> {
  const present = new Set<string>();
  for (const { type, itemId, after } of changes.toReversed()) {
    if (type === 'item_added' || type === 'item_restored') present.add(itemId!);
    if (type === 'item_deleted') present.delete(itemId!);
    if (type === 'item_moved' && after!.listId === listId) present.add(itemId!);
    if (type === 'item_moved' && after!.listId !== listId) present.delete(itemId!);
  }
  return present;
}

function titleAfter(item: ListItem, changes: readonly ArtifactChange[]): string {
  return changes.find(({ itemId }) => itemId === item.id)!.title;
}

async function checkNote(parley: Parley, id: string, version: number): Promise<void> {
  const note = await parley.ok<Note>('GET', `/api/notes/${id}`);
  const newest = await parley.ok<NoteAtVersion>('GET', `/api/notes/${id}/versions/${version}`);
  expect(newest.text).toBe(note.text);
  expect((await parley.ok<NoteAtVersion>('GET', `/api/notes/${id}/versions/1`)).text).toBe('line 0');
}

/** Every version can be read, and has the contents that its entry names. */
async function checkFile(parley: Parley, changes: readonly ArtifactChange[]): Promise<void> {
  for (const { version, after } of changes) {
    const answer = await parley.fetch('GET', `/api/artifact-files/file/contents?version=${version}`);
    const sha256 = createHash('sha256')
      .update(Buffer.from(await answer.arrayBuffer()))
      .digest('hex');
    expect([version, answer.status, sha256]).toEqual([version, 200, (after!.contents as { sha256: string }).sha256]);
  }
}

describe('kill -9 while lists and notes are changed', { timeout: 60_000 }, () => {
  it.concurrent.each(POINTS)(
    'what was acknowledged is there and nothing is half done after a kill at %s',
    async (point) => {
      const parley = await open({ PARLEY_FAULT: point });
      try {
        const scenario = new Scenario(parley);
        await diesOf(parley, () => scenario.run());
        await parley.restart({});
        await check(parley, scenario.acknowledged);
        // What was not acknowledged is sent again; what was stored all the same is not done twice.
        const items = Array.from({ length: 5 }, (_, index) => ({ id: `i${index}`, title: `item ${index}` }));
        await parley.request('POST', '/api/lists', { id: 'one', name: 'one' });
        await parley.request('POST', '/api/lists/one/items', { items });
        await check(parley, scenario.acknowledged);
      } finally {
        await parley.close();
      }
    },
  );
});

describe('many who change one list at once', { timeout: 60_000 }, () => {
  it('lose nothing: every change is in the history once, fields merge, and only the same field conflicts', async () => {
    const parley = await open({});
    try {
      await parley.ok('POST', '/api/lists', { id: 'one', name: 'one' });
      const items = Array.from({ length: 20 }, (_, index) => ({ id: `i${index}`, title: `item ${index}` }));
      const { version } = await parley.ok<{ version: number }>('POST', '/api/lists/one/items', { items });
      const asked = items.flatMap(({ id }) => [
        parley.request('PATCH', `/api/lists/one/items/${id}`, { title: `${id} a`, base: version }),
        parley.request('PATCH', `/api/lists/one/items/${id}`, { title: `${id} b`, base: version }),
        parley.request('PATCH', `/api/lists/one/items/${id}`, { notes: 'noted', base: version }),
        parley.request('PATCH', `/api/lists/one/items/${id}`, { tags: ['x'], base: version }),
        parley.request('PATCH', `/api/lists/one/items/${id}`, { tags: ['y'], base: version }),
        parley.request('POST', '/api/lists/one/moves', { items: [id], before: 'i7' }),
      ]);
      const answers = await Promise.all(asked);
      const conflicts = answers.filter(({ status }) => status === 409);
      expect([conflicts.length, answers.every(({ status }) => status === 200 || status === 409)]).toEqual([20, true]);
      const { items: now } = await parley.ok<ItemPage>('GET', '/api/lists/one/items');
      for (const item of now) {
        expect(item).toMatchObject({ notes: 'noted', title: expect.stringMatching(/ [ab]$/) });
        expect([...item.tags].sort()).toEqual(['x', 'y']);
      }
      await check(parley, new Map([['one', version]]));
    } finally {
      await parley.close();
    }
  });
});
