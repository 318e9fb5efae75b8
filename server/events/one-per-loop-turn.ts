/** Lets pieces of work pass in the order of their arrival, one in each turn of the event loop. */
export class OnePerLoopTurn {
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#waiting.shift()?.();
      this.#schedule();
    });
  }
}
