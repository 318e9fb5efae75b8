import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toolInput } from '../../cli/tool-input.ts';
import { readToolWords } from '../../cli/tool-words.ts';
import type { ToolInfo } from '../../contract/tools.ts';

const TOOL: ToolInfo = {
  name: 'shop_order',
  description: 'Order something.',
  inputSchema: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      amount: { type: 'integer' },
      gift: { type: 'boolean' },
      dueDate: { type: 'string' },
      tags: { type: 'array', items: { type: 'string' } },
      sizes: { type: 'array', items: { type: 'number' } },
      anything: {},
    },
  },
  capabilities: [],
  source: { kind: 'plugin', id: 'shop' },
  risk: 'write',
};

function inputOf(words: string[], tool: ToolInfo | undefined = TOOL, piped = ''): unknown {
  return toolInput(readToolWords(['shop', 'order', ...words]), tool, piped);
}

describe('what is typed for a tool', () => {
  test.each([
    [['--text', 'milk'], { text: 'milk' }],
    [['--text=oat milk'], { text: 'oat milk' }],
    [['--text=a=b'], { text: 'a=b' }],
    [['--text', '2024'], { text: '2024' }],
    [['--amount', '3'], { amount: 3 }],
    [['--amount', '-3'], { amount: -3 }],
    [['--gift'], { gift: true }],
    [['--gift', '--amount', '1'], { gift: true, amount: 1 }],
    [['--gift', 'false'], { gift: false }],
    [['--due-date', '2026-11-01'], { dueDate: '2026-11-01' }],
    [['--due_date', 'x'], { dueDate: 'x' }],
    [['--tags', 'a', '--tags', '7'], { tags: ['a', '7'] }],
    [['--tags', 'a'], { tags: ['a'] }],
    [['--tags', '["a","b"]'], { tags: ['a', 'b'] }],
    [['--sizes', '1', '--sizes', '2.5'], { sizes: [1, 2.5] }],
    [['--anything', '{"a":[1]}'], { anything: { a: [1] } }],
    [['--anything', '{broken'], { anything: '{broken' }],
    [['--other', '1.5', '--other', 'true'], { other: [1.5, true] }],
    [['--other', '007'], { other: '007' }],
    [['--other', '1e999'], { other: '1e999' }],
    [['--json', '{"text":"a","amount":1}', '--amount', '2'], { text: 'a', amount: 2 }],
    [['--text', '--json={"amount":1}'], { text: true, amount: 1 }],
  ])('%j becomes %j', (words, input) => {
    expect(inputOf(words)).toEqual(input);
  });

  test('a value can come from a pipe', () => {
    expect(inputOf(['--text', '-', '--amount', '1'], TOOL, 'a long\nstory')).toEqual({
      text: 'a long\nstory',
      amount: 1,
    });
    expect(readToolWords(['shop', 'order', '-']).fromPipe).toBe(true);
  });

  test.each([
    [['--json'], 'Give the input after --json'],
    [['--json', '[1]'], 'must be a JSON object'],
    [['--json', 'nope'], 'not valid JSON'],
    [['--text', 'a', 'b'], 'Unexpected argument b'],
    [['third'], 'Unexpected argument third'],
  ])('%j is refused with words', (words, message) => {
    expect(() => inputOf(words)).toThrow(message);
  });

  test('keys that mean something to JavaScript are just keys', () => {
    const input = inputOf(['--__proto__', 'x', '--constructor', 'y']);
    expect(JSON.stringify(input)).toBe('{"__proto__":"x","constructor":"y"}');
  });

  test('text stays exactly the text for a tool that wants text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(inputOf([`--text=${text}`])).toEqual({ text: text === '-' ? '' : text });
      }),
    );
  });
});
