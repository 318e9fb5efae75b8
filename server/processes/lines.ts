const LF = 10;

export class LineTooLongError extends Error {
  constructor(maxBytes: number) {
    super(`A line of output is longer than ${maxBytes} bytes.`);
    this.name = 'LineTooLongError';
  }
}

/** Splits at LF and at nothing else; what comes after the last one is a line, too. Holds at most one line. */
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<string> {
  const line = new UnfinishedLine(maxBytes);
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
      line.add(chunk.subarray(from, at));
      yield line.take();
      from = at + 1;
    }
    line.add(chunk.subarray(from));
  }
  if (line.size > 0) yield line.take();
}

class UnfinishedLine {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(piece: Buffer): void {
    this.size += piece.length;
    if (this.size > this.#maxBytes) throw new LineTooLongError(this.#maxBytes);
    if (piece.length > 0) this.#pieces.push(piece);
  }

  take(): string {
    const text = Buffer.concat(this.#pieces, this.size).toString('utf8');
    this.#pieces = [];
    this.size = 0;
    return text;
  }
}
