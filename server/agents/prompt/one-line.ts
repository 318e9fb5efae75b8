import { neutralise } from './from-tag.ts';

const LONGEST_SUMMARY = 200;
const LONGEST_LINE = 500;

/**
 * Text from outside (a tool server, a person naming a list) as one line of a prompt. It cannot begin a line or a
 * section of its own, hides nothing, and looks like none of our tags.
 */
export function oneLine(text: string, longest = LONGEST_LINE): string {
  const line = text
    .slice(0, longest * 4)
    .toWellFormed()
    .replace(INVISIBLE, '')
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return withoutContextTags(neutralise(shorten(line, longest)));
}

/** Only the person's client says what the person was looking at. */
export function withoutContextTags(text: string): string {
  return text.replace(CONTEXT_TAG, '&lt;');
}

/** Its first sentence. */
export function summaryLine(text: string): string {
  const line = oneLine(text);
  const sentence = /^.{10,}?[.!?](?=$| [\p{Lu}\p{N}("'`*-])/u.exec(line)?.[0] ?? line;
  return shorten(sentence, LONGEST_SUMMARY);
}

/** Marks of direction and joiners that show nothing: with them a line can read as another than it is. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const CONTEXT_TAG = /<(?=[\s/]{0,8}context\b)/gi;

/** Whole characters only. */
function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
