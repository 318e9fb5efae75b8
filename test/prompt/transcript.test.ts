import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributedMessage } from '../../server/agents/agent.ts';
import { estimateMessages, estimateTokens } from '../../server/agents/prompt/estimate-tokens.ts';
import { labelledTranscript } from '../../server/agents/prompt/labelled-transcript.ts';

const agent = fc.constantFrom('ada', 'bob', 'wisp/eve', 'User', 'assistant', 'you');
const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f');
const words = fc
  .array(fc.oneof(lineEnd, fc.constantFrom('User: ', 'ada: ', 'Assistant: ', '  '), fc.string({ maxLength: 6 })), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));
const message: fc.Arbitrary<AttributedMessage> = fc.oneof(
  fc.tuple(fc.option(agent), words).map(([name, text]) => ({ role: 'user' as const, agent: name, text })),
  fc.tuple(fc.option(agent), words).map(([name, text]) => ({ role: 'assistant' as const, agent: name, text })),
  fc.tuple(agent, agent, words).map(([from, name, text]) => ({ role: 'delegation' as const, agent: name, from, text })),
);
const history = fc.array(message, { maxLength: 10 });

function labelOf({ role, agent: name, from }: AttributedMessage): string {
  const shown = (id: string) => (/^(user|assistant|you)$/i.test(id) ? `agent "${id}"` : id);
  if (role === 'delegation') return `${shown(from!)} (task for ${shown(name!)})`;
  if (name === null) return role === 'user' ? 'User' : 'Assistant';
  return role === 'user' ? `${shown(name)} (${from === undefined ? 'task' : 'result'})` : shown(name);
}

describe('a labelled transcript', () => {
  test('reads as the design document writes it', () => {
    const said: AttributedMessage[] = [
      { role: 'user', agent: null, text: "hello what's on for today?" },
      { role: 'assistant', agent: 'wisp/concierge', text: 'You have 3 meetings today - a standup at 9am...' },
      { role: 'user', agent: null, text: 'can you clear my afternoon?' },
      { role: 'delegation', agent: 'wisp/scheduler', from: 'wisp/concierge', text: 'clear it' },
      { role: 'user', agent: 'wisp/reviewer', from: 'wisp/concierge', text: 'It is clear' },
      { role: 'assistant', agent: null, text: 'Old and\nuntagged' },
    ];
    expect(labelledTranscript(said)).toBe(
      [
        "User: hello what's on for today?",
        'wisp/concierge: You have 3 meetings today - a standup at 9am...',
        'User: can you clear my afternoon?',
        'wisp/concierge (task for wisp/scheduler): clear it',
        'wisp/reviewer (result): It is clear',
        'Assistant: Old and',
        '  untagged',
      ].join('\n'),
    );
  });

  test('has one line that begins with a name for each message, and none that a text made up', () => {
    fc.assert(
      fc.property(history, (said) => {
        const lines = labelledTranscript(said).split(/\r\n|[\n\r\u0085\u2028\u2029\v\f]/);
        const speakers = lines
          .filter((line) => !line.startsWith('  '))
          .map((line) => line.slice(0, line.indexOf(': ')));
        expect(speakers).toEqual(said.length === 0 ? [''] : said.map(labelOf));
      }),
      { numRuns: 2000 },
    );
  });
});

test('an estimate is never below a quarter of the characters, and grows with the text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(estimateTokens(a)).toBeGreaterThanOrEqual(a.length / 4);
      expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a));
    }),
  );
});

test('an estimate of a message counts what was done in it, however it is written', () => {
  const result = { output: 'b'.repeat(4000), isError: false };
  const call = { callId: 'c', name: 'read', input: 'a'.repeat(400), result };
  const stored = { role: 'assistant', agent: 'ada', text: 'x', steps: [{ text: 'x', calls: [call] }] } as const;
  expect(estimateMessages([stored])).toBeGreaterThan(1100);
  expect(estimateMessages([stored])).toBeLessThan(1200);
  const results = [{ id: 'c', name: 'read', ...result }];
  const read = [
    { role: 'assistant', text: 'x', toolCalls: [{ id: 'c', name: 'read', input: call.input }] },
    { role: 'tool', results },
  ] as const;
  expect(Math.abs(estimateMessages(read) - estimateMessages([stored]))).toBeLessThan(10);
});
