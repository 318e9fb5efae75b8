/** Lets through one at a time of what concerns the same thing, in the order of their coming. */
export class Turnstile {
  readonly #last = new Map<string, Promise<void>>();

  isBusy(key: string): boolean {
    return this.#last.has(key);
  }

  inOrder(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    this.#last.set(key, mine);
    const leave = () => this.#last.get(key) === mine && this.#last.delete(key);
    mine.then(leave, leave);
    return mine;
  }
}
