import type { StreamFrame } from '../../contract/events.ts';

/** Frames from several streams, read one after the other as they come. */
export class FrameQueue implements AsyncIterable<StreamFrame> {
  #frames: StreamFrame[] = [];
  #failure: { error: unknown } | undefined;
  #wake = Promise.withResolvers<void>();

  push(frame: StreamFrame): void {
    this.#frames.push(frame);
    this.#wake.resolve();
  }

  /** Thrown once everything before it has been read. The first one counts. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamFrame> {
    for (;;) {
      const frames = this.#frames;
      this.#frames = [];
      yield* frames;
      if (this.#frames.length > 0) continue;
      if (this.#failure) throw this.#failure.error;
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
  }
}
