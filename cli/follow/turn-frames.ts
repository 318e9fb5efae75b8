import { ConnectionError } from '../../client/connection-error.ts';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { StreamFrame } from '../../contract/events.ts';
import type { Session } from '../../contract/sessions.ts';
import type { SendMessageInput } from '../../contract/turns.ts';
import { FrameQueue } from './frame-queue.ts';

/** What happens in a session from where it was loaded, and what is asked elsewhere, as one sequence. */
export class SessionFrames implements AsyncIterable<StreamFrame> {
  readonly #client: ParleyClient;
  readonly #session: Session;
  readonly #queue = new FrameQueue();
  readonly #ending = new AbortController();
  /** Numbers of events that came with the answer to a send. */
  readonly #early = new Set<number>();
  #opened: Promise<void> | undefined;
  #isOpen = false;
  #isWatching = false;

  constructor(client: ParleyClient, session: Session) {
    this.#client = client;
    this.#session = session;
  }

  get sessionId(): string {
    return this.#session.id;
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamFrame> {
    return this.#queue[Symbol.asyncIterator]();
  }

  /** Something without which nothing will come any more. */
  fail(error: unknown): void {
    this.#queue.fail(error);
  }

  end(): void {
    this.#ending.abort();
  }

  /** Resolves when not even a live word can be missed any more. */
  open(): Promise<void> {
    this.#opened ??= new Promise((resolve) => {
      const onConnection = (state: 'open' | 'lost') => {
        this.#isOpen ||= state === 'open';
        resolve();
      };
      const options = { after: this.#session.lastSeq, signal: this.#ending.signal, onConnection };
      void this.#pump(this.#client.sessionEvents(this.sessionId, options), (frame) => this.#isNews(frame)).then(
        resolve,
      );
    });
    return this.#opened;
  }

  /**
   * The session's stream gathers words for a moment; the answer to a send has them at once. It is listened to until
   * the first message is complete, and from then on, or for everything else, the stream.
   */
  async sendAndHear(message: SendMessageInput): Promise<void> {
    const { signal } = this.#ending;
    try {
      for await (const frame of this.#client.streamMessage(this.sessionId, message, { signal })) {
        void this.open();
        if (!EARLY.has(frame.type)) return;
        if ('seq' in frame) this.#early.add(frame.seq);
        this.#queue.push(frame);
      }
    } catch (error) {
      if (!(error instanceof ConnectionError && this.#isOpen)) this.#queue.fail(error);
    }
  }

  /** Delegates in other sessions may ask the person something, too. */
  watchElsewhere(position: number): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const everywhere = this.#client.events({ after: position, deltas: false, signal: this.#ending.signal });
    void this.#pump(everywhere, (frame) => isAction(frame) && frame.sessionId !== this.sessionId);
  }

  #isNews(frame: StreamFrame): boolean {
    return !('seq' in frame && this.#early.has(frame.seq));
  }

  async #pump(frames: AsyncIterable<StreamFrame>, wants: (frame: StreamFrame) => boolean): Promise<void> {
    try {
      for await (const frame of frames) if (wants(frame)) this.#queue.push(frame);
    } catch (error) {
      this.#queue.fail(error);
    }
  }
}

const EARLY: ReadonlySet<StreamFrame['type']> = new Set(['turn.queued', 'turn.started', 'turn.partial', 'delta']);

type ActionFrame = Extract<StreamFrame, { type: 'action.opened' | 'action.settled' }>;

function isAction(frame: StreamFrame): frame is ActionFrame {
  return frame.type === 'action.opened' || frame.type === 'action.settled';
}
