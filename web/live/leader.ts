import type { StreamFrame } from '../../contract/events.ts';

const LOCK = 'parley.stream';
const CHANNEL = 'parley.frames';

/** What tabs tell each other. */
type Told =
  | { kind: 'frame'; frame: StreamFrame }
  /** Where the stream can be resumed. */
  | { kind: 'cursor'; cursor: string }
  | { kind: 'connection'; state: 'open' | 'lost' }
  /** From any tab: try to connect now. */
  | { kind: 'hurry' };

export interface Follower {
  frame(frame: StreamFrame): void;
  cursor(cursor: string): void;
  connection(state: 'open' | 'lost'): void;
  hurry(): void;
}

/**
 * However many tabs are open, one of them holds the stream and tells the others: browsers allow six connections to a
 * server. When it goes, the next one takes over from where it stands itself.
 */
export class Leader {
  readonly #channel: BroadcastChannel | null;
  readonly #follower: Follower;

  constructor(follower: Follower) {
    this.#follower = follower;
    this.#channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(CHANNEL) : null;
    this.#channel?.addEventListener('message', ({ data }: MessageEvent<Told>) => this.#hear(data));
  }

  /** `follow` holds the stream and ends with the signal; it begins once no other tab holds one. */
  async lead(follow: () => Promise<void>, signal: AbortSignal): Promise<void> {
    if (!('locks' in navigator)) return follow();
    await navigator.locks.request(LOCK, { signal }, follow).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** To this tab and the others. */
  tell(told: Told): void {
    this.#hear(told);
    this.#channel?.postMessage(told);
  }

  close(): void {
    this.#channel?.close();
  }

  #hear(told: Told): void {
    if (told.kind === 'frame') this.#follower.frame(told.frame);
    else if (told.kind === 'cursor') this.#follower.cursor(told.cursor);
    else if (told.kind === 'connection') this.#follower.connection(told.state);
    else this.#follower.hurry();
  }
}
