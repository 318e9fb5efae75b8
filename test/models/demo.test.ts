import { describe, expect, test } from 'vitest';
import { openModel } from '../../server/models/open.ts';
import type { ModelEvent, ModelMessage, ModelRequest } from '../../server/models/types.ts';
import { collect, endOf, failureIn, LIMITS, request, said } from './setup.ts';

const demo = openModel({ provider: 'demo', model: 'demo-fast' }, LIMITS);

const TALK: readonly ModelMessage[] = [
  { role: 'user', text: 'I would like soup.' },
  { role: 'assistant', text: '<from agent="wisp/concierge">\nThe soup is &lt;hot&gt; today.\n</from>' },
  { role: 'assistant', text: 'I will cook it.' },
];

const ask = (text: string, more: Partial<ModelRequest> = {}) =>
  collect(demo, request(text, { messages: [...TALK, { role: 'user', text }], ...more }));

const answer = async (text: string) => said(await ask(text));

describe('the demo model', () => {
  test('says who it plays, that it is a demo, and who else has spoken', async () => {
    const words = await answer('Good morning');
    expect(words).toContain('This is Ada, played by the offline demo model');
    expect(words).toContain('wisp/concierge said: "The soup is <hot> today."');
  });

  test('gives the same answer to the same request', async () => {
    expect(await ask('Tell me something')).toEqual(await ask('Tell me something'));
  });

  test('lists what can be asked, and everything it lists works as listed', async () => {
    const wishes = (await answer('help')).match(/^- .+$/gm) ?? [];
    expect(wishes.length).toBeGreaterThan(14);
    for (const wish of wishes.filter((line) => !line.includes('stall'))) {
      expect(await answer(wish.slice(2))).not.toContain('Say "help"');
    }
  });

  test.each([
    ['echo hello there', 'hello there'],
    ['count to 5', '1 2 3 4 5'],
    ['repeat what wisp/concierge said', 'wisp/concierge said: "The soup is <hot> today."'],
    ['what did I say?', 'User said: "I would like soup."'],
    ['what did you say?', 'Ada said: "I will cook it."'],
    ['repeat what nobody said', 'I have not seen any message from nobody.'],
    ['who is in this conversation?', 'You are here, and I am Ada. Also here: wisp/concierge.'],
  ])('"%s" is answered with "%s"', async (asked, words) => {
    expect(await answer(asked)).toBe(words);
  });

  test('tells what it was sent', async () => {
    const words = await answer('what did you see?');
    expect(words).toContain('"You are Ada."');
    expect(words).toContain('4 messages and 0 tools');
    expect(words).toContain('- wisp/concierge: "The soup is <hot> today."');
  });

  test('thinks aloud apart from its answer', async () => {
    const events = await ask('think aloud');
    expect(said(events, 'reasoning')).toContain('The question is');
    expect(events.findIndex(({ type }) => type === 'text')).toBeGreaterThan(3);
  });

  test('shows markdown: a table, code and a list', async () => {
    expect(await answer('show markdown')).toMatch(/- \*\*bold\*\*[\s\S]*\| --- \| --- \|[\s\S]*```ts/);
  });

  test('gives a long answer in many pieces', async () => {
    expect((await ask('give a long answer')).length).toBeGreaterThan(500);
  });

  test('fails, fails midway, overflows and stalls when asked to', async () => {
    expect(failureIn(await ask('fail')).code).toBe('model_rejected');
    const midway = await ask('fail midway');
    expect([said(midway), failureIn(midway).code]).toEqual(["I'll say this much, and then", 'model_stream_broken']);
    expect(endOf(await ask('overflow')).reason).toBe('context_overflow');
    expect(endOf(await ask('overflow above 100')).reason).toBe('context_overflow');
    expect(await answer('overflow above 10000')).toContain('It fits');
    const impatient = openModel({ provider: 'demo', model: 'demo-fast' }, { ...LIMITS, idleMs: 30 });
    expect(failureIn(await collect(impatient, request('stall'))).code).toBe('model_idle_timeout');
  });

  test('summarises, naming everybody, whether the talk is in the messages or quoted', async () => {
    const fromMessages = await answer('Summarise the conversation');
    expect(fromMessages).toContain('Summary of 3 messages');
    expect(fromMessages).toContain('- wisp/concierge: The soup is <hot> today.');
    expect(fromMessages).toContain('- Ada: I will cook it.');
    const transcript = 'User: I would like soup.\nwisp/concierge: The soup is hot.';
    const system = 'You summarise conversations.';
    const quoted = said(await collect(demo, request(`Here it is:\n${transcript}`, { system })));
    expect(quoted).toContain('- User: I would like soup.\n- wisp/concierge: The soup is hot.');
  });

  test('reports plausible usage', async () => {
    expect((await ask('hi')).find(({ type }) => type === 'usage')).toMatchObject({
      usage: { inputTokens: expect.any(Number) },
    });
  });
});

describe('tools', () => {
  const tools = [
    {
      name: 'files__read',
      description: 'Reads',
      inputSchema: { type: 'object', properties: { path: {} }, required: ['path'] },
    },
  ];

  test.each([
    ['use files__read with path=a.txt', '{"path":"a.txt"}'],
    ['please call the tool `files__read` with {"path":"b.txt","lines":3}', '{"path":"b.txt","lines":3}'],
    ['Use files__read on "my notes.txt"', '{"path":"my notes.txt"}'],
    ['use files__read', '{}'],
  ])('"%s" calls it with %s', async (text, input) => {
    const events = await ask(text, { tools });
    expect(events).toContainEqual({ type: 'tool_call', id: 'demo_call_4', name: 'files__read', input });
    expect(endOf(events).reason).toBe('tool_calls');
  });

  test('what the tool gave back is told', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', text: 'use files__read with path=a' },
      { role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'files__read', input: '{"path":"a"}' }] },
      { role: 'tool', results: [{ id: '1', name: 'files__read', output: 'forty-two', isError: false }] },
    ];
    expect(said(await collect(demo, request('', { messages, tools })))).toBe('files__read: forty-two');
  });

  test('a tool that is not offered is not called', async () => {
    expect(endOf(await ask('use files__read with path=a')).reason).toBe('stop');
  });
});

test('the unhurried demo talks at about the pace of a real model and stops when told', async () => {
  const aborter = new AbortController();
  const started = Date.now();
  const events: ModelEvent[] = [];
  for await (const event of openModel({ provider: 'demo', model: 'demo' }, LIMITS).stream(
    request('count to 500'),
    aborter.signal,
  )) {
    events.push(event);
    if (events.length === 10) setTimeout(() => aborter.abort());
  }
  expect(endOf(events).reason).toBe('aborted');
  expect(Date.now() - started).toBeGreaterThan(180);
});
