/** Lines of one text that stand in the place of lines of another. */
export interface Hunk {
  /** In the first text: from this line up to, not including, `end`. Equal when lines are only added. */
  readonly start: number;
  readonly end: number;
  /** What stands there in the second text. */
  readonly lines: readonly string[];
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** How often a gap between lines that both texts share is searched for more of them. Bounds the time for any text. */
const MOST_ROUNDS = 6;

export function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

/**
 * What turns one text into another, line by line, in order. Lines that occur once in both are taken as the same (patience
 * diff), then the gaps between them are searched in the same way: linear but for a sort.
 */
export function diffLines(before: readonly string[], after: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  compare({ before, after, hunks }, { from: 0, to: before.length }, { from: 0, to: after.length }, 0);
  return hunks;
}

interface Comparison {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly hunks: Hunk[];
}

function compare(texts: Comparison, old: Range, now: Range, round: number): void {
  const { before, after, hunks } = texts;
  let [from, to, nowFrom, nowTo] = [old.from, old.to, now.from, now.to];
  while (from < to && nowFrom < nowTo && before[from] === after[nowFrom]) {
    from += 1;
    nowFrom += 1;
  }
  while (from < to && nowFrom < nowTo && before[to - 1] === after[nowTo - 1]) {
    to -= 1;
    nowTo -= 1;
  }
  if (from === to && nowFrom === nowTo) return;
  const pairs = round < MOST_ROUNDS ? sharedLines(texts, { from, to }, { from: nowFrom, to: nowTo }) : [];
  if (pairs.length === 0) return void hunks.push({ start: from, end: to, lines: after.slice(nowFrom, nowTo) });
  for (const [line, nowLine] of pairs) {
    compare(texts, { from, to: line }, { from: nowFrom, to: nowLine }, round + 1);
    from = line + 1;
    nowFrom = nowLine + 1;
  }
  compare(texts, { from, to }, { from: nowFrom, to: nowTo }, round + 1);
}

/** Lines that occur once in both ranges, as many of them as are in the same order. */
function sharedLines({ before, after }: Comparison, old: Range, now: Range): [number, number][] {
  const places = uniquePlaces(after, now);
  const pairs: [number, number][] = [];
  for (const [line, place] of uniquePlaces(before, old)) {
    const nowPlace = places.get(line);
    if (place >= 0 && nowPlace !== undefined && nowPlace >= 0) pairs.push([place, nowPlace]);
  }
  return longestRising(pairs);
}

/** Where each line is; -1 where it occurs more than once. */
function uniquePlaces(lines: readonly string[], { from, to }: Range): Map<string, number> {
  const places = new Map<string, number>();
  for (let index = from; index < to; index++) places.set(lines[index]!, places.has(lines[index]!) ? -1 : index);
  return places;
}

/** The pairs come in the order of their first number; the longest selection in which the second one rises, too. */
function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const tails: number[] = [];
  const previous = new Array<number>(pairs.length);
  for (const [index, [, place]] of pairs.entries()) {
    const length = lengthBelow(pairs, tails, place);
    previous[index] = length > 0 ? tails[length - 1]! : -1;
    tails[length] = index;
  }
  const chosen: [number, number][] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index]!) chosen.push(pairs[index]!);
  return chosen.reverse();
}

function lengthBelow(pairs: readonly [number, number][], tails: readonly number[], place: number): number {
  let [low, high] = [0, tails.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pairs[tails[middle]!]![1] < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
