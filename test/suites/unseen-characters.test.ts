import { describe, expect, it } from 'vitest';
import { findUnseenCharacters, markUnseenCharacters } from '../../contract/unseen-characters.ts';

const ALWAYS = [
  ...range(0x00, 0x08),
  0x0b,
  0x0c,
  ...range(0x0e, 0x1f),
  ...range(0x7f, 0x9f),
  ...[0x00ad, 0x061c, 0x180e, 0x200b, 0x200e, 0x200f, 0xfeff, 0x3164, 0x115f, 0x1160, 0x2800],
  ...range(0x2028, 0x202e),
  ...range(0x2060, 0x2069),
  ...range(0xfe00, 0xfe0f),
  ...range(0xe0000, 0xe007f),
  ...range(0xe0100, 0xe01ef),
];

describe('characters that cannot be seen', () => {
  it.each(['exact', 'prose'] as const)('are all found between Latin letters in %s text', (kind) => {
    const missed = ALWAYS.filter((code) => {
      const [found, ...more] = findUnseenCharacters(`a${String.fromCodePoint(code)}b`, kind);
      return found?.codePoint !== code || found.index !== 1 || more.length > 0;
    });
    expect(missed.map((code) => code.toString(16))).toEqual([]);
  });

  it('are replaced by their numbers, and the rest of the text stays', () => {
    expect(markUnseenCharacters('rm \u202etxt.exe')).toBe('rm ⟨U+202E⟩txt.exe');
    expect(markUnseenCharacters('co\u00adde \u{e0041}\u{e0042}!')).toBe('co⟨U+00AD⟩de ⟨U+E0041⟩⟨U+E0042⟩!');
    expect(markUnseenCharacters('a\u001b[31mb')).toBe('a⟨U+001B⟩[31mb');
  });

  it.each([
    ['lines and tabs', 'one\n\ttwo\r\nthree'],
    ['a family', '👨‍👩‍👧‍👦 and 🏳️‍🌈, 🏴‍☠️, 👩🏽‍🚀, 🚶🏻‍➡️'],
    ['looks of emoji and keycaps', '❤️ ☎︎ 1️⃣ #️⃣ ©️'],
    ['the flags of Scotland and Wales', '🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿'],
    ['letters with accents and CJK', 'naïve Ångström 漢字 한글 ไทย'],
  ])('are not seen in %s', (_name, text) => {
    expect(findUnseenCharacters(text, 'exact')).toEqual([]);
    expect(findUnseenCharacters(text, 'prose')).toEqual([]);
  });

  it.each([
    ['Persian with a non-joiner', 'می\u200cخواهم'],
    ['Hindi with a joiner', 'क\u094d\u200dष'],
    ['Hebrew with a direction mark', 'C++\u200f היא שפה'],
    ['Arabic with a letter mark', 'العدد \u061c5'],
    ['Thai with room to break', 'ภาษา\u200bไทย'],
    ['braille', '⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙'],
  ])('are left alone in prose where a script needs them: %s', (_name, text) => {
    expect(findUnseenCharacters(text, 'prose')).toEqual([]);
    expect(findUnseenCharacters(text, 'exact').length).toBeGreaterThan(0);
  });

  it.each([
    ['an override in Arabic', 'مرحبا \u202eabc', 1],
    ['a second joiner', 'می\u200c\u200cخ', 1],
    ['a look without a picture', '1\ufe0f', 1],
    ['looks in a row', '❤\ufe0f\ufe0f\ufe00', 2],
    ['tags after a flag without an end', '🏴\u{e0067}\u{e0062}', 2],
    ['more tags than a region has', `🏴${'\u{e0067}'.repeat(7)}\u{e007f}`, 8],
    ['a joiner after an emoji with nothing to join', '👍\u200d', 1],
    ['a carriage return alone', 'safe\rrm', 1],
    ['a direction mark in another line than the Hebrew', 'היא\na\u200fb', 1],
  ])('are found in prose: %s', (_name, text, count) => {
    expect(findUnseenCharacters(text, 'prose')).toHaveLength(count);
  });

  it.each(['\u202e', '👨\u200d', '\u200f', 'א\u200f', '\r', '🏴\u{e0067}', '\u2800', 'a'])(
    'are found in linear time in a long text of %j',
    (piece) => {
      const text = piece.repeat(Math.ceil(2 ** 18 / piece.length));
      const began = performance.now();
      markUnseenCharacters(text, 'prose');
      expect(performance.now() - began).toBeLessThan(3000);
    },
  );
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
