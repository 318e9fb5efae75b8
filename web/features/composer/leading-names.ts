export interface Span {
  readonly start: number;
  readonly end: number;
}

const NAME = /@(?:[\p{L}\p{N}][\p{L}\p{N}\p{M}._/-]*)?/uy;
const BETWEEN = /[\s,]+(?:and\s+)?(?=@)/iuy;

/** The `@names` a message begins with. Only these decide who answers; one further on is a word like any other. */
export function leadingNames(text: string): Span[] {
  const spans: Span[] = [];
  let at: number | null = text.length - text.trimStart().length;
  while (at !== null) {
    const end = endOf(NAME, text, at);
    if (end === null) break;
    spans.push({ start: at, end });
    at = endOf(BETWEEN, text, end);
  }
  return spans;
}

/** The name that is being written where the caret stands. */
export function nameAt(text: string, caret: number): Span | null {
  return leadingNames(text).find(({ start, end }) => start < caret && caret <= end) ?? null;
}

/**
 * As much of a message as decides who answers it: the names and the character after them. It stays the same while the
 * rest is written, so that nothing has to be asked again.
 */
export function leadOf(text: string): string | null {
  const spans = leadingNames(text).filter(({ start, end }) => end - start > 1);
  const last = spans.at(-1);
  return last ? text.slice(spans[0]!.start, last.end + 1) : null;
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}
