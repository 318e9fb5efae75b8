import type { Tag, TickRun } from './delegate-lexer.ts';

const NONE: readonly Tag[] = [];

/**
 * Tells which tags stand in inline code. After backticks that may yet be closed this is unknown: such tags wait until
 * the same number of backticks comes, the paragraph ends, or it is too far.
 */
export class CodeSpans {
  readonly #longest: number;
  /** Begins with the backticks that wait to be closed. */
  #pending: (TickRun | Tag)[] = [];
  /** Where backticks of a number were last seen. */
  readonly #last = new Map<number, number>();
  /** Where the openings among the pending are. */
  #opens: number[] = [];

  constructor(longest: number) {
    this.#longest = longest;
  }

  get undecidedFrom(): number {
    return this.#pending[0]?.start ?? Number.POSITIVE_INFINITY;
  }

  get holdFrom(): number {
    return this.#opens[0] ?? Number.POSITIVE_INFINITY;
  }

  /** Gives the tags that are now known to be outside code. */
  addRun(run: TickRun): readonly Tag[] {
    const decided = this.settle(run.start - this.#longest);
    const opener = this.#pending[0] as TickRun | undefined;
    if (opener?.length === run.length) {
      this.#pending = [];
      this.#opens = [];
      return decided;
    }
    this.#pending.push(run);
    this.#last.set(run.length, run.start);
    return decided;
  }

  addTag(tag: Tag): readonly Tag[] {
    const decided = this.settle(tag.start - this.#longest);
    if (this.#pending.length === 0) return [...decided, tag];
    this.#pending.push(tag);
    if (tag.kind === 'open' && tag.to !== null) this.#opens.push(tag.start);
    return decided;
  }

  /** Backticks before this place will not be closed any more. */
  settle(before: number): readonly Tag[] {
    if (this.undecidedFrom >= before) return NONE;
    const decided: Tag[] = [];
    let at = 0;
    for (let run = this.#pending[at]; run?.kind === 'run'; run = this.#pending[at]) {
      if (this.#isClosed(run)) at = this.#afterClosing(at, run);
      else if (run.start < before) at += 1;
      else break;
      for (let tag = this.#pending[at]; tag && tag.kind !== 'run'; tag = this.#pending[++at]) decided.push(tag);
    }
    this.#forget(at);
    return decided;
  }

  #isClosed(run: TickRun): boolean {
    return (this.#last.get(run.length) ?? 0) > run.start;
  }

  #afterClosing(at: number, { length }: TickRun): number {
    const isClosing = (token: TickRun | Tag) => token.kind === 'run' && token.length === length;
    let next = at + 1;
    while (!isClosing(this.#pending[next]!)) next += 1;
    return next + 1;
  }

  #forget(count: number): void {
    this.#pending.splice(0, count);
    while (this.#opens.length > 0 && this.#opens[0]! < this.undecidedFrom) this.#opens.shift();
  }
}
