import { FetchFailure } from './guarded-fetch-failure.ts';

export interface BodyLimits {
  /** Counts anew after every blank line: a stream of events may go on for ever, one event may not. */
  readonly perEvent: boolean;
  /** After decompression. */
  readonly maxBytes: number;
  /** The longest silence; null: any. */
  readonly idleMs: number | null;
}

/** The pieces of a body, until they are too many or too slow. A caller that stops reading closes the connection. */
export async function* limitedBody(response: Response, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  if (!response.body) return;
  const counter = new ByteCounter(limits.perEvent);
  const reader = response.body.getReader();
  try {
    assertDecoded(response);
    for (;;) {
      const { done, value } = await withinIdleTime(limits.idleMs, reader.read());
      if (done) return;
      if (counter.add(Buffer.from(value.buffer, value.byteOffset, value.length)) > limits.maxBytes) {
        throw tooLarge(limits.maxBytes);
      }
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

export async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of limitedBody(response, { perEvent: false, maxBytes, idleMs: null })) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Closes the connection of a response that is not read. */
export async function discardBody(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}

/** The headers that still describe the body once it is decompressed. */
export function decodedHeaders(response: Response): Headers {
  const headers = new Headers(response.headers);
  if (headers.has('content-encoding')) headers.delete('content-length');
  headers.delete('content-encoding');
  return headers;
}

export function tooLarge(maxBytes: number): FetchFailure {
  return new FetchFailure(`The response is larger than ${maxBytes} bytes.`, 'too_large');
}

export function tooSlow(timeoutMs: number): FetchFailure {
  return new FetchFailure(`No complete response within ${timeoutMs / 1000} s.`, 'timed_out');
}

/** Encodings that the transport decodes; it hands on any other as it came. */
const DECODED = /^(?:identity|x-gzip|gzip|deflate|br)?$/;

function assertDecoded({ headers }: Response): void {
  if (DECODED.test((headers.get('content-encoding') ?? '').trim().toLowerCase())) return;
  throw new FetchFailure('The response uses an unsupported compression.', 'unreadable');
}

/** Only the wait for the sender is timed, not what the reader does with a piece. */
async function withinIdleTime<T>(idleMs: number | null, read: Promise<T>): Promise<T> {
  if (idleMs === null) return read;
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooSlow(idleMs)), idleMs);
  return Promise.race([read, promise]).finally(() => clearTimeout(timer));
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
