import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ModelMessage, ModelRequest } from '../../server/models/types.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { collect, KEY, open, REMOTE, request } from './setup.ts';

const [OPENAI, COMPATIBLE, ANTHROPIC] = REMOTE;
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await ScriptedProvider.start();
});
afterAll(() => provider.close());

const TALK: readonly ModelMessage[] = [
  { role: 'user', text: 'What is in the file?' },
  { role: 'assistant', text: '<from agent="wisp">I do not know</from>' },
  { role: 'assistant', text: 'Let me look', toolCalls: [{ id: 'c1', name: 'read', input: '{"path":"a.txt"}' }] },
  { role: 'tool', results: [{ id: 'c1', name: 'read', output: 'forty-two', isError: false }] },
  { role: 'user', text: 'Thanks' },
];

const TOOL = {
  name: 'read',
  description: 'Reads a file',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

const FULL: ModelRequest = {
  system: 'You are Ada.',
  messages: TALK,
  tools: [TOOL],
  maxOutputTokens: 1000,
  reasoningEffort: 'low',
};

async function sent(remote: (typeof REMOTE)[number], asked: ModelRequest) {
  await collect(open(remote, provider.url), asked);
  return provider.requests.at(-1)!;
}

test('OpenAI gets a Responses request that stores nothing there', async () => {
  const { method, path, headers, body } = await sent(OPENAI, FULL);
  expect([method, path, headers.authorization]).toEqual(['POST', '/v1/responses', `Bearer ${KEY}`]);
  expect(body).toEqual({
    model: 'gpt-5.1',
    stream: true,
    store: false,
    max_output_tokens: 1000,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'low', summary: 'auto' },
    tools: [
      {
        type: 'function',
        name: 'read',
        description: 'Reads a file',
        parameters: expect.objectContaining(TOOL.inputSchema),
        strict: false,
      },
    ],
    input: [
      { role: 'developer', content: 'You are Ada.' },
      { role: 'user', content: [{ type: 'input_text', text: 'What is in the file?' }] },
      { role: 'assistant', content: '<from agent="wisp">I do not know</from>' },
      { role: 'user', content: [{ type: 'input_text', text: '[You also answered:]' }] },
      { role: 'assistant', content: 'Let me look' },
      { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a.txt"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'forty-two' },
      { role: 'user', content: [{ type: 'input_text', text: 'Thanks' }] },
    ],
  });
});

test('a compatible server gets a chat-completions request that asks for usage', async () => {
  const { method, path, headers, body } = await sent(COMPATIBLE, FULL);
  expect([method, path, headers.authorization]).toEqual(['POST', '/v1/chat/completions', `Bearer ${KEY}`]);
  expect(body).toEqual({
    model: 'local',
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 1000,
    reasoning_effort: 'low',
    tools: [
      { type: 'function', function: { name: 'read', description: 'Reads a file', parameters: TOOL.inputSchema } },
    ],
    messages: [
      { role: 'system', content: 'You are Ada.' },
      { role: 'user', content: 'What is in the file?' },
      { role: 'assistant', content: '<from agent="wisp">I do not know</from>' },
      { role: 'user', content: '[You also answered:]' },
      {
        role: 'assistant',
        content: 'Let me look',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'forty-two' },
      { role: 'user', content: 'Thanks' },
    ],
  });
});

test('Anthropic gets a Messages request whose stable prefix is marked for its cache', async () => {
  const { method, path, headers, body } = await sent(ANTHROPIC, FULL);
  expect([method, path, headers['x-api-key']]).toEqual(['POST', '/v1/messages', KEY]);
  expect(body).toEqual({
    model: 'claude-sonnet-4-5',
    stream: true,
    max_tokens: expect.any(Number),
    thinking: { type: 'enabled', budget_tokens: expect.any(Number) },
    system: [{ type: 'text', text: 'You are Ada.', cache_control: { type: 'ephemeral' } }],
    tools: [expect.objectContaining({ name: 'read', description: 'Reads a file', input_schema: TOOL.inputSchema })],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'What is in the file?' }] },
      { role: 'assistant', content: [{ type: 'text', text: '<from agent="wisp">I do not know</from>' }] },
      { role: 'user', content: [{ type: 'text', text: '[You also answered:]' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me look' },
          { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a.txt' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'forty-two', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'Thanks' },
        ],
      },
    ],
  });
});

for (const remote of REMOTE) {
  test(`a guest turn sends ${remote.provider} no tools and no choice of tools`, async () => {
    const { body } = await sent(remote, request());
    expect(body).not.toHaveProperty('tools');
    expect(body).not.toHaveProperty('tool_choice');
  });

  test(`the prefix that ${remote.provider} reads stays the same when the conversation grows`, async () => {
    const before = await sent(remote, { ...FULL, tools: [], messages: TALK.slice(0, 1) });
    const after = await sent(remote, { ...FULL, tools: [] });
    const words = (body: Record<string, unknown>) => JSON.stringify(body.input ?? body.messages);
    expect(words(after.body).slice(0, words(before.body).length - 2)).toBe(words(before.body).slice(0, -2));
  });

  test(`broken tool arguments in the history do not break a request to ${remote.provider}`, async () => {
    const toolCalls = [{ id: 'c1', name: 'read', input: '{"path": "a.t' }];
    const results = [{ id: 'c1', name: 'read', output: 'not JSON', isError: true }];
    const messages: ModelMessage[] = [
      ...TALK.slice(0, 1),
      { role: 'assistant', text: '', toolCalls },
      { role: 'tool', results },
    ];
    const { body } = await sent(remote, { ...request(), messages, tools: [TOOL] });
    expect(JSON.stringify(body)).toContain('invalid_json');
  });
}

test('an empty key sends no authorization to a compatible server', async () => {
  const { openModel } = await import('../../server/models/open.ts');
  const { LIMITS } = await import('./setup.ts');
  await collect(openModel({ ...COMPATIBLE, baseUrl: `${provider.url}/v1/` }, LIMITS));
  expect(provider.requests.at(-1)?.headers).not.toHaveProperty('authorization');
});

test('base URLs are understood with and without the version, a slash or the endpoint', async () => {
  for (const [remote, endpoint] of [
    [OPENAI, '/responses'],
    [COMPATIBLE, '/chat/completions'],
    [ANTHROPIC, '/messages'],
  ] as const) {
    for (const tail of ['', '/', '/v1', '/v1/', `/v1${endpoint}`]) {
      await collect(open(remote, provider.url + tail));
      expect(provider.requests.at(-1)?.path).toBe(`/v1${endpoint}`);
    }
  }
});

test('a base URL with a path of its own keeps it, and Anthropic still gets its version', async () => {
  await collect(open(COMPATIBLE, `${provider.url}/api/paas/v4`));
  expect(provider.requests.at(-1)?.path).toBe('/api/paas/v4/chat/completions');
  await collect(open(ANTHROPIC, `${provider.url}/anthropic`));
  expect(provider.requests.at(-1)?.path).toBe('/anthropic/v1/messages');
});

test('while tool results are the last thing said, Anthropic is not asked to think', async () => {
  const { body } = await sent(ANTHROPIC, { ...FULL, messages: TALK.slice(0, 4) });
  expect(body.thinking).toEqual({ type: 'disabled' });
});

test('a conversation that an assistant opens is given a first user message for Anthropic', async () => {
  const { body } = await sent(ANTHROPIC, { ...request(), messages: TALK.slice(1, 2) });
  expect((body.messages as { role: string }[]).map(({ role }) => role)).toEqual(['user', 'assistant']);
});
