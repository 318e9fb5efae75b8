import type { Readable } from 'node:stream';
import { tooSlow } from './guarded-fetch.ts';
import { tooLarge } from './guarded-fetch-body.ts';

export interface BodyLimits {
  /** Counts anew after every blank line: a stream of events may go on for ever, one event may not. */
  readonly perEvent: boolean;
  readonly maxBytes: number;
  /** The longest silence; null: any. */
  readonly idleMs: number | null;
}

/** A body as it comes, until it is too much or too slow. Who stops reading it ends it. */
export async function* limited(body: Readable, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  const counter = new ByteCounter(limits.perEvent);
  const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const { done, value } = await within(limits.idleMs, body, () => pieces.next());
      if (done) return;
      if (counter.add(value) > limits.maxBytes) throw tooLarge(limits.maxBytes);
      yield value;
    }
  } finally {
    body.destroy();
  }
}

/** Only the wait for the sender is timed, not what the reader does with a piece. */
async function within<T>(idleMs: number | null, body: Readable, act: () => Promise<T>): Promise<T> {
  if (idleMs === null) return act();
  const timer = setTimeout(() => body.destroy(tooSlow(idleMs)), idleMs);
  return act().finally(() => clearTimeout(timer));
}

const LF = 10;
const CR = 13;

class ByteCounter {
  readonly #perEvent: boolean;
  #largest = 0;
  #size = 0;
  #lineIsBlank = true;

  constructor(perEvent: boolean) {
    this.#perEvent = perEvent;
  }

  /** The size so far; of the largest event that this piece is part of. */
  add(piece: Buffer): number {
    if (!this.#perEvent) {
      this.#size += piece.length;
      return this.#size;
    }
    this.#largest = 0;
    for (let from = 0; from < piece.length; ) from = this.#addLine(piece, from);
    return this.#largest;
  }

  #addLine(piece: Buffer, from: number): number {
    const found = piece.indexOf(LF, from);
    const to = found < 0 ? piece.length : found;
    const isEmpty = to === from || (to === from + 1 && piece[from] === CR);
    this.#size += to - from;
    this.#largest = Math.max(this.#largest, this.#size);
    this.#lineIsBlank &&= isEmpty;
    if (found < 0) return to;
    if (this.#lineIsBlank) this.#size = 0;
    this.#lineIsBlank = true;
    return found + 1;
  }
}
