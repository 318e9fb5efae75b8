/** More events than this wait for nothing: the program is not read until some have been taken. */
const MOST_WAITING = 1000;

/** Events of a program on their way to the turn, in order. Ends with a result, or with an error. */
export class EventQueue<Event, Result> {
  #waiting: Event[] = [];
  #ended: { readonly result: Result } | { readonly error: unknown } | null = null;
  #changed = Promise.withResolvers<void>();
  #taken = Promise.withResolvers<void>();

  push(event: Event): void {
    if (this.#ended) return;
    this.#waiting.push(event);
    this.#changed.resolve();
  }

  end(result: Result): void {
    this.#ended ??= { result };
    this.#changed.resolve();
  }

  fail(error: unknown): void {
    this.#ended ??= { error };
    this.#changed.resolve();
  }

  /** Resolves when there is room for more; undefined when there is. */
  room(): Promise<void> | undefined {
    return this.#waiting.length < MOST_WAITING ? undefined : this.#taken.promise;
  }

  /** What has come so far, once there is something; or the end. `isLate` says after each wait whether to go on waiting. */
  async take(waitMs: number, isLate: () => boolean): Promise<{ events: Event[] } | { result: Result } | 'late'> {
    while (this.#waiting.length === 0 && !this.#ended) {
      const isChanged = await changedWithin(this.#changed.promise, waitMs);
      if (!isChanged && isLate()) return 'late';
    }
    this.#changed = Promise.withResolvers();
    if (this.#waiting.length > 0) return { events: this.#takeAll() };
    if ('error' in this.#ended!) throw this.#ended.error;
    return this.#ended!;
  }

  #takeAll(): Event[] {
    const events = this.#waiting;
    this.#waiting = [];
    this.#taken.resolve();
    this.#taken = Promise.withResolvers();
    return events;
  }
}

async function changedWithin(change: Promise<void>, waitMs: number): Promise<boolean> {
  const { promise: timeUp, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), waitMs).unref();
  const isChanged = await Promise.race([change.then(() => true), timeUp]);
  clearTimeout(timer);
  return isChanged;
}
