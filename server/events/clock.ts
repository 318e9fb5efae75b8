const DAY_MS = 24 * 3600_000;
/** How fast the clock runs, compared with real time, while it waits for the machine's clock to catch up. */
const SLOW_PACE = 0.9;

/**
 * The times that are stored. The machine's clock may be set back; these times never go back, so that sorting by them gives
 * the order in which things happened, also after a restart. While the machine's clock is behind, this one goes on from
 * the newest time, slightly slower than real time, until both agree again. A clock that was more than a day ahead was
 * simply wrong and is not followed.
 */
export class StoredClock {
  #last = 0;
  #lastUptime = performance.now();

  now(): number {
    const wall = Date.now();
    const uptime = performance.now();
    const elapsed = Math.floor((uptime - this.#lastUptime) * SLOW_PACE);
    const isAhead = wall <= this.#last && this.#last - wall < DAY_MS;
    this.#last = isAhead ? this.#last + Math.max(1, elapsed) : wall;
    this.#lastUptime = uptime;
    return this.#last;
  }

  /** Goes on after a time that is stored already. */
  startFrom(time: number): void {
    this.#last = Math.max(this.#last, time);
  }
}

/** One for the process, like the ids that are made from it. */
export const storedClock = new StoredClock();
