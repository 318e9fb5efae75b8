import type { SearchHit } from '../../contract/sessions.ts';
import type { Term } from './search-query.ts';
import { type TermWords, type Token, termWords, tokensOf } from './search-tokens.ts';

interface Range {
  start: number;
  end: number;
}

export type Pattern = TermWords;

const LENGTH = 160;
/** How much is shown before the first match. */
const LEAD = 48;

export function toPatterns(terms: readonly Term[]): Pattern[] {
  return terms.map(termWords);
}

/** The words around the first match, on one line; without a match, how the text begins. */
export function makeSnippet(
  text: string,
  patterns: readonly Pattern[],
): Pick<SearchHit, 'snippet' | 'matches' | 'position' | 'count'> {
  const matches = [...matchesOf(text, patterns)];
  const [first] = matches;
  const window = chooseWindow(text, first?.start ?? 0);
  const inside = matches.filter((match) => match === first || match.end <= window.end);
  const opening = window.start > 0 ? '…' : '';
  const closing = window.end < text.length ? '…' : '';
  const shift = opening.length - window.start;
  return {
    snippet: opening + oneLine(text.slice(window.start, window.end)) + closing,
    matches: inside.map(({ start, end }) => ({ start: start + shift, end: Math.min(end, window.end) + shift })),
    position: first?.start ?? 0,
    count: matches.length,
  };
}

/** Where in a text the terms are. */
export function matchesIn(text: string, patterns: readonly Pattern[]): { start: number; end: number }[] {
  return [...matchesOf(text, patterns)];
}

/** In order and never overlapping; where several terms begin at one word, the longest counts. */
function* matchesOf(text: string, patterns: readonly Pattern[]): Generator<Range, undefined> {
  const longest = Math.max(0, ...patterns.map((pattern) => pattern.words.length));
  const tokens = tokensOf(text);
  const ahead: Token[] = [];
  let shown = 0;
  for (fill(ahead, tokens, longest); ahead.length > 0; fill(ahead, tokens, longest)) {
    const found = ahead[0]!.start < shown ? null : matchHere(ahead, patterns);
    if (found) {
      shown = endOf(ahead, found);
      yield { start: ahead[0]!.start, end: shown };
    }
    ahead.splice(0, Math.max(1, found?.words.length ?? 0));
  }
  return undefined;
}

/** Of a pair of characters that only begins as the term ends, the second one is not part of the match. */
function endOf(ahead: readonly Token[], { words, prefix }: Pattern): number {
  const last = ahead[words.length - 1]!;
  return prefix && last.unspaced ? last.start + words.at(-1)!.length : last.end;
}

function fill(ahead: Token[], tokens: Generator<Token>, wanted: number): void {
  while (ahead.length < wanted) {
    const next = tokens.next();
    if (next.done) return;
    ahead.push(next.value);
  }
}

function matchHere(ahead: readonly Token[], patterns: readonly Pattern[]): Pattern | null {
  let longest: Pattern | null = null;
  for (const pattern of patterns) {
    const { words, prefix } = pattern;
    if (
      words.length > (longest?.words.length ?? 0) &&
      words.every((word, index) => isWord(ahead[index], word, prefix && index === words.length - 1))
    ) {
      longest = pattern;
    }
  }
  return longest;
}

function isWord(token: Token | undefined, word: string, prefix: boolean): boolean {
  return token !== undefined && (prefix ? token.folded.startsWith(word) : token.folded === word);
}

/** A little before the match and the rest after it; near the end of the text, more before it instead. */
function chooseWindow(text: string, at: number): Range {
  const start = Math.max(0, Math.min(at - LEAD, text.length - LENGTH));
  const end = toBoundary(text, Math.min(text.length, start + LENGTH));
  return { start: start === 0 ? 0 : toWord(text, toBoundary(text, start), at), end };
}

/** Begins with a whole word where there is one to begin with. */
function toWord(text: string, start: number, at: number): number {
  const space = text.slice(start, at).search(/\s/);
  return space < 0 ? start : start + space + 1;
}

/** Made when it is first needed: it takes 7 ms. */
let segmenter: Intl.Segmenter | undefined;
/** Longer sequences than this are no characters but mischief; they may be cut between code points. */
const CHARACTER = 64;

/** Never through the middle of a character: emoji sequences and accents stay whole. */
function toBoundary(text: string, index: number): number {
  if (index <= 0 || index >= text.length) return index;
  const from = Math.max(0, index - CHARACTER);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const segment = segmenter.segment(text.slice(from, index + CHARACTER)).containing(index - from);
  const boundary = from + (segment?.index ?? index - from);
  if (boundary > from) return boundary;
  return isLowSurrogate(text.charCodeAt(index)) ? index - 1 : index;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** One for one, so that positions stay what they are. */
function oneLine(text: string): string {
  return text.replace(/[\s\u0085\u200b\0]/g, ' ');
}
