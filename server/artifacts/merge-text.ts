import { diffLines, type Hunk, linesOf } from './line-diff.ts';

/** Lines that two have changed, each in another way. */
export interface TextConflict {
  readonly yours: string;
  readonly theirs: string;
}

export interface MergedText {
  readonly text: string;
  readonly conflicts: readonly TextConflict[];
}

/**
 * Your change of a text, made to the text as others have changed it meanwhile. What was added in the same place is kept,
 * theirs first. Where both changed the same lines it is a conflict, and the text has yours there.
 */
export function mergeText(base: string, yours: string, theirs: string): MergedText {
  if (theirs === base || yours === theirs) return { text: yours, conflicts: [] };
  if (yours === base) return { text: theirs, conflicts: [] };
  const lines = linesOf(base);
  const merge = new Merge(lines, diffLines(lines, linesOf(yours)), diffLines(lines, linesOf(theirs)));
  return merge.run();
}

class Merge {
  readonly #base: readonly string[];
  readonly #yours: readonly Hunk[];
  readonly #theirs: readonly Hunk[];
  readonly #merged: string[] = [];
  readonly #conflicts: TextConflict[] = [];
  /** The next hunk of each, and the line of the base up to which everything is merged. */
  #your = 0;
  #their = 0;
  #line = 0;

  constructor(base: readonly string[], yours: readonly Hunk[], theirs: readonly Hunk[]) {
    this.#base = base;
    this.#yours = yours;
    this.#theirs = theirs;
  }

  run(): MergedText {
    for (;;) {
      const yours = this.#yours[this.#your];
      const theirs = this.#theirs[this.#their];
      if (!yours && !theirs) break;
      if (yours && theirs && overlap(yours, theirs)) this.#takeBoth();
      else if (!yours || (theirs && isFirst(theirs, yours))) this.#take(this.#theirs[this.#their++]!);
      else this.#take(this.#yours[this.#your++]!);
    }
    this.#copyUpTo(this.#base.length);
    return { text: this.#merged.join('\n'), conflicts: this.#conflicts };
  }

  #take({ start, end, lines }: Hunk): void {
    this.#copyUpTo(start);
    for (const line of lines) this.#merged.push(line);
    this.#line = Math.max(this.#line, end);
  }

  /** All hunks that overlap, directly or through others, are one place. */
  #takeBoth(): void {
    const [fromYours, fromTheirs] = [this.#your, this.#their];
    const start = Math.min(this.#yours[fromYours]!.start, this.#theirs[fromTheirs]!.start);
    let end = Math.max(this.#yours[this.#your++]!.end, this.#theirs[this.#their++]!.end);
    for (let isMore = true; isMore; ) {
      isMore = false;
      for (; (this.#yours[this.#your]?.start ?? end) < end; isMore = true)
        end = Math.max(end, this.#yours[this.#your++]!.end);
      for (; (this.#theirs[this.#their]?.start ?? end) < end; isMore = true)
        end = Math.max(end, this.#theirs[this.#their++]!.end);
    }
    const yours = this.#rewrite(start, end, this.#yours.slice(fromYours, this.#your));
    const theirs = this.#rewrite(start, end, this.#theirs.slice(fromTheirs, this.#their));
    if (!isSame(yours, theirs)) this.#conflicts.push({ yours: yours.join('\n'), theirs: theirs.join('\n') });
    this.#take({ start, end, lines: yours });
  }

  #rewrite(start: number, end: number, hunks: readonly Hunk[]): string[] {
    const pieces: (readonly string[])[] = [];
    let at = start;
    for (const hunk of hunks) {
      pieces.push(this.#base.slice(at, hunk.start), hunk.lines);
      at = hunk.end;
    }
    return [...pieces, this.#base.slice(at, end)].flat();
  }

  #copyUpTo(line: number): void {
    for (; this.#line < line; this.#line++) this.#merged.push(this.#base[this.#line]!);
  }
}

/** Both touch a line of the base, or both add the same lines in the same place. */
function overlap(yours: Hunk, theirs: Hunk): boolean {
  if (yours.start < theirs.end && theirs.start < yours.end) return true;
  return yours.start === theirs.start && yours.end === theirs.end && isSame(yours.lines, theirs.lines);
}

/** What is added in a place comes before what replaces the lines there. */
function isFirst(theirs: Hunk, yours: Hunk): boolean {
  if (theirs.start !== yours.start) return theirs.start < yours.start;
  return theirs.end <= yours.end;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
