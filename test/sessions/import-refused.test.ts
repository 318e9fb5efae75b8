import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { exportSession } from '../../server/sessions/export.ts';
import { importSession } from '../../server/sessions/import.ts';
import { Sessions } from '../../server/sessions/sessions.ts';
import { OWNER, StoredSessions } from './stored-sessions.ts';

let stored: StoredSessions;

beforeAll(async () => {
  stored = await StoredSessions.open();
});

afterAll(() => stored[Symbol.asyncDispose]());

describe('what is not imported', () => {
  const said = { role: 'user', content: 'x' };

  async function refusal(body: unknown): Promise<string[]> {
    const before = await countRows();
    const outcome = await importSession(stored.log, OWNER, body).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(AppError);
    expect(outcome).toMatchObject({ code: 'import_invalid' });
    expect(await countRows()).toEqual(before);
    return (outcome as AppError).issues!;
  }

  async function countRows() {
    const { sessions } = await new Sessions(stored.log, async () => undefined).list(OWNER, { limit: 200 });
    return { sessions: sessions.length, newest: sessions[0]?.id };
  }

  test.each([
    [null, 'the file must be a JSON object'],
    [[said], 'the file must be a JSON object'],
    [{}, 'messages is required'],
    [{ messages: 'x' }, 'messages must be an array'],
    [
      { messages: [said, said, said, { role: 'system', content: 'x' }] },
      'messages[3].role must be one of "user", "assistant"',
    ],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content must be a string'],
    [
      { messages: [{ role: 'assistant', agent: '../etc', content: '' }] },
      /^messages\[0\]\.agent must consist of letters/,
    ],
    [
      { messages: [{ role: 'user', content: 'ü'.repeat(500_001) }] },
      'messages[0].content must hold at most 1000000 bytes',
    ],
    [{ format: 'other', messages: [] }, 'format must be "parley.session"'],
  ])('%#', async (body, issue) => {
    expect(await refusal(body)).toContainEqual(typeof issue === 'string' ? issue : expect.stringMatching(issue));
  });

  test('a message of the largest size is', async () => {
    const session = await importSession(stored.log, OWNER, {
      messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }],
    });
    expect(session.messageCount).toBe(1);
  });

  async function exported() {
    const { session } = await stored.add(
      {},
      [{ text: 'a' }, { by: 'b', text: 'b' }, { text: 'c', after: 0 }],
      [{ upto: 0, summary: 's' }],
    );
    return JSON.parse(JSON.stringify(await exportSession(stored.log.db, OWNER, session.id)));
  }

  type File = Awaited<ReturnType<typeof exported>>;

  test.each<[string, (file: File) => void, string]>([
    ['version', (file) => (file.version = 2), 'version must be 1'],
    ['unknown field', (file) => (file.command = 'rm'), 'command is not a known field'],
    [
      'agents',
      (file) => (file.session.agents = [{ command: 'rm' }]),
      'session.agents is not a known field (did you mean agentId?)',
    ],
    ['repeated id', (file) => (file.messages[1].id = file.messages[0].id), 'messages[1].id must be unique'],
    [
      'order',
      (file) => (file.messages[1].seq = 1),
      'messages[1].seq must be greater than 1, the seq of the previous message',
    ],
    [
      'parent',
      (file) => (file.messages[1].parentId = 'x'),
      'messages[1].parentId must be null or the id of an earlier message',
    ],
    [
      'own parent',
      (file) => (file.messages[0].parentId = file.messages[0].id),
      'messages[0].parentId must be null or the id of an earlier message',
    ],
    [
      'two heads',
      (file) => (file.messages[1].onPath = true),
      'messages[2].onPath must be false: the message does not follow the previous one on the path',
    ],
    [
      'delegation',
      (file) => (file.messages[0].role = 'delegation'),
      'messages[0].parts must contain a delegation part',
    ],
    ['guest', (file) => (file.messages[0].guest = true), 'messages[0].guest must be false when no agent is named'],
    ['words', (file) => (file.messages[1].text = 'other'), 'messages[1].text must match the text of its parts'],
    [
      'queued',
      (file) => (file.messages[1].status = 'queued'),
      'messages[1].status must be one of "complete", "interrupted"',
    ],
    [
      'time',
      (file) => (file.messages[1].createdAt = 'now'),
      'messages[1].createdAt must be a time like 2026-01-31T10:00:00.000Z',
    ],
    [
      'summary',
      (file) => (file.compactions[0].lastMessageId = 'x'),
      'compactions[0].lastMessageId must be the id of a message',
    ],
    [
      'reach',
      (file) => (file.compactions[0].uptoSeq = 9),
      'compactions[0].uptoSeq must be 1, the seq of its last message',
    ],
    [
      'no summary',
      (file) => (file.compactions = []),
      'messages[0].compactionId must be null or the id of a compaction',
    ],
    [
      'attributes',
      (file) => (file.session.attributes = { constructor: 1 }),
      'session.attributes must not contain the key constructor',
    ],
  ])('%s', async (_, spoil, issue) => {
    const file = await exported();
    spoil(file);
    expect(await refusal(file)).toContain(issue);
  });

  test('keys that reach a prototype change nothing, and depth does not exhaust the stack', async () => {
    const file = JSON.stringify(await exported());
    const poisoned = JSON.parse(file.replace('"attributes":{}', '"attributes":{"a":{"__proto__":{"polluted":1}}}'));
    await importSession(stored.log, OWNER, poisoned).catch((error) =>
      expect(error).toMatchObject({ code: 'import_invalid' }),
    );
    const plain = JSON.parse(
      '{"__proto__":{"agent":"x"},"messages":[{"role":"user","content":"x","__proto__":{"agent":"y"}}]}',
    );
    expect(await importSession(stored.log, OWNER, plain)).toMatchObject({ agentId: null, agents: [] });
    expect('polluted' in {}).toBe(false);
    const deep = JSON.parse(file);
    for (let level = 0; level < 20_000; level++) deep.session.attributes = { a: deep.session.attributes };
    expect(await refusal(deep)).toEqual(['the file is nested more than 64 levels deep']);
    const call = { type: 'tool_call', callId: 'c', name: 'x', input: '['.repeat(65), state: 'complete' };
    const called = JSON.parse(file);
    called.messages[1].parts.push(call);
    expect((await refusal(called))[0]).toMatch(/input must be nested at most 64 levels deep$/);
  });
});
