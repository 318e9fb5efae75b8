/** More records than this are not read ahead: the program waits until the turn has taken some. */
const MOST_WAITING = 1000;

/** Records on their way from a program to the turn that reads them. */
export class RecordQueue<Item> {
  #items: Item[] = [];
  #next = 0;
  #error: Error | null = null;
  #wakeReader: (() => void) | null = null;
  #wakeWriter: (() => void) | null = null;

  /** Waits when the reader is far behind. */
  push(item: Item): Promise<void> | void {
    this.#items.push(item);
    this.#wakeReader?.();
    if (this.#items.length - this.#next > MOST_WAITING)
      return new Promise((resolve) => {
        this.#wakeWriter = resolve;
      });
  }

  /** Nothing more comes. What is waiting can still be taken; after that, taking throws the error. */
  end(error: Error): void {
    this.#error = error;
    this.#wakeReader?.();
  }

  /** Forgets what nothing has read: it belongs to a turn that is over. */
  clear(): void {
    this.#items = [];
    this.#next = 0;
    this.#wakeWriter?.();
    this.#wakeWriter = null;
  }

  async take(): Promise<Item> {
    while (this.#next >= this.#items.length) {
      this.clear();
      if (this.#error) throw this.#error;
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
      this.#wakeReader = null;
    }
    return this.#items[this.#next++]!;
  }
}
