/** The candidate a person most likely meant, when one is close enough to be worth naming. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.ceil(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const away = distance(word.toLowerCase(), candidate.toLowerCase());
    if (away < bestDistance) [best, bestDistance] = [candidate, away];
  }
  return best;
}

export function didYouMean(word: string, candidates: Iterable<string>): string {
  const match = word.length > 100 ? undefined : nearest(word, candidates);
  return match === undefined ? '' : ` (did you mean ${match}?)`;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
