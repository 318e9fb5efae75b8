import type { EventLog } from '../events/log.ts';
import type { PartialRow, TurnRequestRow } from '../storage/tables.ts';
import { insertPartials, insertRequests } from './store.ts';

export const FLUSH_MS = 250;
export const FLUSH_CHARACTERS = 4096;

export interface Unflushed {
  partials: PartialRow[];
  requests: TurnRequestRow[];
}

interface Speaking {
  readonly unflushedLength: number;
  takeUnflushed(): Unflushed;
}

/**
 * Keeps what is being said on disk, at most a quarter of a second or four kilobytes behind. All speakers share one
 * transaction per flush, so the cost does not multiply with their number.
 */
export class Flusher {
  readonly #log: EventLog;
  readonly #onFailure: (error: unknown) => void;
  readonly #dirty = new Set<Speaking>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(log: EventLog, onFailure: (error: unknown) => void) {
    this.#log = log;
    this.#onFailure = onFailure;
  }

  note(speaking: Speaking): void {
    this.#dirty.add(speaking);
    if (speaking.unflushedLength >= FLUSH_CHARACTERS) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** A turn that settles is written as a whole: nothing of it may arrive on disk afterwards. */
  async release(speaking: Speaking): Promise<void> {
    this.#dirty.delete(speaking);
    await this.#flushing;
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const taken = Array.from(this.#dirty, (speaking) => speaking.takeUnflushed());
    this.#dirty.clear();
    if (taken.length > 0) this.#flushing = this.#flushing.then(() => this.#write(taken));
    return this.#flushing;
  }

  async #write(taken: Unflushed[]): Promise<void> {
    try {
      await this.#log.write(async (tx) => {
        await insertRequests(
          tx.db,
          taken.flatMap((one) => one.requests),
        );
        await insertPartials(
          tx.db,
          taken.flatMap((one) => one.partials),
        );
      });
    } catch (error) {
      // The words are still in memory and are stored when the turn settles; only a crash before that loses them.
      this.#onFailure(error);
    }
  }
}
