/**
 * Chinese and Japanese are written without spaces, so a word cannot be told from its neighbours. A run of their
 * characters is indexed as every pair of neighbours and, last, its final character: 我们明天 as 我们 们明 明天 天. Any
 * word inside the run is then a phrase of pairs, and a single character the beginning of a pair.
 */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]`;
const UNSPACED_RUN = new RegExp(`${UNSPACED}+`, 'gu');
const HAS_UNSPACED = new RegExp(UNSPACED, 'u');

export interface UnspacedPair {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A message's text as the index reads it. */
export function searchWords(text: string): string {
  if (!HAS_UNSPACED.test(text)) return text;
  return text.replace(UNSPACED_RUN, (run) => ` ${pairsOf(run, 0).join(' ')} `);
}

function pairsOf(run: string, from: number): string[] {
  return unspacedPairs(run, from).map((pair) => pair.text);
}

/** The pairs of a run that begins at `from`, and its last character. */
export function unspacedPairs(run: string, from: number): UnspacedPair[] {
  const characters = Array.from(run);
  let start = from;
  return characters.map((character, index) => {
    const pair = { text: character + (characters[index + 1] ?? ''), start, end: 0 };
    start += character.length;
    return { ...pair, end: pair.start + pair.text.length };
  });
}

/** Cuts a word of the default tokenizer into stretches that are written with spaces and stretches that are not. */
export function* stretchesOf(word: string): Generator<{ text: string; start: number; unspaced: boolean }> {
  let at = 0;
  for (const { 0: run, index } of word.matchAll(UNSPACED_RUN)) {
    if (index > at) yield { text: word.slice(at, index), start: at, unspaced: false };
    yield { text: run, start: index, unspaced: true };
    at = index + run.length;
  }
  if (at < word.length) yield { text: word.slice(at), start: at, unspaced: false };
}
