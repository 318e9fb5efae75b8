import type { Limits } from '../../contract/config.ts';

/** A source that is being read. */
export interface CurrentReading {
  readonly id: string;
  readonly owner: string;
  readonly stop: AbortController;
  readonly startedAt: number;
  /** Null: it has come to its end. */
  fraction: number | null;
  toldAt: number;
  /** How many more passages it has by now than before; they are not counted in its row yet. */
  added: number;
}

/** Reading it no longer matters. */
export class Stopped extends Error {}

/** It is read from its beginning later, because it would keep others waiting. */
export class GaveWay extends Error {}

type SlotLimits = Pick<Limits, 'knowledgeReadsAtOnce' | 'knowledgeQuickReadMs'>;

/**
 * Which sources are read at the same time. One slot is kept for those that are read quickly: a source that takes longer
 * than `knowledgeQuickReadMs` is slow, and while others wait at most `knowledgeReadsAtOnce - 1` slow ones go on. So a
 * file that takes minutes, or several, never keeps a small one waiting for longer than that.
 */
export class ReadingSlots {
  readonly #limits: () => SlotLimits;
  readonly #current = new Map<string, CurrentReading>();
  /** Those that gave way once are slow from their beginning. */
  readonly #knownSlow = new Set<string>();

  constructor(limits: () => SlotLimits) {
    this.#limits = limits;
  }

  get(id: string): CurrentReading | undefined {
    return this.#current.get(id);
  }

  all(): CurrentReading[] {
    return [...this.#current.values()];
  }

  isFull(): boolean {
    return this.#current.size >= this.#limits().knowledgeReadsAtOnce;
  }

  /** Those that cannot begin now. */
  excluded(): string[] {
    const slow = this.#slow().length >= this.#mostSlow() ? this.#knownSlow : [];
    return [...new Set([...this.#current.keys(), ...slow])];
  }

  begin(id: string, owner: string): CurrentReading {
    const stop = new AbortController();
    const reading = { id, owner, stop, startedAt: performance.now(), fraction: 0, toldAt: 0, added: 0 };
    this.#current.set(id, reading);
    return reading;
  }

  stop(id: string): void {
    this.#knownSlow.delete(id);
    this.#current.get(id)?.stop.abort(new Stopped());
  }

  end({ id, stop }: CurrentReading): void {
    this.#current.delete(id);
    if (!(stop.signal.reason instanceof GaveWay)) this.#knownSlow.delete(id);
  }

  /** A source waits although all slots are taken. Gives the time after which to ask again, if nothing ends before that. */
  makeRoom(): number | null {
    const slow = this.#slow();
    const newest = slow.at(-1);
    if (newest && slow.length > this.#mostSlow()) {
      this.#knownSlow.add(newest.id);
      newest.stop.abort(new GaveWay());
      return null;
    }
    const oldest = this.all().find((reading) => !slow.includes(reading));
    return oldest ? Math.max(1, this.#limits().knowledgeQuickReadMs - age(oldest)) : null;
  }

  /** In the order in which they began. */
  #slow(): CurrentReading[] {
    const { knowledgeQuickReadMs } = this.#limits();
    return this.all().filter((one) => this.#knownSlow.has(one.id) || age(one) >= knowledgeQuickReadMs);
  }

  #mostSlow(): number {
    return Math.max(1, this.#limits().knowledgeReadsAtOnce - 1);
  }
}

function age({ startedAt }: CurrentReading): number {
  return performance.now() - startedAt;
}
