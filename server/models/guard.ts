import { type Attempt, ProviderFault, type Target } from './attempt.ts';
import { failureOf, faultIn } from './fault.ts';
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

type LoadAttempt = () => Promise<Attempt>;

type Batch = IteratorResult<readonly ModelEvent[], void>;

/** One try that is going on: its connection and the two timers. Each wait is given up on when time is up or it is cut. */
class Try {
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

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * How long the provider asks to wait, in milliseconds, or undefined when it says nothing that can be understood.
 * Never negative; may be absurdly large, which is for the caller to refuse.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  return plainNumber(headers['retry-after-ms']) ?? fromRetryAfter(headers['retry-after']?.trim(), now);
}

/** Exponential, and spread out so that a thousand turns that failed together do not come back together. */
export function backoffMs(attempt: number, baseMs: number, random: number): number {
  const full = Math.min(baseMs * 2 ** (attempt - 1), MAX_BACKOFF_MS);
  return full / 2 + (full / 2) * random;
}

const MAX_BACKOFF_MS = 10_000;

function fromRetryAfter(value: string | undefined, now: number): number | undefined {
  const seconds = plainNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  const at = httpDate(value ?? '');
  return at === undefined ? undefined : Math.max(0, at - now);
}

/** Number() would also take '', '0x10' and '1e9'. */
function plainNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

const RFC_1123 = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} [\d:]{8} (?:GMT|UTC|[+-]\d{4})$/;
const RFC_850 = /^[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} [\d:]{8} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/;
const ISO_8601 = /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})$/;

/** `Date.parse` finds a date in almost anything, "-5" included, so the form is checked first. */
function httpDate(value: string): number | undefined {
  if (ASCTIME.test(value)) return validTime(Date.parse(`${value} GMT`));
  return [RFC_1123, RFC_850, ISO_8601].some((form) => form.test(value)) ? validTime(Date.parse(value)) : undefined;
}

function validTime(time: number): number | undefined {
  return Number.isNaN(time) ? undefined : time;
}
