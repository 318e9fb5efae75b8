import { TextDecoder } from 'node:util';
import type { KnowledgePlace } from '../../../contract/knowledge.ts';
import { ExtractFailure, NO_PLACE, type PlacedLine } from './protocol.ts';

const MOST_HEADINGS = 6;
const MOST_HEADING = 200;
/** Begins only where spaces begin: a heading can hold millions of them. */
const CLOSING_MARKS = /(?<![ \t])[ \t]+#+[ \t]*$/;

/** Plain text and code: the lines with their numbers. */
export function* textLines(text: string): Generator<PlacedLine> {
  for (const { line, number, fraction } of numbered(text))
    yield { text: line, place: { ...NO_PLACE, lines: [number, number] }, fraction };
}

/** Markdown, whose headings are places. `hasLines`: whether its lines are those of the file. */
export function* markdownLines(text: string, hasLines: boolean): Generator<PlacedLine> {
  const outline = new Outline();
  let fence: string | null = null;
  for (const { line, number, fraction } of numbered(text)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null) fence = mark ?? null;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
    const heading = fence === null ? /^ {0,3}(#{1,6})[ \t]+(\S.*)$/.exec(line) : null;
    if (heading) outline.enter(heading[1]!.length, heading[2]!.replace(CLOSING_MARKS, ''));
    yield { text: line, place: outline.place(hasLines ? [number, number] : null), fraction };
  }
}

/** The headings above a line. */
class Outline {
  #headings: { level: number; text: string }[] = [];
  #texts: string[] = [];

  enter(level: number, text: string): void {
    const above = this.#headings.filter((heading) => heading.level < level);
    this.#headings = [...above, { level, text: text.slice(0, MOST_HEADING).toWellFormed() }].slice(-MOST_HEADINGS);
    this.#texts = this.#headings.map((heading) => heading.text);
  }

  place(lines: KnowledgePlace['lines']): KnowledgePlace {
    return { page: null, headings: this.#texts, lines };
  }
}

function* numbered(text: string): Generator<{ line: string; number: number; fraction: number }> {
  let number = 0;
  for (let at = 0; at <= text.length; ) {
    const end = text.indexOf('\n', at);
    const to = end < 0 ? text.length : end;
    number += 1;
    yield { line: text.slice(at, to).replace(/\r$/, ''), number, fraction: to / Math.max(text.length, 1) };
    at = to + 1;
  }
}

/** Bytes as text: as its byte order mark or a page's `charset` says, else UTF-8, else what Windows wrote in the West. */
export function decodeText(bytes: Uint8Array, isHtml = false): string {
  const mark = markOf(bytes);
  if (mark === undefined && bytes.includes(0)) throw new ExtractFailure('encoding');
  const declared = isHtml ? declaredIn(bytes) : undefined;
  for (const label of [mark, declared, 'utf-8']) {
    const decoded = label === undefined ? undefined : tryDecode(bytes, label);
    if (decoded !== undefined) return decoded;
  }
  return new TextDecoder('windows-1252').decode(bytes);
}

function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  return /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(beginning)?.[1];
}

function tryDecode(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
