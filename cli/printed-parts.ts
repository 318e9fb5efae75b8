interface Printed {
  length: number;
  /** How it begins, to know it again. */
  head: string;
}

const HEAD = 64;

/** How much has been printed of the parts of a message that is being spoken. */
export class PrintedParts {
  readonly #parts = new Map<number, Printed>();

  has(part: number): boolean {
    return this.#parts.has(part);
  }

  lengthOf(part: number): number {
    return this.#parts.get(part)?.length ?? 0;
  }

  add(part: number, text: string): void {
    const { length, head } = this.#parts.get(part) ?? { length: 0, head: '' };
    this.#parts.set(part, { length: length + text.length, head: (head + text).slice(0, HEAD) });
  }

  /**
   * Where each text of the stored message was while it was spoken. In a stored message results that never came have no
   * place, so numbers may differ, but the order does not. One that was never heard gets a number of its own.
   */
  recognise(texts: readonly string[]): number[] {
    const heard = [...this.#parts].sort(([a], [b]) => a - b);
    let next = (heard.at(-1)?.[0] ?? -1) + 1;
    return texts.map((text) => {
      const at = heard.findIndex(([, { head, length }]) => text.startsWith(head) && length <= text.length);
      if (at < 0) return next++;
      const [part] = heard[at]!;
      heard.splice(0, at + 1);
      return part;
    });
  }
}
