import { revealHidden } from './safe-url.ts';

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A piece of a text; `isMatch` when a search found it. */
interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
  readonly start: number;
}

/** The beginning of a message, without the marks that would have shaped it. */
export function plainSnippet(markdown: string): string {
  return plainPieces(markdown, [])[0]?.text ?? '';
}

/** The same cut at its matches. A match that consists of marks alone is left out. */
export function plainPieces(markdown: string, matches: readonly Range[]): Piece[] {
  const kept = without(cutAtMatches(markdown, matches), marksIn(markdown));
  return withSingleSpaces(kept)
    .filter(({ text }) => text !== '')
    .map((piece) => ({ ...piece, text: revealHidden(piece.text) }));
}

/** A snippet cut at its matches. What does not fit the snippet is left out, so that no text is lost or said twice. */
export function cutAtMatches(snippet: string, matches: readonly Range[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const take = (end: number, isMatch: boolean) => {
    if (end > at) pieces.push({ text: snippet.slice(at, end), isMatch, start: at });
    at = Math.max(at, end);
  };
  for (const { start, end } of matches.toSorted((a, b) => a.start - b.start)) {
    take(Math.min(start, snippet.length), false);
    take(Math.min(end, snippet.length), true);
  }
  take(snippet.length, false);
  return pieces;
}

const MARKS: readonly RegExp[] = [
  // Code, with the language of a fence.
  /`{3,}\w*|`+/g,
  // Links and images: all but their words. The end of the snippet may have cut the address.
  /!?\[(?=[^\][]*\]\()|\]\([^()]*(?:\)|$)/g,
  // Next to a word. With spaces around it, a star is a sign of its own.
  /\*{1,3}(?=\S)|(?<=\S)\*{1,3}|~~/g,
  // Headings, quotes and list items.
  /(?<=^|\s)(?:#{1,6}|>|-)(?=\s)|^(?:[+*]|\d{1,3}\.)(?=\s)/g,
  // Tables and rules.
  /(?<=^|\s)(?:\||[|:-]{3,})(?=\s|$)/g,
];

function marksIn(markdown: string): Range[] {
  const found = MARKS.flatMap((mark) =>
    Array.from(markdown.matchAll(mark), ({ index, 0: { length } }) => ({ start: index, end: index + length })),
  );
  return found.sort((one, other) => one.start - other.start);
}

function without(pieces: readonly Piece[], marks: readonly Range[]): Piece[] {
  let next = 0;
  return pieces.map((piece) => {
    const end = piece.start + piece.text.length;
    let at = piece.start;
    let text = '';
    for (; next < marks.length && marks[next]!.start < end; next++) {
      const mark = marks[next]!;
      text += piece.text.slice(at - piece.start, Math.max(at, mark.start) - piece.start);
      at = Math.max(at, mark.end);
      // The rest of the mark is in the next piece.
      if (mark.end > end) break;
    }
    return { ...piece, text: text + piece.text.slice(at - piece.start) };
  });
}

/** Marks leave spaces behind: one is kept between words, and none at either end. */
function withSingleSpaces(pieces: readonly Piece[]): Piece[] {
  let isAfterSpace = true;
  const single = pieces.map((piece) => {
    const spaced = piece.text.replace(/\s+/g, ' ');
    const text = isAfterSpace ? spaced.trimStart() : spaced;
    if (text !== '') isAfterSpace = text.endsWith(' ');
    return { ...piece, text };
  });
  return single.map((piece, at) => (at === single.length - 1 ? { ...piece, text: piece.text.trimEnd() } : piece));
}

/** Part of a message as plain words, with what a search found in it. */
export function Excerpt({ snippet, matches }: { snippet: string; matches: readonly Range[] }) {
  return plainPieces(snippet, matches).map(({ text, isMatch, start }) =>
    isMatch ? (
      <mark key={start} className="rounded-[2px] bg-accent/25 text-fg">
        {text}
      </mark>
    ) : (
      text
    ),
  );
}
