import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChatReader } from '../../server/models/chat-stream.ts';
import type { ModelEvent } from '../../server/models/types.ts';
import { ChatWire } from '../harness/scripted-wire-chat.ts';

describe('any cutting of the bytes', () => {
  test('gives the same events', () => {
    fc.assert(
      fc.property(answers(), fc.array(fc.nat({ max: 400 }), { maxLength: 40 }), (bytes, cuts) => {
        expect(readInPieces(bytes, cuts)).toEqual(readInPieces(bytes, []));
      }),
      { numRuns: 300 },
    );
  });

  test('gives the same fault after the same events when the stream goes bad', () => {
    const bad = ['data: {"choi\n\n', 'data: {"error":{"message":"no"}}\n\n', `data: ${'x'.repeat(3000)}\n\n`];
    fc.assert(
      fc.property(answers(), fc.constantFrom(...bad), fc.array(fc.nat({ max: 200 })), (bytes, tail, cuts) => {
        const all = Buffer.concat([bytes.subarray(0, bytes.lastIndexOf('data: [DONE]')), Buffer.from(tail)]);
        expect(readInPieces(all, cuts)).toEqual(readInPieces(all, []));
      }),
      { numRuns: 200 },
    );
  });

  test('at every byte keeps letters of several bytes whole', () => {
    const wire = new ChatWire('m');
    const bytes = Buffer.from(wire.text('世界 👩‍👧 ü') + wire.finish('stop', { input: 1, output: 1 }) + wire.done());
    const { events } = readInPieces(
      bytes,
      Array.from({ length: bytes.length }, () => 1),
    );
    expect(events[0]).toEqual({ type: 'text', text: '世界 👩‍👧 ü' });
  });
});

describe('what servers send', () => {
  const read = (stream: string) => readInPieces(Buffer.from(stream), []);
  const chunk = (choice: object, more: object = {}) => `data: ${JSON.stringify({ choices: [choice], ...more })}\n\n`;
  const words = (content: string) => chunk({ delta: { content } });
  const STOP = chunk({ delta: {}, finish_reason: 'stop' });
  const HI: ModelEvent = { type: 'text', text: 'hi' };
  const END: ModelEvent = { type: 'end', reason: 'stop' };

  test.each([
    ['no [DONE]', words('hi') + STOP],
    ['two [DONE]', `${words('hi')}${STOP}data: [DONE]\n\ndata: [DONE]\n\n`],
    ['[DONE] without a finish reason', `${words('hi')}data: [DONE]\n\n`],
    ['words after [DONE]', `${words('hi')}${STOP}data: [DONE]\n\n${words('late')}`],
    ['no space after the colon', words('hi').replace('data: ', 'data:') + STOP],
    ['no blank line at the end', words('hi') + STOP.trimEnd()],
    ['no blank lines between events', (words('hi') + STOP).replaceAll('\n\n', '\n')],
    ['CRLF', (words('hi') + STOP).replaceAll('\n', '\r\n')],
    ['CR alone', (words('hi') + STOP).replaceAll('\n', '\r')],
    ['a byte order mark', `\uFEFF${words('hi')}${STOP}`],
    ['comments, ids and retries', `: OPENROUTER PROCESSING\n\nid: 7\nretry: 10\n${words('hi')}:\n\n${STOP}`],
    ['data over several lines', `data: {"choices":[{"delta":\ndata: {"content":"hi"}}]}\n\n${STOP}`],
    ['events without choices', `data: {"choices":[]}\n\ndata: {}\n\n${words('hi')}${STOP}`],
    ['empty data', `data:\n\n${words('hi')}${STOP}`],
    ['one whole message', chunk({ message: { content: 'hi' }, finish_reason: 'stop' })],
    ['content in parts', chunk({ delta: { content: [{ type: 'text', text: 'hi' }] } }) + STOP],
  ])('%s', (_name, stream) => {
    expect(read(stream).events).toEqual([HI, END]);
  });

  test.each(['reasoning_content', 'reasoning'])('reasoning under the name of %s', (name) => {
    expect(read(chunk({ delta: { [name]: 'hm' } }) + STOP).events).toEqual([{ type: 'reasoning', text: 'hm' }, END]);
  });

  test('reasoning under both names is heard once', () => {
    const both = chunk({ delta: { reasoning: 'hm', reasoning_content: 'hm' } });
    expect(read(both + STOP).events).toEqual([{ type: 'reasoning', text: 'hm' }, END]);
  });

  test('thinking as a part of the content', () => {
    const part = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
    expect(read(chunk({ delta: { content: [part] } }) + STOP).events).toEqual([{ type: 'reasoning', text: 'hm' }, END]);
  });

  const call = (call: object) => chunk({ delta: { tool_calls: [call] } });
  const fn = (name: string | undefined, args: unknown) => ({ function: { name, arguments: args } });

  test.each([
    ['without an index', call({ id: 'a', ...fn('f', '{"x"') }) + call(fn(undefined, ':1}'))],
    [
      'with the id in each piece',
      call({ index: 0, id: 'a', ...fn('f', '{"x"') }) + call({ index: 0, id: 'a', ...fn('', ':1}') }),
    ],
    [
      'with the name in each piece',
      call({ index: 0, id: 'a', ...fn('f', '{"x"') }) + call({ index: 0, ...fn('f', ':1}') }),
    ],
    ['with arguments as an object', call({ index: 0, id: 'a', ...fn('f', { x: 1 }) })],
  ])('a tool call %s', (_name, stream) => {
    const { events } = read(stream + STOP);
    expect(events).toEqual([
      { type: 'tool_call', id: 'a', name: 'f', input: '{"x":1}' },
      { type: 'end', reason: 'tool_calls' },
    ]);
  });

  test('two tool calls that share an index are told apart by their ids', () => {
    const stream = call({ index: 0, id: 'a', ...fn('f', '{}') }) + call({ index: 0, id: 'b', ...fn('g', '{}') }) + STOP;
    expect(read(stream).events.filter(({ type }) => type === 'tool_call')).toHaveLength(2);
  });

  test('a tool call without arguments gets an empty object, and without an id one of its own', () => {
    const [made] = read(call({ index: 0, ...fn('f', '') }) + STOP).events;
    expect(made).toMatchObject({ type: 'tool_call', name: 'f', input: '{}', id: expect.stringMatching(/^call_/) });
  });

  test('usage is reported once, however often it is sent', () => {
    const usage = (n: number) =>
      chunk({ delta: { content: 'x' } }, { usage: { prompt_tokens: 3, completion_tokens: n } });
    const { events } = read(usage(1) + usage(2) + STOP);
    expect(events.filter(({ type }) => type === 'usage')).toEqual([
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 2 } },
    ]);
  });

  test('an event at the limit is read and one past it is not', () => {
    const stream = words('x'.repeat(500));
    const size = stream.length - 2;
    expect(readInPieces(Buffer.from(stream + STOP), [], size).fault).toBe('');
    expect(readInPieces(Buffer.from(stream + STOP), [], size - 1).fault).toMatch(/more than/);
  });

  test('pings and empty deltas are no progress', () => {
    const reader = new ChatReader(1000);
    expect(reader.push(': ping\n\n')).toBeUndefined();
    expect(reader.push('data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n')).toBeUndefined();
  });
});

/** Whole answers as a server would send them, well formed but of any content. */
function answers(): fc.Arbitrary<Buffer> {
  const wire = new ChatWire('m');
  const frame = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => wire.text(text)),
    fc.string({ unit: 'binary', maxLength: 8 }).map((text) => wire.text(text)),
    fc.string().map((text) => wire.reasoning(text)),
    fc.constant(': ping\n\n'),
    fc.string().map((input) => wire.toolCall(`c${input.length}`, 'tool', [input, input])),
  );
  const ending = wire.finish('stop', { input: 1, output: 2 }) + wire.done();
  return fc.tuple(fc.array(frame, { maxLength: 12 }), fc.constantFrom('\n', '\r\n', '\r')).map(([frames, lineEnd]) => {
    return Buffer.from((frames.join('') + ending).replaceAll('\n', lineEnd));
  });
}

function readInPieces(bytes: Buffer, cuts: readonly number[], limit = 2000): { events: ModelEvent[]; fault: string } {
  const reader = new ChatReader(limit);
  const decoder = new TextDecoder();
  const events: ModelEvent[] = [];
  try {
    for (const piece of cutUp(bytes, cuts)) {
      events.push(...(reader.push(decoder.decode(piece, { stream: true })) ?? []));
      if (reader.fault) throw reader.fault;
    }
    events.push(...reader.end());
    return { events, fault: '' };
  } catch (error) {
    return { events, fault: (error as Error).message };
  }
}

function cutUp(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(bytes.subarray(at, at + size));
    at = Math.min(at + size, bytes.length);
  }
  return [...pieces, bytes.subarray(at)];
}
