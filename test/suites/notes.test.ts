import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Keeping } from './keeping.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let keep: Keeping;

beforeAll(async () => {
  server = await TestServer.start({ agents: ['ada'] });
  keep = new Keeping(server);
});
afterAll(() => server.close());

const LINES = 'one\ntwo\nthree\nfour';

describe('a note', () => {
  test('has a text, tags, a day and a mood, each of which can be changed and emptied', async () => {
    const note = await keep.note('Walk', LINES, { tags: ['x'], date: '2026-01-31', mood: 'calm' });
    expect(note).toMatchObject({ text: LINES, tags: ['x'], date: '2026-01-31', mood: 'calm', version: 1 });
    const changed = await keep.write(note, { date: null, mood: null, tags: [], name: 'Walks' });
    expect(changed).toMatchObject({ name: 'Walks', text: LINES, date: null, mood: null, tags: [], version: 2 });
    expect(await keep.write(note, { name: 'Walks' })).toMatchObject({ version: 2 });
  });

  test('merges what two have changed in different lines', async () => {
    const note = await keep.note('Merge', LINES);
    await keep.write(note, { text: 'ONE\ntwo\nthree\nfour', base: note.version });
    const merged = await keep.write(note, { text: 'one\ntwo\nthree\nFOUR\nfive', base: note.version });
    expect(merged.text).toBe('ONE\ntwo\nthree\nFOUR\nfive');
  });

  test('keeps what two have added at its end, whoever comes first', async () => {
    const note = await keep.note('Append', 'list:');
    await keep.write(note, { text: 'list:\n- theirs', base: 1 });
    expect((await keep.write(note, { text: 'list:\n- mine', base: 1 })).text).toBe('list:\n- theirs\n- mine');
  });

  test('tells of the lines that both have changed, and changes nothing', async () => {
    const note = await keep.note('Conflict', LINES);
    await keep.write(note, { text: 'one\nTHEIRS\nthree\nfour', base: 1 });
    const body = { text: 'one\nMINE\nthree\nfour!', name: 'Renamed', base: 1 };
    const problem = await server.refused('artifact_conflict', 'patchNote', { params: { noteId: note.id }, body });
    expect(problem.conflicts).toMatchObject([
      { field: 'text', yours: 'MINE', theirs: 'THEIRS', by: { kind: 'person' } },
    ]);
    expect(await keep.readNote(note)).toMatchObject({ text: 'one\nTHEIRS\nthree\nfour', name: 'Conflict', version: 2 });
  });

  test('shows every version of its text, also of hundreds', async () => {
    const note = await keep.note('Versions', 'line 0');
    const texts = ['', 'line 0'];
    for (let version = 2; version <= 260; version++) {
      const text =
        version % 50 === 0 ? 'anew' : `${texts.at(-1)}\n${version % 3 ? `line ${version}` : ['😀', '😁'][version % 2]}`;
      texts[version] = text;
      await keep.write(note, { text });
    }
    for (const version of [1, 2, 49, 50, 51, 100, 101, 102, 150, 200, 201, 202, 259, 260]) {
      const shown = await server.call('getNoteVersion', { params: { noteId: note.id, version: String(version) } });
      expect([version, shown.text]).toEqual([version, texts[version]]);
    }
    const { versions, isComplete } = await server.call('listNoteVersions', {
      params: { noteId: note.id },
      query: { limit: 500 },
    });
    expect([versions.length, isComplete]).toEqual([260, true]);
    expect(versions.at(-1)).toMatchObject({ version: 1, added: 1, removed: 0 });
    expect(versions[0]).toMatchObject({ version: 260, added: 1, removed: 0 });
    const page = await server.call('listNoteVersions', { params: { noteId: note.id }, query: { limit: 3, before: 4 } });
    expect([page.versions.map(({ version }) => version), page.isComplete]).toEqual([[3, 2, 1], true]);
    await server.refused('artifact_version_not_found', 'getNoteVersion', {
      params: { noteId: note.id, version: '999' },
    });
  }, 60_000);

  test('has only the piece that differs in its history, and where it began', async () => {
    const note = await keep.note('Pieces', 'Hello 😀 world');
    await keep.write(note, { text: 'Hello 😁 world' });
    const [change] = await keep.history(note.id);
    expect(change).toMatchObject({ before: { text: '😀' }, after: { text: '😁' }, textAt: 6 });
  });

  test('takes a change back although other lines changed later, but not the same ones', async () => {
    const note = await keep.note('Undo', LINES);
    await keep.write(note, { text: 'ONE\ntwo\nthree\nfour' });
    await keep.write(note, { text: 'ONE\ntwo\nthree\nFOUR' });
    await keep.undo(note.id, [2]);
    expect((await keep.readNote(note)).text).toBe('one\ntwo\nthree\nFOUR');
    await keep.undo(note.id, [3, 4]);
    expect((await keep.readNote(note)).text).toBe('ONE\ntwo\nthree\nfour');
    await keep.write(note, { text: 'other\ntwo\nthree\nfour' });
    const asked = { params: { artifactId: note.id }, body: { versions: [5] } };
    expect((await server.refused('artifact_conflict', 'undoArtifactChanges', asked)).conflicts).toMatchObject([
      { field: 'text' },
    ]);
  });

  test('knows what it links to and what links to it', async () => {
    const { id: listId } = await keep.list('Groceries');
    const home = await keep.note('Home', '[[ groceries ]] and [[Plan|the plan]], [[Nothing]], [[Home]] `[[x`');
    const plan = await keep.note('Plan', 'see [[HOME]]');
    expect((await keep.readNote(home)).links).toEqual([
      { name: 'groceries', artifactId: listId },
      { name: 'Plan', artifactId: plan.id },
      { name: 'Nothing', artifactId: null },
      { name: 'Home', artifactId: home.id },
    ]);
    expect((await keep.readNote(home)).linkedFrom).toEqual([{ artifactId: plan.id, name: 'Plan' }]);
    await keep.write(plan, { text: 'no more' });
    expect((await keep.readNote(home)).linkedFrom).toEqual([]);
  });

  test('is found by its words, also Chinese and Japanese ones, and not from the trash', async () => {
    const note = await keep.note('Hiking', 'We walked along the Zürichsee. 我们明天去北京。', { tags: ['alps'] });
    const { id: listId } = await keep.list('Errands');
    const { items } = await keep.add(listId, { title: 'Buy boots', notes: 'for hiking', tags: ['shop'] });
    const find = async (q: string) =>
      (await server.call('searchArtifacts', { query: { q } })).hits.map(
        ({ artifact, itemId }) => itemId ?? artifact.id,
      );
    expect(await find('hiking')).toEqual([items[0]!.id, note.id]);
    expect(await find('zurichsee walked')).toEqual([note.id]);
    expect(await find('明天')).toEqual([note.id]);
    expect(await find('"along the"')).toEqual([note.id]);
    expect(await find('zurichs*')).toEqual([note.id]);
    expect(await find('alps')).toEqual([note.id]);
    const { hits } = await server.call('searchArtifacts', { query: { q: 'hiking', kind: 'note' } });
    expect(hits).toMatchObject([{ title: 'Hiking', itemId: null, matches: [{ start: 0, end: 6 }] }]);
    await keep.patch(items[0]!, { notes: 'for the city' });
    await server.call('deleteArtifact', { params: { artifactId: note.id } });
    expect(await find('hiking')).toEqual([]);
    await server.refused('search_invalid', 'searchArtifacts', { query: { q: '"" - (' } });
  });
});

describe('artifacts', () => {
  test('are listed most recently changed first, by kind and in pages', async () => {
    const note = await keep.note('Newest', '# Heading\n\ntext');
    const { list } = await keep.listOf('Snippet', 'first', 'second');
    await keep.patch((await keep.items(list.id))[0]!, { done: true });
    const { artifacts, next } = await server.call('listArtifacts', { query: { limit: 2 } });
    expect(artifacts).toMatchObject([
      { id: list.id, kind: 'list', snippet: 'second', count: 1 },
      { id: note.id, kind: 'note', snippet: '# Heading text', count: null },
    ]);
    const more = await server.call('listArtifacts', { query: { limit: 500, before: next! } });
    expect(more.artifacts.map(({ id }) => id)).not.toContain(note.id);
    const notes = await server.call('listArtifacts', { query: { kind: 'note', limit: 500 } });
    expect(new Set(notes.artifacts.map(({ kind }) => kind))).toEqual(new Set(['note']));
  });
});
