/**
 * Whether a pattern covers a text from its first character to its last. Only `*` is special: any run of characters,
 * also none. Takes time in proportion to the two lengths, whatever is in them.
 */
export function matchGlob(pattern: string, text: string): boolean {
  const first = pattern.indexOf('*');
  if (first < 0) return pattern === text;
  const last = pattern.lastIndexOf('*');
  const end = text.length - (pattern.length - last - 1);
  if (first > end || !text.startsWith(pattern.slice(0, first)) || !text.endsWith(pattern.slice(last + 1))) return false;
  return holdsInOrder(text, first, end, pattern.slice(first, last).split('*').filter(Boolean));
}

/** The first of the patterns that covers the text. */
export function findGlob(patterns: readonly string[], text: string): string | undefined {
  return patterns.find((pattern) => matchGlob(pattern, text));
}

/** Every piece is taken as early as it comes, which leaves the most room for those after it. */
function holdsInOrder(text: string, start: number, end: number, pieces: readonly string[]): boolean {
  let at = start;
  for (const piece of pieces) {
    at = endOfPiece(text, at, end, piece);
    if (at < 0) return false;
  }
  return true;
}

/** Where the first occurrence of the piece ends, or -1. The search of Knuth, Morris and Pratt never goes back in the text. */
function endOfPiece(text: string, start: number, end: number, piece: string): number {
  const borders = bordersOf(piece);
  let matched = 0;
  for (let at = start; at < end; at += 1) {
    matched = advance(piece, borders, matched, text[at]!);
    if (matched === piece.length) return at + 1;
  }
  return -1;
}

/** For every beginning of the piece: how long its longest proper beginning is that is also its end. */
function bordersOf(piece: string): number[] {
  const borders = [0];
  for (let at = 1; at < piece.length; at += 1) {
    borders.push(advance(piece, borders, borders[at - 1]!, piece[at]!));
  }
  return borders;
}

function advance(piece: string, borders: readonly number[], matched: number, next: string): number {
  let length = matched;
  while (length > 0 && piece[length] !== next) length = borders[length - 1]!;
  return piece[length] === next ? length + 1 : 0;
}
