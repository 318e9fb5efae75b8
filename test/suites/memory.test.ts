import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { ExportedMemories, Memory, NewMemory } from '../../contract/memory.ts';
import { callAsTold } from './calling.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  const agents = ['ada', 'bob'].map((agentId) => ({ agentId, toolAllowlist: ['memory_*'] }));
  server = await TestServer.start({ agents });
  server.provider.script(callAsTold);
});
afterEach(async () => {
  for (const { id } of (await list()).memories)
    await server.call('deleteMemory', { params: { memoryId: id }, query: { permanently: 'true' } });
});
afterAll(() => server.close());

const list = (query: Record<string, string | number> = {}) => server.call('listMemories', { query });
const texts = async (query?: Record<string, string | number>) => (await list(query)).memories.map(({ text }) => text);
const make = (wanted: Partial<NewMemory> = {}) =>
  server.call('createMemory', { body: { agentId: 'ada', text: 'Prefers tea.', ...wanted } });
const at = ({ id }: Memory) => ({ params: { memoryId: id } });
const patch = (memory: Memory, body: object) => server.call('patchMemory', { ...at(memory), body });
const changesOf = async (memory: Memory) => (await server.call('listMemoryChanges', at(memory))).changes;

it('what an agent remembers is listed with the message it was remembered in', async () => {
  const sessionId = await server.open();
  const { message, turn } = await server.say(
    sessionId,
    'call memory_save {"text":"Deploys on Thursday.","topic":"work"}',
  );
  const [memory] = (await list({ agent: 'ada' })).memories;
  expect(memory).toMatchObject({
    agentId: 'ada',
    topic: 'work',
    text: 'Deploys on Thursday.',
    version: 1,
    createdBy: { kind: 'agent', agentId: 'ada', sessionId, turnId: turn.id },
    origin: { sessionId, messageId: message.id },
  });
  expect((await list({ agent: 'bob' })).memories).toEqual([]);
  await server.call('deleteSession', { params: { sessionId } });
  expect(await server.call('getMemory', at(memory!))).toMatchObject({ origin: null, text: 'Deploys on Thursday.' });
});

it('a person adds to it, and the agent reads it; the same text is remembered once', async () => {
  const made = await make({ topic: 'drinks', tags: ['taste', 'taste'] });
  expect(made).toMatchObject({ tags: ['taste'], createdBy: { kind: 'person' }, origin: null });
  expect((await make()).id).toBe(made.id);
  const sessionId = await server.open();
  await server.say(sessionId, 'call memory_search {"query":"tea"}');
  expect((await server.transcript(sessionId)).at(-1)).toContain('Prefers tea.');
  await server.say(sessionId, 'call memory_list {}');
  expect((await server.transcript(sessionId)).at(-1)).toContain(`[${made.id}]`);
});

it('it is searched by words, tag and agent, and read page by page', async () => {
  for (const text of ['one Café', 'two cafe', 'three']) await make({ text, tags: text === 'three' ? ['Odd'] : [] });
  await make({ text: 'of bob, cafe', agentId: 'bob' });
  expect(await texts({ q: 'CAFE' })).toEqual(['of bob, cafe', 'two cafe', 'one Café']);
  expect(await texts({ q: 'cafe', agent: 'ada' })).toEqual(['two cafe', 'one Café']);
  expect(await texts({ tag: 'odd' })).toEqual(['three']);
  const first = await list({ agent: 'ada', limit: 2 });
  expect([first.memories.length, first.isComplete]).toEqual([2, false]);
  expect(await texts({ agent: 'ada', limit: 2, before: first.memories.at(-1)!.id })).toEqual(['one Café']);
});

it('a change keeps what was there before, says who made it, and is refused when it is based on an old version', async () => {
  const made = await make();
  const changed = await patch(made, { text: 'Prefers green tea.', version: 1 });
  expect(changed).toMatchObject({ version: 2, updatedBy: { kind: 'person' }, createdAt: made.createdAt });
  await server.refused('memory_changed', 'patchMemory', { ...at(made), body: { text: 'x', version: 1 } });
  expect((await changesOf(made)).map(({ type, text, version }) => [version, type, text])).toEqual([
    [2, 'changed', 'Prefers green tea.'],
    [1, 'created', 'Prefers tea.'],
  ]);
});

it('what is deleted is gone for the agent, and comes back when that is undone', async () => {
  const made = await make();
  await server.call('deleteMemory', at(made));
  expect(await texts()).toEqual([]);
  await server.refused('memory_not_found', 'patchMemory', { ...at(made), body: { text: 'x' } });
  await server.refused('memory_not_found', 'deleteMemory', at(made));
  expect(await server.call('undeleteMemory', at(made))).toMatchObject({ text: made.text, deletedAt: null });
  expect(await texts()).toEqual([made.text]);
  expect((await changesOf(made)).map(({ type }) => type)).toEqual(['restored', 'deleted', 'created']);
  await server.call('deleteMemory', { ...at(made), query: { permanently: 'true' } });
  await server.refused('memory_not_found', 'undeleteMemory', at(made));
});

it('what an agent forgets can be restored by the person, who sees that the agent forgot it', async () => {
  const made = await make();
  const sessionId = await server.open();
  await server.say(sessionId, `call memory_forget {"id":"${made.id}"}`);
  expect(await texts()).toEqual([]);
  const [newest] = await changesOf(made);
  expect(newest).toMatchObject({ type: 'deleted', by: { kind: 'agent', agentId: 'ada', sessionId } });
  await server.call('undeleteMemory', at(made));
  const other = await server.open('bob');
  await server.say(other, `call memory_forget {"id":"${made.id}"}`);
  expect((await server.transcript(other)).at(-1)).toContain(`No memory with the ID ${made.id}`);
  expect(await texts()).toEqual([made.text]);
});

it('every open page hears when an agent remembers something', async () => {
  const leave = new AbortController();
  const heard = (async () => {
    for await (const { type, data } of server.parley.events('/api/events', {}, leave.signal))
      if (type === 'memory.changed') return data;
    return null;
  })();
  await server.call('listSessions', { query: {} });
  const sessionId = await server.open();
  await server.say(sessionId, 'call memory_save {"text":"Heard."}');
  expect(await heard).toEqual({ type: 'memory.changed', agentId: 'ada' });
  leave.abort();
});

it('it is exported and imported, word for word, and what is there stays as it is', async () => {
  await make({ text: 'first', topic: 't', tags: ['a'] });
  await make({ text: 'second', agentId: 'bob' });
  const exported: ExportedMemories = await server.call('exportMemories');
  expect(exported.memories.map(({ text }) => text)).toEqual(['first', 'second']);
  expect((await server.call('exportMemories', { query: { agent: 'bob' } })).memories).toHaveLength(1);
  expect(await server.call('importMemories', { body: exported })).toEqual({ imported: 0, known: 2 });
  const [newest] = (await list({ agent: 'ada' })).memories;
  await server.call('deleteMemory', { ...at(newest!), query: { permanently: 'true' } });
  expect(await server.call('importMemories', { body: exported })).toEqual({ imported: 1, known: 1 });
  const [imported] = (await list({ agent: 'ada' })).memories;
  expect(imported).toMatchObject({ text: 'first', topic: 't', tags: ['a'], createdBy: { kind: 'import' } });
  expect(imported!.createdAt).toBe(newest!.createdAt);
});

it('an agent that is not there, an empty text and one that is too long are refused', async () => {
  await server.refused('agent_not_found', 'createMemory', { body: { agentId: 'gone', text: 'x' } });
  await server.refused('invalid_request', 'createMemory', { body: { agentId: 'ada', text: ' ' } });
  await server.refused('invalid_request', 'createMemory', { body: { agentId: 'ada', text: 'x'.repeat(4001) } });
  await server.refused('memory_not_found', 'getMemory', { params: { memoryId: 'gone' } });
});
