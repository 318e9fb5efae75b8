import { findUnseenCharacters } from '../contract/unseen-characters.ts';

/**
 * Text of models, tools and strangers, made harmless for a terminal: nothing in it can move the cursor, change colours,
 * set a title, write to the clipboard or turn the reading direction. Lines and tabs stay.
 */
export function safeText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSAFE, show);
}

/** For names and titles, which have to stay on their line. */
export function safeLine(text: string): string {
  return safeText(text)
    .replace(/[\n\t]+/g, ' ')
    .trim();
}

/** The same for commands, paths and arguments: every character that cannot be seen is marked, as <U+200B>. */
export function exactText(text: string): string {
  const harmless = safeText(text);
  let marked = '';
  let end = 0;
  for (const { index, length, label } of findUnseenCharacters(harmless)) {
    marked += `${harmless.slice(end, index)}<${label}>`;
    end = index + length;
  }
  return marked + harmless.slice(end);
}

export function exactLine(text: string): string {
  return safeLine(exactText(text));
}

/** JSON in which everything that a terminal could act on is written as an escape. It reads back as the same value. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, escapeUnits);
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** C0 but tab and newline, DEL and C1, the bidirectional controls, and line ends of other alphabets. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Cs}/gu;

/** Shown instead of dropped, so that the text stays recognisable: ESC is ␛, a right-to-left override is <U+202E>. */
function show(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** The same for text that arrives in pieces, cut anywhere. */
export class SafeStream {
  #held = '';

  feed(piece: string): string {
    const text = this.#held + piece;
    // A carriage return or half a character may become harmless with what comes next.
    this.#held = /[\r\ud800-\udbff]$/.exec(text)?.[0] ?? '';
    return safeText(this.#held ? text.slice(0, -1) : text);
  }

  end(): string {
    const rest = safeText(this.#held);
    this.#held = '';
    return rest;
  }
}
