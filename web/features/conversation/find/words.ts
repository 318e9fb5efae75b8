/** Like the server's index: letters, digits and private-use characters make words; accents aside, and so is case. */
const TOKEN = /[\p{L}\p{N}\p{Co}](?:[\p{L}\p{N}\p{Co}]|[\u0300-\u0331])*/gu;
const ACCENT = /[\u0300-\u036f]/g;
const MOST = 32;

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What somebody looks for: the beginnings of words, all of which have to be there. */
export function wordsIn(query: string): string[] {
  const words = Array.from(query.matchAll(TOKEN), ([word]) => fold(word));
  return [...new Set(words)].slice(0, MOST);
}

/** The same for the server. */
export function toQuery(words: readonly string[]): string {
  return words.map((word) => `"${word}"*`).join(' ');
}

export function spansIn(text: string, words: readonly string[]): Span[] {
  const spans: Span[] = [];
  for (const found of text.matchAll(TOKEN)) {
    const length = lengthOf(found[0], words);
    if (length > 0) spans.push({ start: found.index, end: found.index + length });
  }
  return spans;
}

export function hasAll(text: string, words: readonly string[]): boolean {
  const missing = new Set(words);
  for (const [token] of text.matchAll(TOKEN)) {
    const folded = fold(token);
    for (const word of missing) if (folded.startsWith(word)) missing.delete(word);
    if (missing.size === 0) return true;
  }
  return false;
}

/** How much of a token is what somebody looks for: up to the letter after which its beginning is complete. */
function lengthOf(token: string, words: readonly string[]): number {
  const folded = fold(token);
  const longest = words.reduce((most, word) => (folded.startsWith(word) && word.length > most ? word.length : most), 0);
  if (longest === 0 || folded.length === token.length) return longest;
  let length = 1;
  while (length < token.length && fold(token.slice(0, length + 1)).length <= longest) length += 1;
  return length;
}

function fold(word: string): string {
  return word.toLowerCase().normalize('NFD').replace(ACCENT, '').normalize('NFC');
}
