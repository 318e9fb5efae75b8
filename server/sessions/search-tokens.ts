/** A stretch of text that the search index holds as one word, folded the way the index folds it. */
export interface Token {
  folded: string;
  start: number;
  end: number;
}

/**
 * Like SQLite's unicode61: letters, digits and private-use characters make words; accents written as characters of their
 * own belong to the word they follow.
 */
const TOKEN = /[\p{L}\p{N}\p{Co}](?:[\p{L}\p{N}\p{Co}]|[\u0300-\u0331])*/gu;
const ACCENT = /[\u0300-\u036f]/g;

export function hasToken(text: string): boolean {
  return text.search(TOKEN) >= 0;
}

/** Lazily: a long text is read only as far as somebody looks. */
export function* tokensOf(text: string): Generator<Token> {
  for (const found of text.matchAll(TOKEN)) {
    yield { folded: fold(found[0]), start: found.index, end: found.index + found[0].length };
  }
}

const PLAIN = /^[a-z0-9]*$/;

/** Case and accents aside, `remove_diacritics 2`. */
function fold(word: string): string {
  if (PLAIN.test(word)) return word;
  return word.toLowerCase().normalize('NFD').replace(ACCENT, '').normalize('NFC');
}
