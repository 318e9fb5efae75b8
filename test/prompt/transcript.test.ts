import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttributedMessage } from '../../server/agents/adapter.ts';
import { estimateTokens } from '../../server/agents/prompt/estimate-tokens.ts';
import { framingFor } from '../../server/agents/prompt/framing.ts';
import { labelledTranscript } from '../../server/agents/prompt/labelled-transcript.ts';
import { readAs } from '../../server/agents/prompt/reader.ts';
import { basePrompt, buildSystemPrompt } from '../../server/agents/prompt/system-prompt.ts';

const agent = fc.constantFrom('ada', 'bob', 'wisp/eve');
const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f');
const words = fc
  .array(fc.oneof(lineEnd, fc.constantFrom('User: ', 'ada: ', 'Assistant: ', '  '), fc.string({ maxLength: 6 })), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));
const message: fc.Arbitrary<AttributedMessage> = fc.oneof(
  words.map((text) => ({ role: 'user' as const, agent: null, text })),
  fc.tuple(fc.option(agent), words).map(([name, text]) => ({ role: 'assistant' as const, agent: name, text })),
);
const history = fc.array(message, { maxLength: 10 });

function labelOf({ role, agent: name }: AttributedMessage): string {
  return role === 'user' ? 'User' : (name ?? 'Assistant');
}

describe('a labelled transcript', () => {
  test('reads as seed 000 writes it', () => {
    const said: AttributedMessage[] = [
      { role: 'user', agent: null, text: "hello what's on for today?" },
      { role: 'assistant', agent: 'wisp/concierge', text: 'You have 3 meetings today - a standup at 9am...' },
      { role: 'user', agent: null, text: 'can you clear my afternoon?' },
      { role: 'assistant', agent: null, text: 'Old and\nuntagged' },
    ];
    expect(labelledTranscript(said)).toBe(
      [
        "User: hello what's on for today?",
        'wisp/concierge: You have 3 meetings today - a standup at 9am...',
        'User: can you clear my afternoon?',
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

describe('a history', () => {
  test('keeps its order, its roles and who said what, for every reader', () => {
    fc.assert(
      fc.property(history, agent, (said, reader) => {
        const read = readAs(reader, said, null) as { role: string; text: string }[];
        expect(read.map(({ role }) => role)).toEqual(said.map(({ role }) => role));
        for (const [index, { role, agent: name }] of said.entries()) {
          const tagged = role === 'assistant' && name !== null && name !== reader;
          expect(read[index]!.text.startsWith('<from agent="')).toBe(tagged);
          if (tagged) expect(read[index]!.text.startsWith(`<from agent="${name}">`)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('grows only at its end, whoever reads it', () => {
    fc.assert(
      fc.property(history, history, agent, (before, more, reader) => {
        const earlier = readAs(reader, before, 'A summary');
        expect(readAs(reader, [...before, ...more], 'A summary').slice(0, earlier.length)).toEqual(earlier);
      }),
    );
  });
});

describe('a system prompt', () => {
  const ada = { agentId: 'ada', displayName: 'Ada', description: 'Counts.', systemPrompt: null };

  test('begins with the base, whatever the framing', () => {
    for (const guest of [true, false])
      for (const othersSpoke of [true, false]) {
        const prompt = buildSystemPrompt(ada, { guest, othersSpoke });
        expect(prompt.startsWith('You are Ada. Counts.')).toBe(true);
        expect(prompt).toBe(
          framingFor({ guest, othersSpoke })
            ? `${basePrompt(ada)}\n\n${framingFor({ guest, othersSpoke })}`
            : basePrompt(ada),
        );
      }
    expect(framingFor({ guest: false, othersSpoke: false })).toBeNull();
  });

  test('of an agent with its own words is those words', () => {
    expect(basePrompt({ ...ada, systemPrompt: '  Mine.  ' })).toBe('Mine.');
    expect(basePrompt({ ...ada, systemPrompt: '   ' })).toBe('You are Ada. Counts.');
    expect(basePrompt({ ...ada, description: '' })).toBe('You are Ada.');
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
