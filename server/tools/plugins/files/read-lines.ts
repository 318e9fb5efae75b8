import type { FileHandle } from 'node:fs/promises';

export interface LinesRead {
  readonly bytes: Buffer;
  /** The line to go on with; null at the end of the file. */
  readonly next: number | null;
}

const LF = 10;
const CHUNK_BYTES = 65_536;

/** Lines of a file of any size, reading no further than needed and keeping no more than is asked for. */
export async function readLines(file: FileHandle, from: number, limit: number, maxBytes: number): Promise<LinesRead> {
  const window = new LineWindow(from, limit, maxBytes);
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(chunk);
    if (bytesRead === 0) return { bytes: window.bytes(), next: null };
    if (!window.take(chunk.subarray(0, bytesRead))) return window.soFar();
  }
}

class LineWindow {
  readonly #from: number;
  readonly #end: number;
  readonly #maxBytes: number;
  readonly #kept: Buffer[] = [];
  #size = 0;
  /** The one that the next byte belongs to. */
  line = 1;

  constructor(from: number, limit: number, maxBytes: number) {
    this.#from = from;
    this.#end = from + limit;
    this.#maxBytes = maxBytes;
  }

  /** False when there is something that is no longer wanted. */
  take(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length; ) {
      if (this.line >= this.#end || this.#size >= this.#maxBytes) return false;
      const found = chunk.indexOf(LF, at);
      const to = found < 0 ? chunk.length : found + 1;
      if (this.line >= this.#from) this.#keep(chunk.subarray(at, to));
      if (found >= 0) this.line += 1;
      at = to;
    }
    return true;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#kept);
  }

  /** A line that did not fit is left for the next time, unless it is alone: then it never will, and is cut. */
  soFar(): LinesRead {
    const bytes = this.bytes();
    const end = bytes.lastIndexOf(LF) + 1;
    if (end === bytes.length) return { bytes, next: this.line };
    return end > 0 ? { bytes: bytes.subarray(0, end), next: this.line } : { bytes, next: this.line + 1 };
  }

  #keep(bytes: Buffer): void {
    const kept = Buffer.from(bytes.subarray(0, this.#maxBytes - this.#size));
    this.#kept.push(kept);
    this.#size += kept.length;
  }
}
