const PIECE = 4096;

/**
 * Text that waits, taken from the front as it is let go. Kept in pieces, because a string that grew by single
 * characters is put together anew each time somebody looks into it.
 */
export class HeldText {
  readonly #pieces: string[] = [];
  #from = 0;

  push(text: string): void {
    const last = this.#pieces.length - 1;
    if (last >= 0 && this.#pieces[last]!.length < PIECE) this.#pieces[last] += text;
    else this.#pieces.push(text);
  }

  /** Everything before a place that counts from the beginning of all text. */
  takeUntil(end: number): string {
    let taken = '';
    for (let piece = this.#pieces[0]; piece !== undefined && this.#from < end; piece = this.#pieces[0]) {
      const length = Math.min(piece.length, end - this.#from);
      taken += piece.slice(0, length);
      this.#from += length;
      if (length === piece.length) this.#pieces.shift();
      else this.#pieces[0] = piece.slice(length);
    }
    return taken;
  }
}
