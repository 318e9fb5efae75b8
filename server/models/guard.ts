import type { Target } from './attempt.ts';
import { failureOf, faultIn } from './fault.ts';
import { backoffMs, retryAfterMs } from './retry-after.ts';
import { type LoadAttempt, Try } from './try.ts';
import type { Model, ModelEvent, ModelFailure, ModelLimits, ModelRequest } from './types.ts';

/**
 * Makes a model of a provider that may stall, refuse, break or throw: adds the timers, the retries and the one `end`.
 * A try is repeated only while the model has not said a single word, so nothing is ever said twice.
 */
export function guard(load: LoadAttempt, limits: ModelLimits, target: Target): Model {
  return { stream: (request, signal) => new GuardedStream({ load, limits, target }, request, signal) };
}

/** A model that can only say why it cannot be used. */
export function refuse(failure: ModelFailure): Model {
  return {
    async *stream(_request, signal) {
      yield signal.aborted ? ABORTED : failedEnd(failure);
    },
  };
}

interface Guarded {
  load: LoadAttempt;
  limits: ModelLimits;
  target: Target;
}

const ABORTED: ModelEvent = { type: 'end', reason: 'aborted' };
const DEFAULT_BACKOFF_MS = 500;

/** Written as an iterator rather than a generator: an event that is already here then costs one promise, not three. */
class GuardedStream implements AsyncIterableIterator<ModelEvent> {
  readonly #guarded: Guarded;
  readonly #request: ModelRequest;
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.#cut();
  #try: Try | undefined;
  #tries = 0;
  /** How long to wait before the next try. */
  #waitMs = 0;
  #endSleep: (() => void) | undefined;
  #batch: readonly ModelEvent[] = [];
  #next = 0;
  #spoken = false;
  #ended = false;

  constructor(guarded: Guarded, request: ModelRequest, signal: AbortSignal) {
    this.#guarded = guarded;
    this.#request = request;
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    if (this.#signal.aborted) return Promise.resolve(this.#end(ABORTED));
    const event = this.#batch[this.#next++];
    return event ? Promise.resolve(this.#give(event)) : this.#pull();
  }

  /** The reader has seen enough. */
  return(): Promise<IteratorResult<ModelEvent>> {
    this.#cut();
    this.#leave();
    return Promise.resolve({ value: undefined, done: true });
  }

  async #pull(): Promise<IteratorResult<ModelEvent>> {
    while (!this.#signal.aborted) {
      try {
        this.#batch = await (this.#try ? this.#try.next() : this.#begin());
        this.#next = 1;
        const event = this.#batch[0];
        if (event && !this.#signal.aborted) return this.#give(event);
      } catch (error) {
        const event = this.#recover(error);
        if (!this.#signal.aborted) return event.type === 'end' ? this.#end(event) : { value: event, done: false };
      }
    }
    return this.#end(ABORTED);
  }

  async #begin(): Promise<readonly ModelEvent[]> {
    if (this.#waitMs > 0) await this.#sleep(this.#waitMs);
    if (this.#signal.aborted) return [];
    this.#tries += 1;
    this.#try = new Try(this.#guarded.limits);
    return this.#try.first(this.#guarded.load, this.#request);
  }

  /** The end, or a retry: the next try begins with the wait. */
  #recover(error: unknown): Extract<ModelEvent, { type: 'end' | 'retry' }> {
    this.#cut();
    this.#try = undefined;
    const failure = failureOf(error, this.#guarded.target);
    if (!this.#mayRetry(failure)) return failedEnd(failure);
    const { limits } = this.#guarded;
    const askedMs = retryAfterMs(faultIn(error)?.facts.headers ?? {}, Date.now()) ?? 0;
    if (askedMs > limits.maxRetryAfterMs) return failedEnd(tooLong(failure, askedMs));
    const ownMs = backoffMs(this.#tries, limits.backoffMs ?? DEFAULT_BACKOFF_MS, Math.random());
    this.#waitMs = Math.max(ownMs, askedMs);
    return { type: 'retry', code: failure.code, waitMs: this.#waitMs };
  }

  /** Who has waited two minutes for a first word should not have to wait four more. */
  #mayRetry(failure: ModelFailure): boolean {
    const inTime = failure.code !== 'model_first_token_timeout' && failure.code !== 'model_idle_timeout';
    return inTime && failure.retryable && !this.#spoken && this.#tries < this.#guarded.limits.maxAttempts;
  }

  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#endSleep = resolve;
    await promise;
    clearTimeout(timer);
  }

  #give(event: ModelEvent): IteratorResult<ModelEvent> {
    if (event.type === 'end') return this.#end(event);
    this.#spoken = true;
    return { value: event, done: false };
  }

  #end(event: ModelEvent): IteratorResult<ModelEvent> {
    this.#try?.finish();
    this.#leave();
    return { value: event, done: false };
  }

  #cut(): void {
    this.#endSleep?.();
    this.#try?.cut(new Error('let go'));
  }

  #leave(): void {
    this.#ended = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}

function failedEnd(failure: ModelFailure): Extract<ModelEvent, { type: 'end' }> {
  const reason = failure.code === 'model_context_overflow' ? 'context_overflow' : 'error';
  return { type: 'end', reason, error: failure };
}

/** More patience than a turn has; the person may have it. */
function tooLong(failure: ModelFailure, askedMs: number): ModelFailure {
  const said = failure.message.slice(0, 440).replace(/\.?$/, '.');
  return { ...failure, message: `${said} It asks to wait ${duration(askedMs / 60_000)} before the next try.` };
}

function duration(minutes: number): string {
  if (minutes > 120) return `${Math.ceil(minutes / 60)} hours`;
  return minutes > 2 ? `${Math.ceil(minutes)} minutes` : `${Math.ceil(minutes * 60)} seconds`;
}
