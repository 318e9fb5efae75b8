const WINDOW_MS = 60_000;

/** Writes a refusal down at once, and its repetitions as one number a minute: a flood must not fill the disk. */
export class RefusalTally {
  readonly #write: (code: string, count: number, requestId: string) => Promise<void>;
  readonly #repeated = new Map<string, { count: number; requestId: string }>();

  constructor(write: (code: string, count: number, requestId: string) => Promise<void>) {
    this.#write = write;
  }

  note(code: string, requestId: string): void {
    const repeated = this.#repeated.get(code);
    if (repeated) {
      repeated.count += 1;
      repeated.requestId = requestId;
      return;
    }
    this.#repeated.set(code, { count: 0, requestId });
    setTimeout(() => this.#close(code), WINDOW_MS).unref();
    this.#record(code, 1, requestId);
  }

  #close(code: string): void {
    const repeated = this.#repeated.get(code);
    this.#repeated.delete(code);
    if (repeated && repeated.count > 0) this.#record(code, repeated.count, repeated.requestId);
  }

  #record(code: string, count: number, requestId: string): void {
    // The refusal stands whether or not it could be written down.
    this.#write(code, count, requestId).catch(() => {});
  }
}
