import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SafeStream, safeJson, safeLine, safeText } from '../../cli/terminal-text.ts';
import { cut, widthOf } from '../../cli/text-width.ts';

/** Any text, with more of the dangerous characters than chance would give. */
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\u001b[2J',
        '\u009b31m',
        '\u202e',
        '\u2066',
        '\r',
        '\r\n',
        '\n',
        '\t',
        '\u0007',
        '\u007f',
        '\ud83d',
        '\ude00',
        '😀',
      ),
    ),
  )
  .map((pieces) => pieces.join(''));

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

describe('text on a terminal', () => {
  test('is escaped as JSON, and reads back as it was', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const json = safeJson({ [text]: text }, 2);
        expect(json).not.toMatch(DANGEROUS);
        expect(JSON.parse(json)).toEqual({ [text]: text });
      }),
    );
  });

  test('holds nothing that a terminal would obey, whatever was said', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(safeText(text)).not.toMatch(DANGEROUS);
        expect(safeLine(text)).not.toMatch(/[\n\t]/);
      }),
    );
  });

  test('is the same whether it arrives whole or cut anywhere', () => {
    fc.assert(
      fc.property(nasty, fc.array(fc.nat()), (text, places) => {
        const cuts = [0, ...places.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length];
        const stream = new SafeStream();
        const shown = cuts.slice(1).map((end, index) => stream.feed(text.slice(cuts[index], end)));
        expect(shown.join('') + stream.end()).toBe(safeText(text));
      }),
    );
  });

  test('keeps what is harmless', () => {
    const text = 'Grüße, 你好, 👩‍👩‍👧 — “so”\n\tindented';
    expect(safeText(text)).toBe(text);
  });

  test('is cut to the columns it is given, by what it takes on the screen', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, columns) => {
        expect(widthOf(cut(text, columns))).toBeLessThanOrEqual(columns);
      }),
    );
    expect(cut('你好世界', 5)).toBe('你好…');
  });
});
