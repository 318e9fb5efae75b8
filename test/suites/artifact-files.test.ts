import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ArtifactFile } from '../../contract/artifact-files.ts';
import type { FilePart } from '../../contract/files.ts';
import { until } from '../harness/parley.ts';
import { callAsTold, resultsIn } from './calling.ts';
import { Keeping } from './keeping.ts';
import { openAction } from './looking.ts';
import { TestServer } from './test-server.ts';

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(40)]);

let server: TestServer;
let keep: Keeping;

beforeAll(async () => {
  server = await TestServer.start({
    agents: [
      { agentId: 'ada', toolAllowlist: ['artifact_files_*', 'files_*'] },
      { agentId: 'reader', toolAllowlist: ['artifact_files_*'], capabilityAllowlist: ['artifact-files.read'] },
      { agentId: 'closed', toolAllowlist: ['artifact_files_*'], capabilityAllowlist: ['artifact-files.*'] },
      { agentId: 'asker', toolAllowlist: ['artifact_files_*'], approvals: { artifact_files_create: 'ask' } },
    ],
    config: { limits: { keptFileBytes: 200_000, fileBytes: 150_000 } },
  });
  server.provider.script(callAsTold);
  keep = new Keeping(server);
});
afterAll(() => server.close());

async function upload(contents: string | Uint8Array, name = 'a.txt', type = 'text/plain'): Promise<string> {
  const { url, token } = server.parley;
  const response = await fetch(`${url}/api/files?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
    body: Buffer.from(contents),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

async function create(name: string, contents: string | Uint8Array, more: object = {}): Promise<ArtifactFile> {
  return server.call('createArtifactFile', { body: { name, fileId: await upload(contents, name), ...more } });
}

async function change({ id }: ArtifactFile, contents: string, more: object = {}): Promise<ArtifactFile> {
  const body = { fileId: await upload(contents), ...more };
  return server.call('patchArtifactFile', { params: { artifactFileId: id }, body });
}

function get({ id }: Pick<ArtifactFile, 'id'>): Promise<ArtifactFile> {
  return server.call('getArtifactFile', { params: { artifactFileId: id } });
}

function download({ id }: Pick<ArtifactFile, 'id'>, query = ''): Promise<Response> {
  return server.parley.fetch('GET', `/api/artifact-files/${id}/contents${query}`);
}

async function read(file: Pick<ArtifactFile, 'id'>, version?: number): Promise<string> {
  return (await download(file, version === undefined ? '' : `?version=${version}`)).text();
}

function onDisk(): string[] {
  return readdirSync(path.join(server.parley.home, 'files'));
}

describe('a kept file', () => {
  test('has a name, tags and contents, and every version of its contents can be read', async () => {
    const file = await create('report.md', '# One', { tags: ['work'] });
    const { sha256 } = file.contents;
    expect(file).toMatchObject({ name: 'report.md', tags: ['work'], version: 1, createdBy: { kind: 'person' } });
    expect(file.contents).toEqual({ sha256, bytes: 5, mediaType: 'text/plain', kind: 'text' });
    expect(await change(file, '# Two')).toMatchObject({ version: 2 });
    const named = { params: { artifactFileId: file.id }, body: { name: 'summary.md' } };
    expect(await server.call('patchArtifactFile', named)).toMatchObject({ version: 3, name: 'summary.md' });
    const back = { params: { artifactFileId: file.id }, body: { fromVersion: 1, base: 3 } };
    expect(await server.call('patchArtifactFile', back)).toMatchObject({ version: 4, contents: { sha256 } });
    expect(await read(file)).toBe('# One');
    await keep.undo(file.id, [4]);
    await server.refused('artifact_version_not_found', 'patchArtifactFile', { ...back, body: { fromVersion: 9 } });
    const both = { ...back, body: { fromVersion: 1, fileId: 'x' } };
    await server.refused('invalid_request', 'patchArtifactFile', both);
    expect(await Promise.all([undefined, 1, 2, 3].map((version) => read(file, version)))).toEqual([
      '# Two',
      '# One',
      '# Two',
      '# Two',
    ]);
    const { versions, isComplete } = await server.call('listArtifactFileVersions', {
      params: { artifactFileId: file.id },
    });
    expect([versions.map(({ version, contents }) => [version, contents.bytes]), isComplete]).toEqual([
      [
        [5, 5],
        [4, 5],
        [2, 5],
        [1, 5],
      ],
      true,
    ]);
    expect(versions.at(-1)!.contents.sha256).toBe(sha256);
    for (const version of ['6', '99']) expect((await download(file, `?version=${version}`)).status).toBe(404);
  });

  test('is downloaded and never shown as a page, whatever is in it', async () => {
    const file = await create('page.html', '<script>alert(1)</script>');
    const { headers } = await download(file);
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''page.html");
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox;');
    const odd = await create('ü"; y/../z.html', 'a');
    expect((await download(odd)).headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''%C3%BC%22%3B%20y%2F..%2Fz.html",
    );
  });

  test('is undone and redone, trashed and restored, with its contents', async () => {
    const file = await create('undo.txt', 'first words');
    await change(file, 'second words');
    await keep.undo(file.id, [2]);
    expect(await read(file)).toBe('first words');
    expect((await server.call('searchArtifacts', { query: { q: '"second words"' } })).hits).toEqual([]);
    const { hits } = await server.call('searchArtifacts', { query: { q: '"first words"' } });
    expect(hits).toMatchObject([
      { artifact: { id: file.id, kind: 'file' }, snippet: expect.stringContaining('first') },
    ]);
    await keep.undo(file.id, [3]);
    expect(await read(file)).toBe('second words');
    await server.call('deleteArtifact', { params: { artifactId: file.id } });
    expect((await server.call('searchArtifacts', { query: { q: '"second words"' } })).hits).toEqual([]);
    await server.refused('artifact_deleted', 'patchArtifactFile', {
      params: { artifactFileId: file.id },
      body: { name: 'x' },
    });
    await server.call('restoreArtifact', { params: { artifactId: file.id } });
    expect(await read(file, 1)).toBe('first words');
  });

  test('merges different fields of two; contents that both have changed are a conflict, and nothing is lost', async () => {
    const file = await create('both.txt', 'base');
    await change(file, 'theirs', { base: 1 });
    const tagged = { params: { artifactFileId: file.id }, body: { tags: ['mine'], name: 'ours.txt', base: 1 } };
    expect(await server.call('patchArtifactFile', tagged)).toMatchObject({ tags: ['mine'], name: 'ours.txt' });
    const mine = { fileId: await upload('mine'), base: 1 };
    const { conflicts } = await server.refused('artifact_conflict', 'patchArtifactFile', { ...tagged, body: mine });
    expect(conflicts).toMatchObject([{ field: 'contents', yours: { bytes: 4 }, theirs: { bytes: 6 } }]);
    expect(await read(file)).toBe('theirs');
    await server.call('patchArtifactFile', { ...tagged, body: { fileId: mine.fileId } });
    expect(await read(file)).toBe('mine');
  });

  test('is made once however often it is sent, and the same contents are stored once', async () => {
    const fileId = await upload('the same contents');
    const body = { id: 'made-once', name: 'once.txt', fileId };
    const [one, two] = [
      await server.call('createArtifactFile', { body }),
      await server.call('createArtifactFile', { body }),
    ];
    expect(two).toEqual(one);
    await server.refused('artifact_id_taken', 'createArtifactFile', { body: { ...body, name: 'other' } });
    const again = await create('copy.txt', 'the same contents');
    expect(again.contents.sha256).toBe(one.contents.sha256);
    expect(await read(again)).toBe('the same contents');
    // The first goes for good; its contents stay for the other, and go with it.
    await server.call('deleteArtifact', { params: { artifactId: one.id }, query: { permanently: true } });
    expect(await read(again)).toBe('the same contents');
    await server.call('deleteArtifact', { params: { artifactId: again.id }, query: { permanently: true } });
    expect(onDisk()).not.toContain(fileId);
  });

  test('has all its versions deleted with it for good, and none before', async () => {
    const file = await create('old.txt', 'version one');
    const before = onDisk();
    await change(file, 'version two');
    expect(await read(file, 1)).toBe('version one');
    await server.call('deleteArtifact', { params: { artifactId: file.id } });
    expect(onDisk()).toEqual(expect.arrayContaining(before));
    await server.call('deleteArtifact', { params: { artifactId: file.id }, query: { permanently: true } });
    expect(onDisk().length).toBe(before.length - 1);
    await server.refused('artifact_not_found', 'getArtifactFile', { params: { artifactFileId: file.id } });
  });

  test('can be what was attached to a message, and stays when that message goes', async () => {
    const fileId = await upload('attached');
    const sessionId = await server.open();
    const { message } = await server.say(sessionId, { content: 'hello', files: [fileId] });
    const file = await server.call('createArtifactFile', { body: { name: 'kept.txt', fileId } });
    await server.call('deleteSession', { params: { sessionId } });
    expect(message.parts).toHaveLength(2);
    expect(await read(file)).toBe('attached');
    await server.refused('file_in_use', 'deleteFile', { params: { fileId } });
    await server.call('deleteArtifact', { params: { artifactId: file.id }, query: { permanently: true } });
    await until(
      async () => existsSync(path.join(server.parley.home, 'files', fileId)),
      (isThere) => !isThere,
    );
  });

  test('is refused when it names no file, or when all files with their versions would be too large', async () => {
    await server.refused('file_unknown', 'createArtifactFile', { body: { name: 'x', fileId: 'nobody-knows' } });
    const large = await create('large.bin', new Uint8Array(140_000).fill(1));
    const fileId = await upload(new Uint8Array(60_001).fill(2), 'more.bin');
    await server.refused('kept_files_too_large', 'createArtifactFile', { body: { name: 'more', fileId } });
    const patch = { params: { artifactFileId: large.id }, body: { fileId } };
    await server.refused('kept_files_too_large', 'patchArtifactFile', patch);
    expect(await get(large)).toEqual(large);
    await server.call('deleteArtifact', { params: { artifactId: large.id }, query: { permanently: true } });
    await server.call('createArtifactFile', { body: { name: 'more', fileId } });
  });

  test('is told to every open client, with who changed it', async () => {
    const file = await create('live.txt', 'one');
    const told = await keep.told(() => change(file, 'two'));
    expect(told).toMatchObject([
      { kind: 'file', artifactId: file.id, name: 'live.txt', version: 2, changes: [{ by: { kind: 'person' } }] },
    ]);
  });
});

describe('an agent', () => {
  async function use(tool: string, input: object, sessionId: string) {
    const { message } = await server.say(sessionId, `call ${tool} ${JSON.stringify(input)}`);
    const answer = (await server.messages(sessionId)).find(({ seq }) => seq! > message.seq!)!;
    return { ...resultsIn(answer)[0]!, answer };
  }

  async function result(tool: string, input: object = {}, sessionId?: string) {
    const used = await use(tool, input, sessionId ?? (await server.open()));
    expect([used.isError, used.output]).toEqual([false, used.output]);
    return used;
  }

  test('makes a file, which is part of its answer, says who made it in which turn, and is kept', async () => {
    const sessionId = await server.open();
    const { output, answer } = await result('artifact_files_create', { name: 'plan.md', content: '# Plan' }, sessionId);
    const id = /\[(.+)\]/.exec(output)![1]!;
    expect(output).toBe(`Created the file "plan.md" [${id}], now version 1.`);
    const parts = answer.parts.filter((part): part is FilePart => part.type === 'file');
    expect(parts).toMatchObject([
      { name: 'plan.md', mediaType: 'text/markdown', kind: 'text', bytes: 6, artifactId: id },
    ]);
    const file = await get({ id });
    expect(file.createdBy).toMatchObject({ kind: 'agent', agentId: 'ada', sessionId, turnId: answer.turnId });
    expect(await read({ id })).toBe('# Plan');
    // The answer keeps what it came with; the file goes on.
    await result('artifact_files_edit', { file: 'plan.md', find: 'Plan', replace: 'New plan' });
    const attached = await server.parley.fetch('GET', `/api/files/${parts[0]!.fileId}`);
    expect([await attached.text(), await read({ id })]).toEqual(['# Plan', '# New plan']);
    await server.call('deleteSession', { params: { sessionId } });
    expect(await read({ id }, 1)).toBe('# Plan');
  });

  test('lists, reads, searches, changes, undoes and deletes files', async () => {
    const { output } = await result('artifact_files_create', { name: 'data.csv', content: 'a,b\n1,2\n', tags: ['t'] });
    const id = /\[(.+)\]/.exec(output)![1]!;
    expect((await result('artifact_files_list')).output).toContain(`[${id}] data.csv #t\n  a,b 1,2`);
    await result('artifact_files_write', { file: 'data.csv', content: 'a,b\n3,4\n', base: 1 });
    expect((await result('artifact_files_read', { file: id })).output).toBe(
      `"data.csv" [${id}], version 2 #t\n\na,b\n3,4\n`,
    );
    expect((await result('artifact_files_read', { file: id, version: 1 })).output).toContain('1,2');
    expect((await result('artifact_files_search', { query: '"3 4"' })).output).toContain(`"data.csv" [${id}]`);
    const stale = await use('artifact_files_write', { file: id, content: 'x', base: 1 }, await server.open());
    expect([stale.isError, stale.output]).toEqual([true, expect.stringContaining('contents: it is now')]);
    const { output: history } = await result('artifact_files_history', { file: id });
    expect(history).toContain('[2] changed "data.csv" by ada');
    await result('artifact_files_undo', { file: id, versions: [2] });
    expect(await read({ id })).toBe('a,b\n1,2\n');
    await result('artifact_files_delete', { file: id });
    expect((await get({ id })).deletedAt).not.toBeNull();
  });

  test('keeps any file of its workspace, gives it new contents, and gets it back', async () => {
    const sessionId = await server.open();
    await result('files_write', { path: 'out/table.csv', content: 'x\n1\n' }, sessionId);
    const { output, answer } = await result('artifact_files_keep', { path: 'out/table.csv' }, sessionId);
    const id = /\[(.+)\]/.exec(output)![1]!;
    expect(answer.parts).toContainEqual(
      expect.objectContaining({ type: 'file', artifactId: id, mediaType: 'text/csv' }),
    );
    await result('files_write', { path: 'out/table.csv', content: 'x\n2\n' }, sessionId);
    await result('artifact_files_replace', { file: id, path: 'out/table.csv' }, sessionId);
    expect([await read({ id }, 1), await read({ id })]).toEqual(['x\n1\n', 'x\n2\n']);
    await result('artifact_files_copy', { file: id, path: 'back.csv', version: 1 }, sessionId);
    expect((await result('files_read', { path: 'back.csv' }, sessionId)).output).toBe('x\n1\n');
    const outside = await use('artifact_files_keep', { path: '../../parley.json' }, sessionId);
    expect([outside.isError, outside.output]).toEqual([true, expect.stringContaining('outside')]);
    const none = await use('artifact_files_keep', { path: 'none.txt' }, sessionId);
    expect(none.isError).toBe(true);
  });

  test('is told what a file is that it cannot read, and copies it to its workspace', async () => {
    const file = await create('dot.png', PNG);
    const sessionId = await server.open();
    const refused = await use('artifact_files_read', { file: file.id }, sessionId);
    expect(refused.output).toContain(`is not text (image/png, ${PNG.length} bytes)`);
    expect((await result('artifact_files_copy', { file: file.id, path: 'dot.png' }, sessionId)).output).toContain(
      `${PNG.length} bytes`,
    );
    const kept = await result('artifact_files_keep', { path: 'dot.png', name: 'again.png' }, sessionId);
    const { contents } = await get({ id: /\[(.+)\]/.exec(kept.output)![1]! });
    expect(contents).toEqual(file.contents);
  });

  test('uses what its capabilities allow and nothing else, and waits where it has to be approved', async () => {
    const file = await create('scoped.txt', 'mine');
    const reading = await server.open('reader');
    expect((await use('artifact_files_read', { file: file.id }, reading)).isError).toBe(false);
    for (const [tool, input] of [
      ['artifact_files_create', { name: 'x', content: 'x' }],
      ['artifact_files_write', { file: file.id, content: 'x' }],
      ['artifact_files_delete', { file: file.id }],
      ['artifact_files_keep', { path: 'x' }],
    ] as const)
      expect([tool, (await use(tool, input, reading)).isError]).toEqual([tool, true]);
    // Reading the workspace is a capability of its own.
    const closed = await server.open('closed');
    expect((await use('artifact_files_keep', { path: 'x' }, closed)).output).toContain('files.read');
    const asking = await server.open('asker');
    await server.send(asking, 'call artifact_files_create {"name":"asked.md","content":"x"}');
    const action = await openAction(server, asking);
    await server.call('answerAction', { params: { actionId: action.id }, body: { decision: 'deny' } });
    const { artifacts } = await server.call('listArtifacts', { query: { kind: 'file' } });
    expect(artifacts.map(({ name }) => name)).not.toContain('asked.md');
  });
});
