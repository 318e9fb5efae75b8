import { type Attempt, ProviderFault } from './attempt.ts';
import type { ModelEvent, ModelLimits, ModelRequest } from './types.ts';

export type LoadAttempt = () => Promise<Attempt>;

type Batch = IteratorResult<readonly ModelEvent[], void>;

/** One try that is going on: its connection and the two timers. Each wait is given up on when time is up or it is cut. */
export class Try {
  readonly #limits: ModelLimits;
  readonly #connection = new AbortController();
  #source: AsyncIterator<readonly ModelEvent[], void> | undefined;
  #timer: NodeJS.Timeout;
  #begun = false;
  #giveUp: ((reason: unknown) => void) | undefined;

  constructor(limits: ModelLimits) {
    this.#limits = limits;
    this.#timer = this.#startTimer('model_first_token_timeout', limits.firstTokenMs);
  }

  /** The first batch: loads the provider if need be, and sends the request. */
  first(load: LoadAttempt, request: ModelRequest): Promise<readonly ModelEvent[]> {
    return this.#take(this.#open(load, request));
  }

  /** The next batch. Time counts only while the caller waits: a slow reader is not a slow provider. */
  next(): Promise<readonly ModelEvent[]> {
    this.#timer.refresh();
    return this.#take(this.#source!.next());
  }

  /** The answer is whole: the connection may be kept for the next one. */
  finish(): void {
    clearTimeout(this.#timer);
    this.#source?.return?.()?.catch(() => {});
  }

  /** Closes the connection, whatever it is doing. */
  cut(reason: unknown): void {
    this.#giveUp?.(reason);
    this.#connection.abort(reason);
    this.finish();
  }

  async #open(load: LoadAttempt, request: ModelRequest): Promise<Batch> {
    const attempt = await load();
    this.#connection.signal.throwIfAborted();
    this.#source = attempt(request, this.#connection.signal);
    return this.#source.next();
  }

  #begin(): void {
    this.#begun = true;
    clearTimeout(this.#timer);
    this.#timer = this.#startTimer('model_idle_timeout', this.#limits.idleMs);
  }

  #startTimer(code: 'model_first_token_timeout' | 'model_idle_timeout', ms: number): NodeJS.Timeout {
    const what = code === 'model_idle_timeout' ? 'stopped sending' : 'did not respond';
    return setTimeout(() => this.#giveUp?.(new ProviderFault(`${what} for ${ms / 1000} s`, { code })), ms);
  }

  /** `Promise.race` against a promise that lives as long as the answer would keep a trace of every batch. */
  #take(batch: Promise<Batch>): Promise<readonly ModelEvent[]> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      batch.then(({ value }) => {
        if (!this.#begun) this.#begin();
        if (value) resolve(value);
        else reject(new ProviderFault('ended the stream too early', { code: 'model_stream_broken' }));
      }, reject);
    });
  }
}
