const MOST = 500_000;

/** The beginning and the end of an output of any length. */
export class KeptOutput {
  #head = '';
  #tail = '';
  #left = 0;

  /** What of it belongs to the beginning. */
  add(text: string): string {
    const fits = text.slice(0, MOST - this.#head.length);
    this.#head += fits;
    this.#tail += text.slice(fits.length);
    if (this.#tail.length > 2 * MOST) this.#cutTail();
    return fits;
  }

  /** What comes after the beginning; empty when that was all. */
  rest(): string {
    this.#cutTail();
    return this.#left > 0 ? `\n[${this.#left} characters omitted]\n${this.#tail}` : this.#tail;
  }

  text(): string {
    return (this.#head + this.rest()).toWellFormed();
  }

  #cutTail(): void {
    const surplus = Math.max(this.#tail.length - MOST, 0);
    this.#left += surplus;
    this.#tail = this.#tail.slice(surplus);
  }
}
