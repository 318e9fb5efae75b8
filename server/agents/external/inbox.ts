import type { ExternalCallback } from '../../../contract/external.ts';

interface Entry {
  readonly piece: ExternalCallback;
  /** It was taken in by the turn, which has so many characters of the answer now. */
  taken(length: number): void;
  refused(error: unknown): void;
}

/** What an external agent has sent about one turn and the turn has not taken yet. One piece waits for the one before. */
export class Inbox {
  readonly #entries: Entry[] = [];
  #wake: (() => void) | undefined;
  #closed: unknown;

  /** Resolves when the turn has taken the piece in. */
  push(piece: ExternalCallback): Promise<number> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#entries.push({ piece, taken: resolve, refused: reject });
    this.#wake?.();
    return promise;
  }

  async next(signal: AbortSignal): Promise<Entry> {
    while (this.#entries.length === 0) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
    }
    return this.#entries.shift()!;
  }

  close(reason: unknown): void {
    this.#closed = reason;
    for (const entry of this.#entries.splice(0)) entry.refused(reason);
  }
}
