import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KnowledgeSource } from '../../contract/knowledge.ts';
import { docxOf, lockedPdf, paragraph, pdfOf, withUnpackedSize, zipOf } from '../harness/documents.ts';
import { until } from '../harness/parley.ts';
import { Keeping } from './keeping.ts';
import { Knowing } from './knowing.ts';
import { asProblem, framesUntil, TestServer } from './test-server.ts';

const LIMITS = { knowledgeFileBytes: 400_000, knowledgePages: 5, knowledgePassages: 60, knowledgeSourcesPerUser: 40 };

let server: TestServer;
let knowing: Knowing;
beforeAll(async () => {
  server = await TestServer.start({
    agents: ['ada', 'bob', { agentId: 'boss' }, { agentId: 'child', parentAgentId: 'boss' }],
    config: { limits: LIMITS },
  });
  knowing = new Knowing(server.parley);
});
afterAll(() => server.close());

const remove = (sourceId: string) => server.call('deleteKnowledge', { params: { sourceId } });
const list = async (agent?: string) =>
  (await server.call('listKnowledge', agent ? { query: { agent } } : {})).sources.map(({ name }) => name);

describe('a file that agents can search', () => {
  it('is read page by page when it is a PDF, and found with its page', async () => {
    const contents = pdfOf([['Travel policy', 'Flights are booked by the office.'], ['Refunds take nine days.']]);
    const source = await knowing.know('Policy.pdf', contents, 'ada');
    expect(source).toMatchObject({ state: 'ready', format: 'pdf', pages: 2, passages: 2, problem: null, kind: 'file' });
    expect(source.agents).toEqual([{ agentId: 'ada', children: false }]);
    const [hit] = await knowing.search('refund', { agent: 'ada' });
    expect(hit).toMatchObject({ sourceId: source.id, name: 'Policy.pdf', number: 2, foundBy: ['words'] });
    expect(hit!.place).toEqual({ page: 2, headings: [], lines: null });
    expect(hit!.citation).toBe(`[Policy.pdf, p. 2](/knowledge/${source.id}#p2)`);
    expect(hit!.matches.map(({ start, end }) => hit!.text.slice(start, end))).toEqual(['Refunds']);
  });

  it('is read with its headings, lists and tables when it is a Word document, without what was deleted in it', async () => {
    const body = [
      paragraph('Handbook', 'Titel1'),
      paragraph('Welcome to the company. '.repeat(12)),
      paragraph('Holidays', 'Titel2'),
      '<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>thirty days</w:t></w:r><w:del><w:r><w:delText>twenty</w:delText></w:r></w:del></w:p>',
      `<w:tbl><w:tr><w:tc>${paragraph('Berlin')}</w:tc><w:tc>${paragraph('10 &amp; more')}</w:tc></w:tr></w:tbl>`,
    ].join('');
    const { id } = await knowing.know('Handbook.docx', docxOf(body), 'ada');
    const [hit] = await knowing.search('berlin');
    expect(hit).toMatchObject({ sourceId: id, place: { headings: ['Handbook', 'Holidays'] } });
    expect(hit!.text).toBe('## Holidays\n\n- thirty days\n\n| Berlin | 10 & more |');
    expect(hit!.citation).toContain('[Handbook.docx, Handbook › Holidays](');
  });

  it('is read as a person would when it is HTML', async () => {
    const html = '<!doctype html><title>T</title><h2>Opening</h2><p>From <b>nine</b>.</p><script>evil()</script>';
    const { id } = await knowing.know('hours.html', html, 'ada');
    expect(await knowing.texts(id)).toEqual(['## Opening\n\nFrom nine.']);
  });

  it('is found by line when it is code, and by heading when it is Markdown', async () => {
    const code = Array.from({ length: 300 }, (_, index) => `const value${index} = compute(${index});`).join('\n');
    await knowing.know('values.ts', code, 'ada');
    const [line] = await knowing.search('value250');
    expect(line!.place.lines![0]).toBeLessThanOrEqual(251);
    expect(line!.place.lines![1]).toBeGreaterThanOrEqual(251);
    const markdown = `# Guide\n\n${'Words of an introduction. '.repeat(20)}\n\n## Install\n\n\`\`\`\n# no heading\n\`\`\`\nRun the zebra.\n`;
    await knowing.know('guide.md', markdown, 'ada');
    const [heading] = await knowing.search('zebra');
    expect(heading!.place).toMatchObject({ headings: ['Guide', 'Install'], lines: [5, 10] });
  });

  it('is found in Chinese and Japanese, and whatever accents and capitals are written', async () => {
    await knowing.know('notes.txt', '我们明天去公园散步。\n東京タワーに行きます。\nCafé Müller', 'ada');
    expect((await knowing.search('明天')).map(({ name }) => name)).toEqual(['notes.txt']);
    expect((await knowing.search('タワー')).map(({ name }) => name)).toEqual(['notes.txt']);
    expect((await knowing.search('CAFE muller')).map(({ name }) => name)).toEqual(['notes.txt']);
  });

  it('comes before others the more of the words it has; what is in quotes must occur', async () => {
    await knowing.know('one.txt', 'The walrus swims.');
    await knowing.know('two.txt', 'The walrus sleeps on the iceberg.');
    expect((await knowing.search('walrus iceberg')).map(({ name }) => name)).toEqual(['two.txt', 'one.txt']);
    expect((await knowing.search('iceberg "walrus swims"')).map(({ name }) => name)).toEqual([]);
    expect((await knowing.search('"walrus swims"')).map(({ name }) => name)).toEqual(['one.txt']);
    expect(await knowing.search('" ^zzqx : *) {zzqx')).toEqual([]);
  });

  it('is stored once, however often it is added, and the file is part of it as long as it is there', async () => {
    const first = await knowing.know('same.txt', 'the same words', 'ada');
    const again = await knowing.add('other name.txt', 'the same words', 'bob');
    expect(again).toMatchObject({ id: first.id, name: 'same.txt' });
    expect(again.agents.map(({ agentId }) => agentId)).toEqual(['ada', 'bob']);
    await server.refused('file_in_use', 'deleteFile', { params: { fileId: first.fileId! } });
    await remove(first.id);
    await until(
      async () => (await server.ask('readFile', { params: { fileId: first.fileId! } })).status,
      (status) => status === 404,
    );
    await server.refused('knowledge_not_found', 'getKnowledge', { params: { sourceId: first.id } });
    expect(await knowing.search('"the same words"')).toEqual([]);
  });

  it('sent twice with one id is stored once', async () => {
    const [one, two] = await Promise.all([
      knowing.add('twice.txt', 'twice one', { id: 'my-own-id' }),
      knowing.add('twice.txt', 'twice one', { id: 'my-own-id' }),
    ]);
    expect([one!.id, two!.id]).toEqual(['my-own-id', 'my-own-id']);
  });

  it('is told live with how far it has come', async () => {
    const leave = new AbortController();
    const stream = server.parley.events('/api/events', {}, leave.signal);
    const isOf = (id: string) => (frame: { type: string; data: { source: KnowledgeSource } }) =>
      frame.type === 'knowledge.changed' && frame.data.source.id === id;
    const told = framesUntil(stream, (frame) => isOf('told-live')(frame) && frame.data.source.state === 'ready');
    await knowing.add('live.txt', 'something to be told', { id: 'told-live' });
    const frames = (await told).filter(isOf('told-live'));
    leave.abort();
    expect([...new Set(frames.map(({ data }) => data.source.state))]).toEqual(['waiting', 'reading', 'ready']);
  });
});

describe('what cannot be read', () => {
  const failed = async (name: string, contents: string | Uint8Array) => {
    const { state, problem, passages } = await knowing.know(name, contents, 'ada');
    expect([state, passages]).toEqual(['failed', 0]);
    return problem!.code;
  };

  it('fails with a code: locked, damaged, empty of text, too long', async () => {
    expect(await failed('locked.pdf', lockedPdf())).toBe('knowledge_encrypted');
    expect(await failed('broken.pdf', '%PDF-1.7\nnothing of the kind')).toBe('knowledge_unreadable');
    expect(await failed('scan.pdf', pdfOf([[]]))).toBe('knowledge_no_text');
    expect(await failed('long.pdf', pdfOf(Array.from({ length: 6 }, () => ['page'])))).toBe('knowledge_too_many_pages');
    expect(await failed('long.txt', 'words of it '.repeat(20_000))).toBe('knowledge_too_long');
    expect(await failed('empty.docx', zipOf({ 'other.xml': '<a/>' }))).toBe('knowledge_unreadable');
  });

  it('is no danger when a Word document declares entities, or unpacks to gigabytes', async () => {
    const laughs = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>';
    expect(await failed('laughs.docx', docxOf(paragraph('&b;'), laughs))).toBe('knowledge_unreadable');
    const spaces = zipOf({ 'word/document.xml': new Uint8Array(20_000_000).fill(32) });
    expect(await failed('bomb.docx', withUnpackedSize(spaces, 3_000_000_000))).toBe('knowledge_too_much_memory');
    expect(await failed('lying bomb.docx', withUnpackedSize(spaces, 100))).toBe('knowledge_no_text');
  });

  it('is read in one pass when all of a Word document stands in one cell of a table', async () => {
    const body = `<w:tbl><w:tr><w:tc>${paragraph('word').repeat(200_000)}</w:tc></w:tr></w:tbl>`;
    const { problem } = await knowing.know('Cell.docx', docxOf(body));
    expect(problem!.code).toBe('knowledge_too_long');
  });

  it('is refused at once when it is of no kind that can be read, empty or too large', async () => {
    asProblem(await knowing.upload('x.png', Buffer.from('89504e470d0a1a0a00', 'hex')), 'knowledge_format_unknown');
    asProblem(await knowing.upload('x.zip', zipOf({ a: 'b' })), 'knowledge_format_unknown');
    asProblem(await knowing.upload('x.txt', ''), 'file_empty');
    asProblem(await knowing.upload('x.txt', 'x'.repeat(LIMITS.knowledgeFileBytes + 1)), 'file_too_large');
    asProblem(await knowing.upload('x.txt', 'x', { agent: 'nobody' }), 'agent_not_found');
    expect(await list()).not.toContain('x.txt');
  });

  it('can be renamed, and is cited by the new name; a note has its own', async () => {
    const { id } = await knowing.know('old.txt', 'the cormorant dives', 'ada');
    const params = { sourceId: id };
    expect(await server.call('renameKnowledge', { params, body: { name: ' New name.txt ' } })).toMatchObject({
      name: 'New name.txt',
      state: 'ready',
    });
    expect((await knowing.search('cormorant', { agent: 'ada' }))[0]).toMatchObject({
      name: 'New name.txt',
      citation: expect.stringContaining('New name.txt'),
    });
    await server.refused('invalid_request', 'renameKnowledge', { params, body: { name: ' ' } });
    await server.refused('invalid_request', 'renameKnowledge', { params, body: { name: 'x'.repeat(256) } });
    for (const unseen of ['a\nb', 'a\u202eb', '\u200b'])
      await server.refused('invalid_request', 'renameKnowledge', { params, body: { name: unseen } });
    const note = await new Keeping(server).note('Birds', 'The heron waits.');
    const source = await server.call('addKnowledgeNote', { body: { noteId: note.id } });
    const asked = { params: { sourceId: source.id }, body: { name: 'Fish' } };
    await server.refused('knowledge_name_fixed', 'renameKnowledge', asked);
    expect((await knowing.settled(source.id)).name).toBe('Birds');
    await server.refused('knowledge_not_found', 'renameKnowledge', { params: { sourceId: 'no' }, body: { name: 'x' } });
    await remove(id);
    await remove(source.id);
  });

  it('can be read again, and stopped', async () => {
    const { id } = await knowing.know('again.pdf', pdfOf([[], ['']]));
    expect((await server.call('retryKnowledge', { params: { sourceId: id } })).state).toMatch(/waiting|reading/);
    expect((await knowing.settled(id)).problem!.code).toBe('knowledge_no_text');
    await server.call('retryKnowledge', { params: { sourceId: id } });
    expect((await server.call('stopKnowledge', { params: { sourceId: id } })).state).toBe('stopped');
    expect((await knowing.settled(id)).state).toBe('stopped');
  });
});

describe('who can search what', () => {
  it('is said per agent; agents below one have what it shares', async () => {
    const shared = await knowing.know('shared.txt', 'the heron knows', { agent: 'boss', children: 'true' });
    const own = await knowing.know('own.txt', 'the heron hides', 'boss');
    expect(await list('boss')).toEqual(['own.txt', 'shared.txt']);
    expect(await list('child')).toEqual(['shared.txt']);
    expect((await knowing.search('heron', { agent: 'child' })).map(({ name }) => name)).toEqual(['shared.txt']);
    expect(await knowing.search('heron', { agent: 'bob' })).toEqual([]);
    const params = { sourceId: own.id, agentId: 'boss' };
    await server.call('useKnowledge', { params, body: { children: true } });
    expect(await list('child')).toEqual(['own.txt', 'shared.txt']);
    await server.call('stopUsingKnowledge', { params: { sourceId: shared.id, agentId: 'boss' } });
    expect(await list('child')).toEqual(['own.txt']);
    expect(await list()).toContain('shared.txt');
  });

  it('ends with the agent; what it had stays with the person', async () => {
    await server.call('createAgent', { body: { agentId: 'brief', extends: 'ada' } });
    const { id } = await knowing.know('kept.txt', 'kept by the person', 'brief');
    const { version } = await server.call('getAgent', { params: { agentId: 'brief' } });
    await server.call('deleteAgent', { params: { agentId: 'brief' }, headers: { 'If-Match': `"${version}"` } });
    await until(
      () => knowing.get(id),
      ({ agents }) => agents.length === 0,
    );
    await server.call('createAgent', { body: { agentId: 'brief', extends: 'ada' } });
    expect(await list('brief')).toEqual([]);
  });
});

describe('a note that agents can search', () => {
  it('is read at once, whatever its headings are made of', async () => {
    const note = await new Keeping(server).note('Gaps', `# a${' '.repeat(400_000)}b ##\n\nA lighthouse in the fog.`);
    const source = await server.call('addKnowledgeNote', { body: { noteId: note.id } });
    expect(await knowing.settled(source.id)).toMatchObject({ state: 'ready' });
    const [hit] = await knowing.search('fog');
    expect(hit!.place.headings).toEqual([`a${' '.repeat(199)}`]);
    await remove(source.id);
  });

  it('is read again when it changes, is found no more in the trash, and again when it is restored', async () => {
    const keep = new Keeping(server);
    const note = await keep.note('Ideas', '# Plans\n\nA lighthouse by the sea.');
    const source = await server.call('addKnowledgeNote', { body: { noteId: note.id, agent: 'ada' } });
    expect(await knowing.settled(source.id)).toMatchObject({ kind: 'note', state: 'ready', format: 'markdown' });
    expect((await knowing.search('lighthouse'))[0]).toMatchObject({ name: 'Ideas', place: { headings: ['Plans'] } });
    const found = (word: string, count: number) =>
      until(
        () => knowing.search(word),
        (hits) => hits.length === count,
      );
    const params = { noteId: note.id };
    await server.call('patchNote', { params, body: { text: 'A windmill.', base: note.version } });
    await found('windmill', 1);
    await found('lighthouse', 0);
    await server.call('deleteArtifact', { params: { artifactId: note.id } });
    await found('windmill', 0);
    expect((await knowing.get(source.id)).problem!.code).toBe('knowledge_note_gone');
    await server.call('restoreArtifact', { params: { artifactId: note.id } });
    await found('windmill', 1);
    expect(await server.call('addKnowledgeNote', { body: { noteId: note.id, agent: 'bob' } })).toMatchObject({
      id: source.id,
    });
    await server.refused('artifact_not_found', 'addKnowledgeNote', { body: { noteId: 'no-such-note' } });
  });
});
