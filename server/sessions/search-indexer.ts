import { setImmediate } from 'node:timers/promises';
import type { EventLog } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { indexBatch, isIndexBehind } from './search-index-store.ts';

/** So many messages as are stored in this time are indexed together. */
const DELAY_MS = 1000;

/**
 * Adds messages to the search index a little after they were stored, many at a time: a turn then writes a quarter fewer
 * pages. How far the index has come is stored with it, so what a crash leaves out is indexed after the next start.
 */
export class SearchIndexer {
  readonly #log: EventLog;
  readonly #onFailure: (error: unknown) => void;
  readonly #unsubscribe: () => void;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #isFailing = false;
  #isStopped = false;

  constructor(log: EventLog, onFailure: (error: unknown) => void) {
    this.#log = log;
    this.#onFailure = onFailure;
    this.#unsubscribe = log.bus.subscribe({ event: () => this.#plan() });
    this.#plan();
  }

  /** What is not indexed by then will be after the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#working;
  }

  #plan(): void {
    if (!this.#isStopped) this.#timer ??= setTimeout(() => void this.#begin(), DELAY_MS).unref();
  }

  #begin(): void {
    this.#working = this.#catchUp().catch((error) => this.#failed(error));
  }

  async #catchUp(): Promise<void> {
    if (await isIndexBehind(this.#log.db)) await this.#indexAll();
    this.#isFailing = false;
    this.#timer = undefined;
  }

  async #indexAll(): Promise<void> {
    for (let isMore = true; isMore && !this.#isStopped; await setImmediate()) {
      isMore = await this.#log.write(async ({ db }) => {
        const hasMore = await indexBatch(db);
        reach('search.before-commit');
        return hasMore;
      });
    }
  }

  /** Once per trouble: it is tried again every second. */
  #failed(error: unknown): void {
    if (!this.#isFailing) this.#onFailure(error);
    this.#isFailing = true;
    this.#timer = undefined;
    this.#plan();
  }
}
