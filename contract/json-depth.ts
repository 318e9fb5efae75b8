/** How deep JSON may be nested wherever it is stored, imported, or sent by a client or a model. */
export const MAX_JSON_DEPTH = 64;

export function isJsonTooDeep(text: string, limit: number = MAX_JSON_DEPTH): boolean {
  return jsonDepth(text, limit) > limit;
}

/** How deep brackets nest outside of strings, looking no further than one past the limit. The text need not be valid. */
export function jsonDepth(text: string, limit: number): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length && deepest <= limit; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return deepest;
}

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
