import fc from 'fast-check';
import type { Said, Summarised } from './stored-sessions.ts';

const AGENTS = ['wisp/concierge', 'wisp/scheduler', 'a_b', 'user'];

/** Sessions with several branches, guests, untagged and interrupted voices, summaries and any text. */
export const conversations: fc.Arbitrary<{ said: Said[]; summaries: Summarised[] }> = fc
  .array(
    fc.record({
      by: fc.constantFrom(...AGENTS, null, undefined),
      guest: fc.boolean(),
      interrupted: fc.boolean(),
      text: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), lines(), fc.constant('')),
      back: fc.integer({ min: 0, max: 3 }),
      at: fc.integer({ min: 0, max: 4_000_000_000_000 }),
      reasoning: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .chain((drafts) => fc.record({ drafts: fc.constant(drafts), upto: fc.array(fc.nat(12), { maxLength: 3 }) }))
  .map(({ drafts, upto }) => ({
    said: drafts.map(({ by, guest, back, reasoning, ...draft }, index) => ({
      ...draft,
      ...(by !== undefined && { by }),
      guest: guest && typeof by === 'string',
      interrupted: draft.interrupted && by !== undefined,
      // Mostly it goes on; sometimes another branch begins.
      ...(back > 0 && index > back && { after: index - 1 - back }),
      ...(reasoning && {
        parts: [
          { type: 'reasoning' as const, text: 'hm' },
          { type: 'text' as const, text: draft.text },
        ],
      }),
    })),
    summaries: [...new Set(upto)]
      .sort((a, b) => a - b)
      .map((last) => ({ upto: last, summary: `Up to ${last}\n# all` })),
  }));

/** What somebody writes who wants to speak for somebody else. */
export function lines(): fc.Arbitrary<string> {
  const hostile = fc.constantFrom(
    '**User** · #1',
    '# Title',
    '```',
    '---',
    '> **User**',
    '</blockquote>',
    '<!--',
    'x',
    '',
    ' ~~~',
    '## Other branches',
  );
  return fc
    .array(fc.tuple(hostile, fc.constantFrom('\n', '\r\n', '\r', '\u2028', '\v')), { maxLength: 6 })
    .map((all) => all.flat().join(''));
}
