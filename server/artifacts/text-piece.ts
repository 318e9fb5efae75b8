/** The one stretch in which two texts differ. */
export interface TextPiece {
  /** Where it begins, in UTF-16 units: the same in both. */
  readonly at: number;
  readonly before: string;
  readonly after: string;
}

export function pieceOf(before: string, after: string): TextPiece {
  const shortest = Math.min(before.length, after.length);
  let at = 0;
  while (at < shortest && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  if (at > 0 && isHighSurrogate(before.charCodeAt(at - 1))) at -= 1;
  let end = 0;
  while (end < shortest - at && before.charCodeAt(before.length - end - 1) === after.charCodeAt(after.length - end - 1))
    end += 1;
  if (end > 0 && isLowSurrogate(before.charCodeAt(before.length - end))) end -= 1;
  return { at, before: before.slice(at, before.length - end), after: after.slice(at, after.length - end) };
}

/** The text before a change, from the text after it. */
export function withoutPiece(text: string, { at, before, after }: TextPiece): string {
  return text.slice(0, at) + before + text.slice(at + after.length);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
