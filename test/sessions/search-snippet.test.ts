import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeSnippet, toPatterns } from '../../server/sessions/search-snippet.ts';

describe('snippets', () => {
  test('show whole characters around the first match and point at every match in them', () => {
    const text = `${'before '.repeat(40)}👩‍👩‍👧 Needle\nand needle again ${'after '.repeat(40)}needle`;
    const { snippet, matches, position } = makeSnippet(text, toPatterns([{ text: 'NEEDLE', prefix: false }]));
    expect(text.slice(position, position + 6)).toBe('Needle');
    expect(matches.map(({ start, end }) => snippet.slice(start, end))).toEqual(['Needle', 'needle']);
    expect(snippet).toMatch(/^…before .*👩‍👩‍👧 Needle and needle again .*…$/u);
    expect(snippet.length).toBeLessThanOrEqual(162);
  });

  test('mark exactly the characters that were looked for in text without spaces', () => {
    const marked = (text: string, ...terms: string[]) => {
      const { snippet, matches } = makeSnippet(text, toPatterns(terms.map((term) => ({ text: term, prefix: false }))));
      return matches.map(({ start, end }) => snippet.slice(start, end));
    };
    expect(marked('我们明天去北京开会', '北京')).toEqual(['北京']);
    expect(marked('我们明天去北京开会', '北京开会', '天')).toEqual(['天', '北京开会']);
    expect(marked('北京京北京', '北京', '京')).toEqual(['北京', '京', '北京']);
    expect(marked('会', '会')).toEqual(['会']);
    expect(marked('𠀀𠀁𠀂 x', '𠀁𠀂')).toEqual(['𠀁𠀂']);
  });

  test('are made of the text, whatever it is, and their ranges stay inside', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 600 });
    fc.assert(
      fc.property(
        texts,
        fc.string({ minLength: 1, maxLength: 4 }),
        texts,
        fc.boolean(),
        (before, word, after, prefix) => {
          const text = `${before} ${word} ${after}`;
          const { snippet, matches, position } = makeSnippet(text, toPatterns([{ text: word, prefix }]));
          expect(snippet.isWellFormed()).toBe(true);
          expect(snippet.length).toBeLessThanOrEqual(162);
          let end = 0;
          for (const match of matches) {
            expect(match.start).toBeGreaterThanOrEqual(end);
            expect(match.end).toBeGreaterThan(match.start);
            end = match.end;
          }
          expect(end).toBeLessThanOrEqual(snippet.length);
          expect(position).toBeLessThan(text.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a text of the largest size costs little', () => {
    const text = `${'lorem ipsum '.repeat(80_000)}needle`;
    const started = performance.now();
    expect(makeSnippet(text, toPatterns([{ text: 'needle', prefix: false }])).position).toBe(960_000);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
