import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Message } from '../../contract/messages.ts';
import type { ProgramSessionList } from '../../contract/program-sessions.ts';
import type { ExportedSession, Session } from '../../contract/sessions.ts';
import { Parley } from '../harness/parley.ts';
import {
  ClaudeFile,
  codexAgent,
  codexItem,
  codexMeta,
  codexPerson,
  codexRecord,
  ProgramFolders,
  piAnswer,
  piPerson,
  piRecord,
} from './program-files.ts';

const folders = new ProgramFolders();
let parley: Parley;

beforeAll(async () => {
  parley = await Parley.start({ config: { agents: [], templates: [] }, env: folders.env });
});

afterAll(async () => {
  await parley.close();
  rmSync(folders.root, { recursive: true });
});

let number = 0;

function uuid(): string {
  number += 1;
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

async function list(program: string): Promise<ProgramSessionList> {
  return (await parley.request<ProgramSessionList>('GET', `/api/program-sessions?from=${program}`)).body;
}

async function importOne(program: string, id: string) {
  const answer = await parley.request<Session>('POST', '/api/program-session-imports', { from: program, id });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  const session = answer.body;
  const { body } = await parley.request<{ messages: Message[] }>(
    'GET',
    `/api/sessions/${session.id}/messages?limit=500`,
  );
  return { session, messages: body.messages };
}

async function exported(sessionId: string): Promise<ExportedSession> {
  return (await parley.request<ExportedSession>('GET', `/api/sessions/${sessionId}/export`)).body;
}

const said = (messages: readonly Message[]) => messages.map(({ role, text }) => `${role}: ${text}`);
const kinds = (message: Message | undefined) => message?.parts.map(({ type }) => type);

test('a session of Claude is imported with its speakers, tools, results and usage', async () => {
  const file = new ClaudeFile();
  file.person('Read the notes');
  file.add('attachment', { attachment: { type: 'environment' }, rendered: [{ content: 'hidden environment' }] });
  const [, , call] = file.answer('msg_1', [
    { type: 'thinking', thinking: 'The file first.' },
    { type: 'text', text: 'I read the file.' },
    { type: 'tool_use', id: 'call_1', name: 'Read', input: { file_path: '/projects/trip/notes.txt' } },
    { type: 'tool_use', id: 'call_2', name: 'Bash', input: { command: 'false' } },
  ]);
  file.result('call_2', [{ type: 'text', text: 'Exit code 1' }]);
  file.result('call_1', 'buy milk', {}, call!);
  file.answer('msg_2', [{ type: 'text', text: 'It says: buy milk.' }]);
  file.note('custom-title', { customTitle: 'Shopping' });
  file.note('cost-state', { totalCostUSD: 0.25 });
  const id = uuid();
  const path = folders.claude(id, file.records, '{"type":"user","message":{"role":"us');
  const before = readFileSync(path);

  const found = (await list('claude')).sessions.find((each) => each.id === id);
  expect(found).toMatchObject({ title: 'Shopping', folder: '/projects/trip', importedAs: null });
  const { session, messages } = await importOne('claude', id);

  expect(session).toMatchObject({ title: 'Shopping', agentId: 'claude-code', agents: ['claude-code'] });
  expect(said(messages)).toEqual(['user: Read the notes', 'assistant: I read the file.\n\nIt says: buy milk.']);
  expect(messages[1]?.agent).toBe('claude-code');
  expect(kinds(messages[1])).toEqual([
    'reasoning',
    'text',
    'tool_call',
    'tool_call',
    'tool_result',
    'tool_result',
    'text',
  ]);
  expect(messages[1]?.parts[4]).toMatchObject({ callId: 'call_1', output: 'buy milk', via: 'agent' });
  expect(session.attributes.imported).toMatchObject({
    from: 'claude',
    id,
    folder: '/projects/trip',
    usage: { inputTokens: 30, outputTokens: 10, cachedInputTokens: 8, cost: 0.25 },
  });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect((await list('claude')).sessions.find((each) => each.id === id)?.importedAs).toBe(session.id);
});

test('what Claude itself wrote in the place of the person is left out', async () => {
  const file = new ClaudeFile();
  file.person('Begin', { origin: { kind: 'human' } });
  file.person('<local-command-caveat>context</local-command-caveat>', { isMeta: true });
  file.person('<command-name>/model</command-name>');
  file.person('<bash-input>ls</bash-input>');
  file.answer('msg_1', [{ type: 'text', text: 'Begun.' }]);
  file.person('<task-notification>done</task-notification>', { origin: { kind: 'task-notification' } });
  file.answer('msg_2', [{ type: 'text', text: 'Noted.' }]);
  file.answer('msg_3', [{ type: 'text', text: 'Once upon a' }], { isAbortedMidStream: true });
  file.person([{ type: 'text', text: '[Request interrupted by user]' }]);
  file.add('assistant', {
    message: { id: 'x', model: '<synthetic>', content: [{ type: 'text', text: 'No response.' }] },
  });
  file.person('Go on');
  const id = uuid();
  folders.claude(id, file.records);

  const { messages } = await importOne('claude', id);

  expect(said(messages)).toEqual(['user: Begin', 'assistant: Begun.\n\nNoted.\n\nOnce upon a', 'user: Go on']);
  expect(messages.map(({ status }) => status)).toEqual(['complete', 'interrupted', 'complete']);
});

test('branches of a session of Claude stay reachable, and the newest is shown', async () => {
  const file = new ClaudeFile();
  file.person('Choose a city');
  const [first] = file.answer('msg_1', [{ type: 'text', text: 'Rome or Oslo?' }]);
  file.person('Rome');
  file.answer('msg_2', [{ type: 'text', text: 'Rome it is.' }]);
  file.person('Oslo', {}, first);
  file.answer('msg_3', [{ type: 'text', text: 'Oslo it is.' }]);
  const id = uuid();
  folders.claude(id, file.records);

  const { session, messages } = await importOne('claude', id);

  expect(said(messages).at(-1)).toBe('assistant: Oslo it is.');
  expect(messages.find(({ text }) => text === 'Oslo')?.siblings).toHaveLength(2);
  const all = (await exported(session.id)).messages.map(({ text, onPath }) => `${text} ${onPath}`);
  expect(all).toContain('Rome it is. false');
});

test('a compaction of Claude becomes a summary in front of what came later', async () => {
  const file = new ClaudeFile();
  file.person('A long story');
  file.answer('msg_1', [{ type: 'text', text: 'It was long.' }]);
  file.add('system', { subtype: 'compact_boundary', logicalParentUuid: file.last }, null);
  file.person('The story was long.', { isCompactSummary: true });
  file.person('And now?');
  file.answer('msg_2', [{ type: 'text', text: 'The end.' }]);
  const id = uuid();
  folders.claude(id, file.records);

  const { session, messages } = await importOne('claude', id);

  expect(said(messages)).toEqual([
    'user: A long story',
    'assistant: It was long.',
    'user: And now?',
    'assistant: The end.',
  ]);
  expect(messages.map(({ archived }) => archived)).toEqual([true, true, false, false]);
  expect((await exported(session.id)).compactions).toMatchObject([
    { summary: 'The story was long.', archivedCount: 2 },
  ]);
});

test('what a sub-agent of Claude said last is the result of its call', async () => {
  const file = new ClaudeFile();
  file.person('Count the files');
  file.answer('msg_1', [{ type: 'tool_use', id: 'call_9', name: 'Agent', input: { prompt: 'count' } }]);
  file.result('call_9', 'launched');
  file.add('assistant', { isSidechain: true, message: { id: 'side', content: [{ type: 'text', text: 'hidden' }] } });
  const id = uuid();
  folders.claude(id, file.records);
  const helper = new ClaudeFile();
  helper.person('count');
  helper.answer('msg_s', [{ type: 'text', text: 'There are 2 files.' }]);
  folders.claudeSubAgent(id, 'a1', 'call_9', helper.records);

  const { messages } = await importOne('claude', id);

  expect(messages[1]?.parts.at(-1)).toMatchObject({ type: 'tool_result', output: 'There are 2 files.' });
  expect(messages).toHaveLength(2);
});

test('a session of Codex shows each thing once, without what was added for the model', async () => {
  const id = uuid();
  folders.codex(
    id,
    [
      codexMeta(id),
      codexRecord('turn_context', { model: 'gpt-5.1-codex' }),
      codexRecord('response_item', {
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text: 'rules' }],
      }),
      codexRecord('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look' }] }),
      codexPerson('Look'),
      codexItem({ type: 'Reasoning', id: 'r', summary_text: ['A look first.'], raw_content: [] }),
      ...codexAgent('I look.'),
      codexRecord('response_item', {
        type: 'function_call',
        name: 'exec_command',
        arguments: '{"cmd":"ls"}',
        call_id: 'c1',
      }),
      codexItem({
        type: 'CommandExecution',
        id: 'c1',
        aggregated_output: 'notes.txt\n',
        exit_code: 0,
        status: 'completed',
      }),
      codexRecord('response_item', { type: 'function_call_output', call_id: 'c1', output: 'Chunk ID: 1\nnotes.txt' }),
      codexRecord('response_item', {
        type: 'function_call',
        name: 'exec_command',
        arguments: '{"cmd":"x"}',
        call_id: 'c2',
      }),
      codexItem({ type: 'CommandExecution', id: 'c2', aggregated_output: 'no x', exit_code: 127, status: 'failed' }),
      codexRecord('response_item', { type: 'function_call_output', call_id: 'c2', output: 'Chunk ID: 2' }),
      ...codexAgent('There is notes.txt.'),
      codexRecord('token_usage_record', {
        response_id: 'r1',
        usage: { input_tokens: 10, cached_input_tokens: 2, output_tokens: 7 },
      }),
      codexPerson('Tell a story'),
      ...codexAgent('Once'),
      codexRecord('event_msg', { type: 'turn_aborted', reason: 'interrupted' }),
    ],
    '{"timestamp":"2026',
  );

  const { session, messages } = await importOne('codex', id);

  expect(session).toMatchObject({ title: 'Look', agentId: 'codex' });
  expect(said(messages)).toEqual([
    'user: Look',
    'assistant: I look.\n\nThere is notes.txt.',
    'user: Tell a story',
    'assistant: Once',
  ]);
  expect(kinds(messages[1])).toEqual([
    'reasoning',
    'text',
    'tool_call',
    'tool_result',
    'tool_call',
    'tool_result',
    'text',
  ]);
  expect(messages[1]?.parts[3]).toMatchObject({ output: 'notes.txt\n', isError: false });
  expect(messages[1]?.parts[5]).toMatchObject({ output: 'no x', isError: true });
  expect(messages[3]?.status).toBe('interrupted');
  expect(session.attributes.imported).toMatchObject({
    usage: { inputTokens: 10, outputTokens: 7, model: 'gpt-5.1-codex' },
  });
});

test('an old session of Codex, one that was forked, and one that was compacted', async () => {
  const old = uuid();
  folders.codex(old, [
    codexMeta(old, { history_mode: undefined }),
    codexRecord('response_item', {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: '<environment_context>' }],
    }),
    codexRecord('event_msg', { type: 'user_message', message: 'My colour is teal', kind: 'plain' }),
    codexRecord('event_msg', { type: 'agent_message', message: 'Noted, teal.' }),
    codexRecord('response_item', {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Noted, teal.' }],
    }),
    codexRecord('compacted', { message: 'The colour is teal.' }),
  ]);
  const fork = uuid();
  folders.codex(fork, [
    codexMeta(fork, { forked_from_id: old, history_base: { thread_id: old, end_ordinal_exclusive: 5 } }),
    codexPerson('Which colour?'),
    ...codexAgent('Teal.'),
  ]);

  const { session, messages } = await importOne('codex', fork);

  expect(said(messages)).toEqual([
    'user: My colour is teal',
    'assistant: Noted, teal.',
    'user: Which colour?',
    'assistant: Teal.',
  ]);
  expect((await exported(session.id)).compactions).toMatchObject([
    { summary: 'The colour is teal.', archivedCount: 2 },
  ]);
});

test('sub-agents of Codex are not offered as sessions', async () => {
  const id = uuid();
  folders.codex(id, [codexMeta(id, { thread_source: 'subagent', parent_thread_id: uuid() }), codexPerson('count')]);
  expect((await list('codex')).sessions.map((each) => each.id)).not.toContain(id);
});

test('a session of Pi is imported along the branch of its last line', async () => {
  const id = uuid();
  folders.pi(
    id,
    [
      { type: 'session', version: 3, id, timestamp: '2026-11-16T10:00:00.000Z', cwd: '/projects/trip' },
      { type: 'model_change', id: 'c0', parentId: null, provider: 'mock', modelId: 'mock' },
      piRecord('s0', 'c0', { message: { role: 'system', content: 'rules' } }),
      piPerson('p1', 's0', 'Look'),
      piAnswer('a1', 'p1', [
        { type: 'thinking', thinking: 'A look first.' },
        { type: 'toolCall', id: 'k1', name: 'bash', arguments: { command: 'ls' } },
      ]),
      piRecord('r1', 'a1', {
        message: {
          role: 'toolResult',
          toolCallId: 'k1',
          toolName: 'bash',
          content: [{ type: 'text', text: 'notes.txt' }],
          isError: false,
        },
      }),
      piAnswer('a2', 'r1', [{ type: 'text', text: 'There is notes.txt.' }]),
      piRecord('b1', 'a2', { message: { role: 'bashExecution', command: 'echo', output: 'hidden' } }),
      piPerson('p2', 'b1', 'The dead end'),
      piAnswer('a3', 'p2', [{ type: 'text', text: 'Dead.' }]),
      piPerson('p3', 'b1', 'The way'),
      piAnswer('a4', 'p3', [{ type: 'text', text: 'Half' }], { stopReason: 'aborted' }),
      { type: 'session_info', id: 'i1', parentId: 'a4', name: 'A walk' },
      { type: 'compaction', id: 'x1', parentId: 'i1', summary: 'There was a look.', firstKeptEntryId: 'p3' },
    ],
    '{"type":"mess',
  );

  const { session, messages } = await importOne('pi', id);

  expect(session).toMatchObject({ title: 'A walk', agentId: 'pi' });
  expect(said(messages)).toEqual(['user: Look', 'assistant: There is notes.txt.', 'user: The way', 'assistant: Half']);
  expect(kinds(messages[1])).toEqual(['reasoning', 'tool_call', 'tool_result', 'text']);
  expect(messages.map(({ archived }) => archived)).toEqual([true, true, false, false]);
  expect(messages[3]?.status).toBe('interrupted');
  expect(messages[2]?.siblings).toHaveLength(2);
  expect(session.attributes.imported).toMatchObject({ usage: { inputTokens: 52, outputTokens: 28 } });
});

test('very long outputs, deep inputs and lines that are not records do not stop an import', async () => {
  const file = new ClaudeFile();
  file.person('Go');
  file.answer('msg_1', [{ type: 'tool_use', id: 'call_big', name: 'Bash', input: { command: 'yes' } }]);
  file.result('call_big', 'y\n'.repeat(400_000));
  file.answer('msg_2', [{ type: 'text', text: 'ü'.repeat(700_000) }]);
  const id = uuid();
  const deep = `{"type":"user","uuid":"deep","message":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`;
  folders.claude(id, file.records, `not json\n${deep}[]\nnull\n`);

  const { messages } = await importOne('claude', id);

  expect(Buffer.byteLength(messages[1]!.text)).toBeLessThanOrEqual(1_000_000);
  expect(messages[1]!.text.endsWith('[cut]')).toBe(true);
  const result = messages[1]!.parts.find((part) => part.type === 'tool_result');
  expect(result?.type === 'tool_result' && result.output.length).toBeLessThanOrEqual(100_000);
});

test('only sessions that were found can be imported', async () => {
  for (const id of ['../../../etc/passwd', uuid()]) {
    const answer = await parley.request('POST', '/api/program-session-imports', { from: 'claude', id });
    expect(answer.status).toBe(404);
  }
  const silent = uuid();
  folders.codex(silent, [codexMeta(silent)]);
  const answer = await parley.request('POST', '/api/program-session-imports', { from: 'codex', id: silent });
  expect(answer).toMatchObject({ status: 422, body: { code: 'import_invalid' } });
});

test('an imported session can be exported and imported again', async () => {
  const file = new ClaudeFile();
  file.person('Hello');
  file.answer('msg_1', [{ type: 'text', text: 'Hello!' }]);
  const id = uuid();
  folders.claude(id, file.records);
  const { session } = await importOne('claude', id);
  const again = await parley.request<Session>('POST', '/api/imports', await exported(session.id));
  expect(again.status).toBe(201);
  expect(again.body.messageCount).toBe(2);
});
