import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExportedArtifacts, ExportedPart } from '../../contract/artifact-export.ts';
import { callAsTold } from './calling.ts';
import { Keeping } from './keeping.ts';
import { TestServer } from './test-server.ts';

let here: TestServer;
let there: TestServer;
let keep: Keeping;
let other: Keeping;

beforeAll(async () => {
  const agents = [{ agentId: 'ada', toolAllowlist: ['lists_*', 'notes_*', 'artifact_files_*'] }];
  [here, there] = await Promise.all([TestServer.start({ agents }), TestServer.start({ agents })]);
  here.provider.script(callAsTold);
  keep = new Keeping(here);
  other = new Keeping(there);
});
afterAll(() => Promise.all([here.close(), there.close()]));

type Parts = Omit<ExportedPart, 'next'>;
const FORMAT = { format: 'parley-artifacts', version: 1 } as const;

async function parts(artifactId: string): Promise<Parts[]> {
  const found: Parts[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const query: Record<string, string> = after === '' ? {} : { after };
    const { next, ...part }: ExportedPart = await here.call('exportArtifact', { params: { artifactId }, query });
    found.push(part);
    after = next;
  }
  return found;
}

function bring(part: Partial<ExportedArtifacts>, to = there) {
  return to.call('importArtifacts', { body: { ...FORMAT, ...part } });
}

async function move(artifactId: string): Promise<void> {
  for (const part of await parts(artifactId)) await bring(part);
}

async function upload(to: TestServer, contents: string): Promise<string> {
  const { url, token } = to.parley;
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'text/plain' };
  const response = await fetch(`${url}/api/files?name=a`, { method: 'POST', headers, body: contents });
  return ((await response.json()) as { id: string }).id;
}

describe('an artifact that is exported and imported elsewhere', () => {
  test('has its history, authors, times and deleted items, and what was changed there can still be undone', async () => {
    const { list, items } = await keep.listOf('Books', 'Emma', 'Persuasion', 'Lady Susan');
    await keep.patch(items[0]!, { done: true, tags: ['austen'], notes: 'good' });
    const session = await here.open();
    await here.say(session, `call lists_remove {"items":["${items[2]!.id}"]}`);
    await here.call('moveItems', {
      params: { listId: list.id },
      body: { items: [items[1]!.id], before: items[0]!.id },
    });
    const { version } = await keep.read(list.id);
    await move(list.id);
    expect(await other.read(list.id)).toEqual(await keep.read(list.id));
    expect(await other.items(list.id)).toEqual(await keep.items(list.id));
    expect(await other.history(list.id)).toEqual(await keep.history(list.id));
    const removal = (await other.history(list.id)).find(({ type }) => type === 'item_deleted')!;
    expect(removal.by).toMatchObject({ kind: 'agent', agentId: 'ada', sessionId: session });
    await other.undo(list.id, [removal.version]);
    expect(await other.titles(list.id)).toEqual(['Persuasion', 'Emma', 'Lady Susan']);
    await other.undo(list.id, [version]);
    expect(await other.titles(list.id)).toEqual(['Emma', 'Persuasion', 'Lady Susan']);
    expect((await there.call('searchArtifacts', { query: { q: 'Persuasion' } })).hits).toMatchObject([
      { itemId: items[1]!.id },
    ]);
  });

  test('has every version of a note, and links to others', async () => {
    const note = await keep.note('Plan', 'one\ntwo');
    const linking = await keep.note('Index', 'see [[Plan]]');
    for (let version = 2; version <= 130; version++) await keep.write(note, { text: `one\ntwo\nversion ${version}` });
    await here.call('deleteArtifact', { params: { artifactId: linking.id } });
    for (const { id } of [note, linking]) await move(id);
    expect(await other.readNote(note)).toEqual(await keep.readNote(note));
    for (const version of [1, 60, 130]) {
      const params = { noteId: note.id, version: String(version) };
      expect(await there.call('getNoteVersion', { params })).toEqual(await here.call('getNoteVersion', { params }));
    }
    const versions = { params: { noteId: note.id } };
    expect(await there.call('listNoteVersions', versions)).toEqual(await here.call('listNoteVersions', versions));
    expect((await other.readNote(linking)).deletedAt).toBe((await keep.readNote(linking)).deletedAt);
    await there.call('restoreArtifact', { params: { artifactId: linking.id } });
    expect((await other.readNote(note)).linkedFrom).toMatchObject([{ artifactId: linking.id }]);
  });

  test('is a moved item in the history of both lists, which is undone in both', async () => {
    const [one, two] = [await keep.listOf('From', 'a'), await keep.listOf('To', 'b')];
    const params = { listId: one.list.id };
    await here.call('moveItems', { params, body: { items: [one.items[0]!.id], toListId: two.list.id } });
    for (const { list } of [one, two]) await move(list.id);
    const { version } = await other.read(two.list.id);
    await other.undo(two.list.id, [version]);
    expect([await other.titles(one.list.id), await other.titles(two.list.id)]).toEqual([['a'], ['b']]);
    expect((await other.history(one.list.id)).map(({ undoneBy }) => undoneBy)).toContain(4);
  });

  test('is a file with the contents of all its versions, once these were uploaded', async () => {
    const body = { name: 'a.txt', fileId: await upload(here, 'first') };
    const file = await here.call('createArtifactFile', { body });
    const artifactFileId = file.id;
    await here.call('patchArtifactFile', {
      params: { artifactFileId },
      body: { fileId: await upload(here, 'second') },
    });
    const [part] = await parts(file.id);
    await there.refused('file_unknown', 'importArtifacts', { body: { ...FORMAT, ...part } });
    await there.refused('artifact_not_found', 'getArtifactFile', { params: { artifactFileId } });
    for (const contents of ['first', 'second']) await upload(there, contents);
    expect(await bring(part!)).toMatchObject({ files: 1, skipped: 0 });
    expect(await bring(part!)).toMatchObject({ files: 0, skipped: 1 });
    const read = async (version: number) =>
      (await there.parley.fetch('GET', `/api/artifact-files/${file.id}/contents?version=${version}`)).text();
    expect([await read(1), await read(2)]).toEqual(['first', 'second']);
    expect((await there.call('searchArtifacts', { query: { q: 'second' } })).hits).toMatchObject([
      { artifact: { id: file.id } },
    ]);
  });

  test('comes in parts when it is large, and an import that broke off is taken up', async () => {
    const { id } = await keep.list('Large');
    for (let from = 0; from < 1200; from += 400)
      await keep.add(id, ...Array.from({ length: 400 }, (_, index) => ({ title: `item ${from + index}` })));
    const all = await parts(id);
    expect(all.length).toBeGreaterThan(3);
    for (const part of [all[0]!, all.at(-1)!]) await bring(part);
    for (const part of all) await bring(part);
    expect(await other.read(id)).toEqual(await keep.read(id));
    expect(await other.items(id, { limit: 1000 })).toEqual(await keep.items(id, { limit: 1000 }));
    expect(await other.history(id, { limit: 500 })).toEqual(await keep.history(id, { limit: 500 }));
    const again = await Promise.all(all.map((part) => bring(part)));
    expect(again.reduce((sum, { items, lists }) => sum + items + lists, 0)).toBe(0);
  });

  test('changes nothing of what is there under the same ID, and nothing of what was changed there since', async () => {
    const note = await keep.note('Mine', 'here', { id: 'same-id' });
    await other.note('Theirs', 'there', { id: 'same-id' });
    const [part] = await parts(note.id);
    expect(await bring(part!)).toMatchObject({ notes: 0, skipped: 1 });
    expect(await other.readNote(note)).toMatchObject({ name: 'Theirs', text: 'there', version: 1 });
    const { list, items } = await keep.listOf('Later', 'a');
    await move(list.id);
    await other.patch(items[0]!, { title: 'changed there' });
    await move(list.id);
    expect(await other.titles(list.id)).toEqual(['changed there']);
    expect(await other.history(list.id)).toHaveLength(3);
  });

  test('goes to the list that a plugin keeps already', async () => {
    await here.call('runTool', { body: { tool: 'todo_add', input: { title: 'here' } } });
    await there.call('runTool', { body: { tool: 'todo_add', input: { title: 'there' } } });
    const [todo] = (await here.call('listArtifacts', { query: { plugin: 'todo' } })).artifacts;
    await move(todo!.id);
    const lists = (await there.call('listArtifacts', { query: { plugin: 'todo' } })).artifacts;
    expect(lists).toHaveLength(1);
    expect((await other.titles(lists[0]!.id)).sort()).toEqual(['here', 'there']);
  });

  test('is refused with words when its history is broken', async () => {
    const note = await keep.note('Broken', 'x');
    const [{ notes }] = (await parts(note.id)) as [Parts];
    const history = notes[0]!.history!;
    const change = history.changes[0]!;
    for (const [broken, words] of [
      [{ ...history, createdAt: 'yesterday' }, 'createdAt'],
      [{ ...history, version: 0 }, 'version'],
      [{ ...history, changes: [{ ...change, version: 2 }] }, 'changes'],
      [{ ...history, changes: [{ ...change, after: { surprise: {} } }] }, 'surprise'],
      [{ ...history, changes: [{ ...change, after: { name: 3 } }] }, 'name'],
      [{ ...history, createdBy: { kind: 'god' } }, 'createdBy'],
    ] as const) {
      const body = { ...FORMAT, notes: [{ ...notes[0]!, id: 'broken', history: broken }] };
      const { detail } = await there.refused('invalid_request', 'importArtifacts', { body });
      expect(detail).toContain(words);
    }
    await there.refused('artifact_not_found', 'getNote', { params: { noteId: 'broken' } });
  });

  test('puts items whose places are no places at the end', async () => {
    const { list } = await keep.listOf('Ranks', 'a', 'b');
    const [part] = (await parts(list.id)) as [Parts];
    const ranks = ['zzz', 'aa00'];
    const items = part.lists[0]!.items.map((item, index) => ({
      ...item,
      history: { ...item.history!, rank: ranks[index]! },
    }));
    await bring({ lists: [{ ...part.lists[0]!, items }] });
    await other.add(list.id, { title: 'c' });
    expect(await other.titles(list.id)).toEqual(['a', 'b', 'c']);
  });
});
