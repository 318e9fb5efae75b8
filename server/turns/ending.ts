/** Aborts what still waits once something has ended. Most turns have nothing that waits: only what is asked for is made. */
export class Ending {
  readonly #reason: Error;
  #controller: AbortController | undefined;
  #isOver = false;

  constructor(reason: Error) {
    this.#reason = reason;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  end(): void {
    this.#isOver = true;
    this.#controller?.abort(this.#reason);
  }
}
