import type { ParleyClient } from '../../client/parley-client.ts';
import type { StreamFrame } from '../../contract/events.ts';
import { CommandFailure } from '../failure.ts';

/** Where frames come from, until the signal says that the reader has stopped. */
export type FrameSource = (signal: AbortSignal) => AsyncIterable<StreamFrame>;

/** What happens in a session, and what is asked elsewhere on its behalf, as one sequence. */
export class TurnFrames implements AsyncIterable<StreamFrame> {
  readonly #client: ParleyClient;
  readonly #sessionId: string;
  readonly #queue = new FrameQueue();
  readonly #ending = new AbortController();
  #isWatching = false;

  constructor(client: ParleyClient, sessionId: string, source: FrameSource) {
    this.#client = client;
    this.#sessionId = sessionId;
    void this.#pump(source(this.#ending.signal), () => true).then(() =>
      this.#queue.fail(new CommandFailure(CUT_SHORT)),
    );
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamFrame> {
    return this.#queue[Symbol.asyncIterator]();
  }

  end(): void {
    this.#ending.abort();
  }

  /** Delegates in other sessions may ask the person something, too. */
  watchElsewhere(position: number): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const everywhere = this.#client.events({ after: position, deltas: false, signal: this.#ending.signal });
    void this.#pump(everywhere, (frame) => isAction(frame) && frame.sessionId !== this.#sessionId);
  }

  async #pump(frames: AsyncIterable<StreamFrame>, wants: (frame: StreamFrame) => boolean): Promise<void> {
    try {
      for await (const frame of frames) if (wants(frame)) this.#queue.push(frame);
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#queue.fail(error);
    }
  }
}

const CUT_SHORT = 'The stream ended before the turn was complete.';

type ActionFrame = Extract<StreamFrame, { type: 'action.opened' | 'action.settled' }>;

function isAction(frame: StreamFrame): frame is ActionFrame {
  return frame.type === 'action.opened' || frame.type === 'action.settled';
}

/** Frames from several streams, read one after the other as they come. */
class FrameQueue implements AsyncIterable<StreamFrame> {
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
