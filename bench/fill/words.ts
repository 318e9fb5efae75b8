const VOCABULARY = 30_000;

/** Words follow Zipf's law, so that there are common and rare ones; `word0` is in about every message. */
export function someWords(seed: number): string {
  const words = Array.from({ length: 8 + (seed % 12) }, () => `word${Math.floor(VOCABULARY ** Math.random()) - 1}`);
  return words.join(' ');
}

const RARE_EVERY = 10_000;

/** One text in ten thousand holds a word that no other one does. */
export function wordsWithRare(index: number): string {
  return index % RARE_EVERY === 0 ? `${someWords(index)} ${rareWord(index / RARE_EVERY)}` : someWords(index);
}

export function rareWord(number: number): string {
  return `rare${number}`;
}

export function rareWords(messages: number): number {
  return Math.ceil(messages / RARE_EVERY);
}
