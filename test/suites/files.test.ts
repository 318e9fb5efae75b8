import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rawRequest } from '../harness/raw-request.ts';
import { Filing, LIMIT } from './filing.ts';
import type { ScriptedAgents } from './scripted-agents.ts';
import { asProblem, type TestServer } from './test-server.ts';

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(40)]);

let filing: Filing;
let server: TestServer;
let scripted: ScriptedAgents;
beforeAll(async () => {
  filing = await Filing.start();
  ({ server, scripted } = filing);
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

function rows(sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path.join(server.parley.home, 'parley.db'), { timeout: 5000 });
  const found = db.prepare(sql).all();
  db.close();
  return found;
}

describe('sending a file up', () => {
  it('keeps it as it is, where only its owner can read it', async () => {
    const contents = Buffer.from('Grüße\n');
    const file = await filing.send(contents, 'notes.txt', 'text/plain; charset=utf-8');
    expect(file).toEqual({
      id: file.id,
      name: 'notes.txt',
      mediaType: 'text/plain',
      kind: 'text',
      bytes: contents.length,
      sha256: createHash('sha256').update(contents).digest('hex'),
      createdAt: file.createdAt,
    });
    expect((statSync(filing.onDisk(file.id)).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(path.dirname(filing.onDisk(file.id))).mode & 0o777).toString(8)).toBe('700');
    const answer = await filing.read(file.id);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(contents);
  });

  it('takes one that is just small enough, and none that is larger by a byte, said or not', async () => {
    const most = randomBytes(LIMIT);
    expect((await filing.send(most, 'most.bin', '')).bytes).toBe(LIMIT);
    const before = readdirSync(path.dirname(filing.onDisk('x')));
    const more = Buffer.concat([most, Buffer.from('x')]);
    asProblem(await filing.upload(more, 'more.bin', ''), 'file_too_large');
    const { host } = new URL(server.parley.url);
    const headers = { Host: host, Authorization: `Bearer ${server.parley.token}`, 'Transfer-Encoding': 'chunked' };
    const unsaid = await rawRequest(server.parley, 'POST', '/api/files?name=x', headers, more.toString('latin1'));
    expect([unsaid.status, JSON.parse(unsaid.body).code]).toEqual([413, 'file_too_large']);
    expect(readdirSync(path.dirname(filing.onDisk('x')))).toEqual(before);
  });

  it('refuses an empty one, one without a name, and a form', async () => {
    asProblem(await filing.upload('', 'empty.txt', 'text/plain'), 'file_empty');
    asProblem(await filing.upload('x', '', 'text/plain'), 'invalid_request');
    asProblem(await filing.upload('x', 'x'.repeat(256), 'text/plain'), 'invalid_request');
    expect((await filing.send('x', 'x'.repeat(255))).name.length).toBe(255);
    asProblem(await filing.upload('x', 'x', 'multipart/form-data; boundary=y'), 'unsupported_media_type');
  });

  it('gives it a name and no path', async () => {
    const names = {
      '../../etc/passwd': 'passwd',
      'C:\\Users\\me\\x.txt': 'x.txt',
      'a\r\nX-Evil: 1': 'a X-Evil: 1',
      '..': 'file',
      'a/': 'file',
    };
    for (const [given, shown] of Object.entries(names))
      expect([given, (await filing.send('x', given)).name]).toEqual([given, shown]);
  });

  it('tells what it is by what is in it', async () => {
    const kinds: [contents: string | Uint8Array, type: string, kind: string, mediaType: string][] = [
      [PNG, 'text/html', 'image', 'image/png'],
      [Buffer.from('ffd8ffe0aa', 'hex'), '', 'image', 'image/jpeg'],
      ['GIF89a...', '', 'image', 'image/gif'],
      [Buffer.from('RIFF\0\0\0\0WEBPVP8 '), '', 'image', 'image/webp'],
      ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'text', 'image/svg+xml'],
      ['print("hi")', '', 'text', 'application/octet-stream'],
      ['a\0b', 'text/plain', 'other', 'text/plain'],
      [Buffer.from('fffe', 'hex'), 'text/plain', 'other', 'text/plain'],
      ['not really', 'image/png', 'text', 'image/png'],
      ['%PDF-1.4 in plain letters', 'application/pdf', 'other', 'application/pdf'],
      ['x'.repeat(200_000), 'text/plain', 'text', 'text/plain'],
      ['x'.repeat(200_001), 'text/plain', 'other', 'text/plain'],
      ['x', 'no type at all', 'text', 'application/octet-stream'],
    ];
    for (const [contents, type, kind, mediaType] of kinds)
      expect([type, kind, await filing.send(contents, 'f', type)]).toMatchObject([type, kind, { kind, mediaType }]);
  });
});

describe('reading a file', () => {
  it('is harmless whatever is in it', async () => {
    const cases: [contents: string | Uint8Array, type: string, shown: string, how: string][] = [
      [PNG, 'text/html', 'image/png', 'inline'],
      ['<script>alert(1)</script>', 'text/html', 'text/plain; charset=utf-8', 'inline'],
      ['<svg onload="alert(1)"/>', 'image/svg+xml', 'text/plain; charset=utf-8', 'inline'],
      ['a\0<script>', 'text/html', 'application/octet-stream', 'attachment'],
    ];
    for (const [contents, type, shown, how] of cases) {
      const { id } = await filing.send(contents, `naïve "x"'.html`, type);
      const answer = await filing.read(id);
      await answer.arrayBuffer();
      expect([type, answer.headers.get('content-type')]).toEqual([type, shown]);
      expect(answer.headers.get('content-disposition')).toBe(`${how}; filename*=UTF-8''na%C3%AFve%20%22x%22%27.html`);
      expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
  });

  it('saves on request, and is not sent twice to who has it', async () => {
    const { id } = await filing.send('words');
    const saved = await filing.read(id, '?download=true');
    expect(saved.headers.get('content-type')).toBe('application/octet-stream');
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(await saved.text()).toBe('words');
    const again = await filing.read(id, '', { 'If-None-Match': saved.headers.get('etag')! });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await server.parley.fetch('HEAD', `/api/files/${id}`)).headers.get('content-length')).toBe('5');
  });

  it('is not there when it never was, was deleted, or has lost its contents', async () => {
    const { id } = await filing.send('words');
    await server.call('deleteFile', { params: { fileId: id } });
    await filing.gone(id);
    for (const fileId of [id, 'nothing']) await server.refused('file_not_found', 'readFile', { params: { fileId } });
    await server.refused('file_not_found', 'deleteFile', { params: { fileId: id } });
    const lost = await filing.send('words');
    const { rmSync } = await import('node:fs');
    rmSync(filing.onDisk(lost.id));
    await server.refused('file_not_found', 'readFile', { params: { fileId: lost.id } });
  });
});

describe('what becomes of files', () => {
  it('one that is part of a message goes with it, and not before', async () => {
    const { id: fileId } = await filing.send('alpha');
    const id = await server.open();
    const { message } = await server.say(id, { content: 'x', files: [fileId] });
    await server.refused('file_in_use', 'deleteFile', { params: { fileId } });
    await server.call('deleteMessage', { params: { messageId: message.id } });
    await server.refused('file_not_found', 'readFile', { params: { fileId } });
    await filing.gone(fileId);
    expect(rows(`SELECT * FROM files WHERE id = '${fileId}'`)).toEqual([]);
    expect(rows('SELECT * FROM message_files WHERE message_id NOT IN (SELECT id FROM messages)')).toEqual([]);
  });

  it('one that is not sent within a day is forgotten, as is what a crash left', async () => {
    const [old, young] = [await filing.send('old'), await filing.send('young')];
    rows(`UPDATE files SET created_at = created_at - ${25 * 3600_000} WHERE id = '${old.id}'`);
    for (const stray of ['stray', 'half.part']) {
      writeFileSync(filing.onDisk(stray), 'x');
      const past = new Date(Date.now() - 2 * 3600_000);
      utimesSync(filing.onDisk(stray), past, past);
    }
    writeFileSync(filing.onDisk('arriving.part'), 'x');
    await server.parley.restart();
    await Promise.all([filing.gone(old.id), filing.gone('stray'), filing.gone('half.part')]);
    expect(existsSync(filing.onDisk('arriving.part'))).toBe(true);
    expect(await (await filing.read(young.id)).text()).toBe('young');
    await server.refused('file_not_found', 'readFile', { params: { fileId: old.id } });
  });

  it('an export tells of them; an import brings none, whatever it names', async () => {
    const { id: fileId } = await filing.send('the password is swordfish');
    const id = await server.open();
    scripted.answers('ada', 'Fine.', 'Well.');
    await server.say(id, { content: 'x', files: [fileId] });
    const exported = await server.call('exportSession', { params: { sessionId: id } });
    expect(JSON.stringify(exported)).not.toContain('swordfish');
    expect(exported.messages[0]!.parts[1]).toMatchObject({ type: 'file', fileId, name: 'notes.txt' });
    const markdown = await server.ask('exportSession', { params: { sessionId: id }, query: { format: 'markdown' } });
    expect(markdown.body).toContain('Attached: notes.txt (text/plain, 25 bytes)');
    const imported = await server.call('importSession', { body: exported });
    const [message] = await server.messages(imported.id);
    expect(message!.parts[1]).toMatchObject({ type: 'file', fileId: null, name: 'notes.txt' });
    await server.say(imported.id, 'go on');
    expect(JSON.stringify(server.prompt('ada'))).not.toContain('swordfish');
    expect(server.prompt('ada')[1]!.content).toContain('[Attached file: notes.txt');
    await server.call('deleteSession', { params: { sessionId: id } });
    await filing.gone(fileId);
  });
});
