/** The end of what was said, however much it was. */
export class OutputTail {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(maxBytes = 8192) {
    this.#maxBytes = maxBytes;
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
    while (this.#size - this.#pieces[0]!.length >= this.#maxBytes) this.#size -= this.#pieces.shift()!.length;
  }

  text(): string {
    return Buffer.concat(this.#pieces).subarray(-this.#maxBytes).toString('utf8');
  }
}
