import type { SessionFrame } from './frames.ts';

const BACKGROUND_MS = 250;
const HIDDEN_MS = 1000;
const KEPT_FRAMES = 400;

/**
 * Gathers frames and hands them on a few times a second: with the next picture when the conversation being watched is
 * among them, a quarter of a second later otherwise. One line, so that their order stays what it was, and a token never
 * draws the page by itself.
 */
export class Flow {
  readonly #apply: (frames: readonly SessionFrame[]) => void;
  /** The newest frames, for conversations that are being loaded while they arrive. */
  readonly #recent: SessionFrame[] = [];
  #watched: string | null = null;
  #waiting: SessionFrame[] = [];
  #picture: number | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(apply: (frames: readonly SessionFrame[]) => void) {
    this.#apply = apply;
  }

  watch(sessionId: string): void {
    this.#watched = sessionId;
  }

  isWatched(sessionId: string): boolean {
    return this.#watched === sessionId;
  }

  push(frame: SessionFrame): void {
    this.#remember(frame);
    this.#waiting.push(frame);
    const isSeen = frame.sessionId === this.#watched && !document.hidden;
    if (isSeen) this.#picture ??= requestAnimationFrame(() => this.flush());
    // Pictures stop in a hidden tab: the timer is there in any case.
    this.#timer ??= setTimeout(() => this.flush(), document.hidden ? HIDDEN_MS : BACKGROUND_MS);
  }

  /** For frames that were asked for: what waits is applied first, then they are. */
  pushNow(frames: readonly SessionFrame[]): void {
    for (const frame of frames) this.push(frame);
    this.flush();
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#picture !== null) cancelAnimationFrame(this.#picture);
    this.#timer = null;
    this.#picture = null;
    this.#apply(this.#waiting.splice(0));
  }

  /** What arrived while a conversation was being loaded is applied once more; the reducer leaves out what it knows. */
  replay(sessionId: string, afterSeq: number): void {
    this.flush();
    const isMissed = (frame: SessionFrame) =>
      frame.sessionId === sessionId && (!('seq' in frame) || frame.seq > afterSeq);
    this.#apply(this.#recent.filter(isMissed));
  }

  #remember(frame: SessionFrame): void {
    this.#recent.push(frame);
    if (this.#recent.length > KEPT_FRAMES) this.#recent.splice(0, KEPT_FRAMES / 2);
  }
}

/** Runs pieces of work with the same key one after the other, in the order in which they were given. */
export class SerialByKey {
  readonly #last = new Map<string, Promise<void>>();

  isBusy(key: string): boolean {
    return this.#last.has(key);
  }

  inOrder(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    this.#last.set(key, mine);
    const leave = () => this.#last.get(key) === mine && this.#last.delete(key);
    mine.then(leave, leave);
    return mine;
  }
}
