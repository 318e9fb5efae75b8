import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findGlob, matchGlob } from '../../server/tools/glob.ts';

describe('a pattern', () => {
  test.each([
    ['reading_list_*', 'reading_list_add', true],
    ['reading_list_*', 'reading_list_', true],
    ['reading_list_*', 'reading_list', false],
    ['*_add', 'reading_list_add', true],
    ['*', '', true],
    ['*', 'anything at all\nin two lines', true],
    ['**', 'x', true],
    ['', '', true],
    ['', 'x', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['*list*', 'reading_list_add', true],
    ['ab*ba', 'aba', false],
  ])('%j over %j: %j', (pattern, text, expected) => {
    expect(matchGlob(pattern, text)).toBe(expected);
  });

  test('means every other character as it is, upper and lower case apart', () => {
    for (const literal of ['a.c', 'a?c', '[a-c]', 'a\\*c', '(a|c)', '^a$', '{a,c}', '!a', 'a+']) {
      expect(matchGlob(literal, 'abc')).toBe(false);
      expect(matchGlob(literal, literal)).toBe(true);
    }
    expect(matchGlob('Reading_*', 'reading_list')).toBe(false);
    expect(matchGlob('wisp/*', 'wisp/a/b')).toBe(true);
  });

  test('agrees with the plainest matcher there is', () => {
    const short = (characters: string[]) => fc.array(fc.constantFrom(...characters), { maxLength: 9 });
    const pattern = short(['*', '*', 'a', 'b', '.', '🙂']).map((each) => each.join(''));
    const text = short(['a', 'b', 'a', '.', '🙂', '*']).map((each) => each.join(''));
    fc.assert(
      fc.property(pattern, text, (p, t) => {
        expect(matchGlob(p, t)).toBe(plainly(p, t));
      }),
      { numRuns: 3000 },
    );
  });

  test('covers whatever its stars stand for', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.array(fc.string()), (pieces, fillings) => {
        const literal = pieces.map((piece) => piece.replaceAll('*', ''));
        const text = literal.map((piece, index) => piece + (index < literal.length - 1 ? (fillings[index] ?? '') : ''));
        expect(matchGlob(literal.join('*'), text.join(''))).toBe(true);
      }),
    );
  });
});

/** Each of these is out of reach for a matcher that tries again from every place: it would take hours. */
test('no pattern makes matching slow', () => {
  const many = 'a'.repeat(100_000);
  expect(matchGlob(`${'a*'.repeat(1000)}b`, many)).toBe(false);
  expect(matchGlob(`${'a*'.repeat(1000)}b*`, many)).toBe(false);
  expect(matchGlob(`*${'a*'.repeat(50_000)}`, many)).toBe(true);
  expect(matchGlob(`*${'a*'.repeat(100_001)}`, many)).toBe(false);
  const longer = 'a'.repeat(1_000_000);
  expect(matchGlob(`*${many}${many}b*`, longer)).toBe(false);
  expect(matchGlob(`*b${many}${many}*`, longer)).toBe(false);
  expect(matchGlob(`*${many}b${many}*`, longer)).toBe(false);
});

test('the first pattern that matches is found', () => {
  expect(findGlob(['b*', 'a*', '*'], 'abc')).toBe('a*');
  expect(findGlob([], 'abc')).toBeUndefined();
});

function plainly(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  const rest = pattern.slice(1);
  if (pattern[0] === '*') return plainly(rest, text) || (text !== '' && plainly(pattern, text.slice(1)));
  return text[0] === pattern[0] && plainly(rest, text.slice(1));
}
