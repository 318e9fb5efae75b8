const PAUSE_MS = 700;

/** Letters typed in quick succession are one word. */
export class Typeahead {
  #word = '';
  #at = Number.NEGATIVE_INFINITY;

  isTyping(now: number): boolean {
    return this.#word !== '' && now - this.#at < PAUSE_MS;
  }

  /** The word so far. */
  type(letter: string, now: number): string {
    this.#word = this.isTyping(now) ? this.#word + letter : letter;
    this.#at = now;
    return this.#word;
  }
}

/** The next label that begins with the word, from the current one on and around; a repeated letter steps onward. */
export function findLabel(labels: readonly string[], current: number, word: string): number | null {
  const isRepeated = new Set(word.toLowerCase()).size === 1;
  const wanted = (isRepeated ? word.slice(0, 1) : word).toLowerCase();
  const first = isRepeated || word.length === 1 ? current + 1 : current;
  for (let step = 0; step < labels.length; step += 1) {
    const index = (first + step) % labels.length;
    if (labels[index]!.toLowerCase().startsWith(wanted)) return index;
  }
  return null;
}
