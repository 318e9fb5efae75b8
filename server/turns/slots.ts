/** How many turns may run at once, and which sessions wait for room, in the order in which they came. */
export class Slots {
  readonly #limit: () => number;
  readonly #parked = new Set<string>();
  #taken = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  get nobodyWaits(): boolean {
    return this.#parked.size === 0;
  }

  take(): boolean {
    if (this.#taken >= this.#limit()) return false;
    this.#taken += 1;
    return true;
  }

  /** For a turn that goes on after it has waited: it is not kept waiting again. */
  force(): void {
    this.#taken += 1;
  }

  give(): void {
    this.#taken -= 1;
  }

  park(sessionId: string): void {
    this.#parked.add(sessionId);
  }

  nextParked(): string | undefined {
    const [first] = this.#parked;
    if (first !== undefined) this.#parked.delete(first);
    return first;
  }
}
