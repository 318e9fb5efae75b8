import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatBody } from '../../server/models/chat-request.ts';
import type { ModelEvent, ModelMessage, ModelRequest, ModelToolCall } from '../../server/models/types.ts';
import { ScriptedProvider } from '../harness/scripted-provider.ts';
import { reasoning, type Step, text } from '../harness/scripted-script.ts';
import { collect, open, REMOTE, type Remote, request, said } from './setup.ts';

const [OPENAI, COMPATIBLE, ANTHROPIC] = REMOTE;
const mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 5 });
let provider: ScriptedProvider;

const TOOL = { name: 'lookup', description: 'Looks up a city', inputSchema: { type: 'object', properties: {} } };
const LOOKUP = { name: 'lookup', arguments: '{"city":"Bern"}', id: 'toolu_1' };

beforeAll(async () => {
  mock.on(
    { userMessage: 'look' },
    {
      content: 'Let me see.',
      toolCalls: [LOOKUP],
      reasoning: 'Bern is a city.',
      reasoningSignature: 'c2lnbmVk',
      redactedThinking: ['c2VjcmV0'],
    },
  );
  await mock.start();
  provider = await ScriptedProvider.start();
});
afterAll(async () => {
  await provider.close();
  await mock.stop();
});

const asked = (more: Partial<ModelRequest> = {}) => request('look', { tools: [TOOL], reasoningEffort: 'low', ...more });

/** The step that an answer was, with the results of its calls, as it goes into the next request. */
function stepOf(events: readonly ModelEvent[], words = said(events)): ModelMessage[] {
  const toolCalls = events.flatMap((event): ModelToolCall[] =>
    event.type === 'tool_call' ? [{ id: event.id, name: event.name, input: event.input }] : [],
  );
  const opaque = events.find((event) => event.type === 'opaque')?.value;
  const results = toolCalls.map(({ id, name }) => ({ id, name, output: 'sunny', isError: false }));
  const stored: unknown = JSON.parse(JSON.stringify(opaque ?? null));
  return [
    { role: 'assistant', text: words, toolCalls, ...(opaque !== undefined && { opaque: stored }) },
    { role: 'tool', results },
  ];
}

async function sentNext(remote: Remote, step: readonly ModelMessage[], more: Partial<ModelRequest> = {}) {
  provider.script(() => ({ steps: text('Sunny.') }));
  await collect(open(remote, provider.url), asked({ messages: [{ role: 'user', text: 'look' }, ...step], ...more }));
  return provider.requests.at(-1)!.body;
}

const contents = (body: Record<string, unknown>) => (body.messages as { content: unknown }[])[1]!.content;

describe('Anthropic', () => {
  test('gets its thinking back with the calls, signed and sealed as it was, and goes on thinking', async () => {
    const events = await collect(open(ANTHROPIC, mock.url), asked());
    expect(events.map(({ type }) => type).slice(-4)).toEqual(['tool_call', 'opaque', 'usage', 'end']);
    const body = await sentNext(ANTHROPIC, stepOf(events));
    expect(contents(body)).toMatchObject([
      { type: 'redacted_thinking', data: 'c2VjcmV0' },
      { type: 'thinking', thinking: 'Bern is a city.', signature: 'c2lnbmVk' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'toolu_1', name: 'lookup', input: { city: 'Bern' } },
    ]);
    expect(body.thinking).toMatchObject({ type: 'enabled' });
  });

  test('gets thinking back where it stood between words and calls', async () => {
    const call: Step = { kind: 'toolCall', id: 'c1', name: 'lookup', input: '{}' };
    provider.script(() => ({
      steps: [...reasoning('First'), ...text('Well, ', 'now.'), ...reasoning('Second'), call],
    }));
    const events = await collect(open(ANTHROPIC, provider.url), asked());
    expect(contents(await sentNext(ANTHROPIC, stepOf(events)))).toMatchObject([
      { type: 'thinking', thinking: 'First', signature: 'c2ln' },
      { type: 'text', text: 'Well, now.' },
      { type: 'thinking', thinking: 'Second', signature: 'c2ln' },
      { type: 'tool_use', id: 'c1' },
    ]);
    const body = await sentNext(ANTHROPIC, stepOf(events, 'Well.'));
    expect((contents(body) as { type: string }[]).map(({ type }) => type)).toEqual([
      'thinking',
      'thinking',
      'text',
      'tool_use',
    ]);
  });

  test('keeps thinking through later steps, and stops when the first calls came without', async () => {
    const first = stepOf(await collect(open(ANTHROPIC, mock.url), asked()));
    const plain = stepOf([{ type: 'tool_call', id: 'c2', name: 'lookup', input: '{}' }]);
    expect((await sentNext(ANTHROPIC, [...first, ...plain])).thinking).toMatchObject({ type: 'enabled' });
    const body = await sentNext(ANTHROPIC, [...plain, ...first]);
    expect(body.thinking).toEqual({ type: 'disabled' });
    expect(JSON.stringify(body)).not.toContain('c2lnbmVk');
  });

  test('thinks about a new question, whatever calls were made for an old one', async () => {
    const old = stepOf([{ type: 'tool_call', id: 'c2', name: 'lookup', input: '{}' }]);
    const step = stepOf(await collect(open(ANTHROPIC, mock.url), asked()));
    const talk: ModelMessage[] = [...old, { role: 'assistant', text: 'Sunny.' }, { role: 'user', text: 'look again' }];
    expect((await sentNext(ANTHROPIC, [...talk, ...step])).thinking).toMatchObject({ type: 'enabled' });
  });

  test('is not bothered with thoughts of another provider', async () => {
    const step = stepOf(await collect(open(OPENAI, mock.url), asked()));
    expect(step[0]).toHaveProperty('opaque');
    const body = await sentNext(ANTHROPIC, step);
    expect((contents(body) as { type: string }[]).map(({ type }) => type)).toEqual(['text', 'tool_use']);
    expect(body.thinking).toEqual({ type: 'disabled' });
  });

  test('has nothing to send back when it called nothing', async () => {
    provider.script(() => ({ steps: [...reasoning('Hm.'), ...text('Hi.')] }));
    const events = await collect(open(ANTHROPIC, provider.url), asked());
    expect(events.map(({ type }) => type)).toEqual(['reasoning', 'text', 'usage', 'end']);
  });
});

describe('OpenAI', () => {
  test('gets its reasoning back before the calls, encrypted as it was', async () => {
    const events = await collect(open(OPENAI, mock.url), asked());
    const { input } = (await sentNext(OPENAI, stepOf(events))) as { input: { type?: string }[] };
    expect(input.slice(2)).toMatchObject([
      {
        type: 'reasoning',
        encrypted_content: expect.stringMatching(/.{20,}/),
        summary: [{ type: 'summary_text', text: 'Bern is a city.' }],
      },
      { role: 'assistant', content: 'Let me see.' },
      { type: 'function_call', call_id: 'toolu_1', name: 'lookup' },
      { type: 'function_call_output', call_id: 'toolu_1', output: 'sunny' },
    ]);
  });

  test('is not bothered with thoughts of another provider', async () => {
    const step = stepOf(await collect(open(ANTHROPIC, mock.url), asked()));
    expect(JSON.stringify(await sentNext(OPENAI, step))).not.toContain('c2lnbmVk');
  });
});

describe('a compatible server', () => {
  test('that tells its thoughts gets them back with its calls', async () => {
    const events = await collect(open(COMPATIBLE, mock.url), asked());
    const body = await sentNext(COMPATIBLE, stepOf(events));
    expect((body.messages as object[])[2]).toMatchObject({ role: 'assistant', reasoning_content: 'Bern is a city.' });
  });

  test('that does not gets nothing new', async () => {
    const plain = stepOf([{ type: 'tool_call', id: 'c2', name: 'lookup', input: '{}' }]);
    const foreign = stepOf(await collect(open(ANTHROPIC, mock.url), asked()));
    for (const step of [plain, foreign])
      expect((await sentNext(COMPATIBLE, step)).messages).not.toContainEqual(
        expect.objectContaining({ reasoning_content: expect.anything() }),
      );
  });
});

test('a message means the same to every provider, whoever read it first', async () => {
  const step = stepOf(await collect(open(ANTHROPIC, mock.url), asked()));
  await sentNext(OPENAI, step);
  expect(JSON.stringify(await sentNext(ANTHROPIC, step))).toContain('c2lnbmVk');
  expect(JSON.stringify(await sentNext(OPENAI, step))).not.toContain('c2lnbmVk');
});

test('the same tools are written down once', () => {
  let written = 0;
  const inputSchema = { toJSON: () => ({ type: 'object', written: ++written }) };
  const tools = [{ ...TOOL, inputSchema }];
  const bodies = [1, 2, 3].map((turn) => chatBody('local', request(`${turn}`, { tools })));
  expect(bodies.map((body) => JSON.parse(body).tools[0].function.parameters.written)).toEqual([1, 1, 1]);
});

test('tools are told alike in every request, and anew when they are others', async () => {
  const tools = [TOOL];
  const first = await sentNext(COMPATIBLE, [], { tools });
  expect((await sentNext(COMPATIBLE, [], { tools })).tools).toEqual(first.tools);
  const other = [{ ...TOOL, name: 'other' }];
  expect((await sentNext(COMPATIBLE, [], { tools: other })).tools).toMatchObject([{ function: { name: 'other' } }]);
  expect(await sentNext(COMPATIBLE, [], { tools: [] })).not.toHaveProperty('tools');
});
