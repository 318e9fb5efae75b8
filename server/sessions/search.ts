import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import type { SearchQuery, SearchResults } from '../../contract/sessions.ts';
import { say } from '../../contract/texts.ts';
import { readCursor, writeCursor } from '../storage/cursor.ts';
import { parseSearch } from './search-query.ts';
import { type SearchAnswer, type SearchPlan, type SearchReply, TOO_SLOW } from './search-store.ts';

export interface SearchOptions {
  /** How long one search may look. */
  limitMs: number;
  /** An idle thread ends after this. */
  idleMs: number;
  waiting: number;
  thread: URL;
}

interface Asked {
  plan: Omit<SearchPlan, 'deadline'>;
  resolve(answer: SearchAnswer): void;
  reject(error: Error): void;
}

// Beside this file, in the same form: sources as they are, or compiled.
const THREAD = new URL(`./search-worker${path.extname(import.meta.url)}`, import.meta.url);
const DEFAULTS: SearchOptions = { limitMs: 5000, idleMs: 180_000, waiting: 100, thread: THREAD };
/** The thread ends a long search itself; only one that does not even do that is replaced. */
const GRACE_MS = 1000;
const Place = z.tuple([z.int()]);
const MEMORY = { maxOldGenerationSizeMb: 128 };

/**
 * Full-text search in one thread with a read-only connection of its own, so that no search delays a token. Started by the
 * first search, ended when idle, replaced when it hangs or crashes. One search at a time, the others wait.
 */
export class MessageSearch {
  readonly #file: string;
  readonly #options: SearchOptions;
  readonly #waiting: Asked[] = [];
  #current: Asked | undefined;
  #worker: Worker | undefined;
  /** The thread runs; before that it takes nothing. */
  #isOnline = false;
  #limit: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(file: string, options: Partial<SearchOptions> = {}) {
    this.#file = file;
    this.#options = { ...DEFAULTS, ...options };
  }

  async search(owner: string, query: SearchQuery): Promise<SearchResults> {
    const search = parseSearch(query.q, Date.now());
    const beforeRid = query.cursor === undefined ? null : readCursor(Place, query.cursor)[0];
    const within = query.session ?? null;
    const { hits, rids } = await this.#ask({ owner, search, within, limit: query.limit + 1, beforeRid });
    const more = hits.length > query.limit;
    return { hits: hits.slice(0, query.limit), next: more ? writeCursor([rids[query.limit - 1]!]) : null };
  }

  async close(): Promise<void> {
    this.#closed = true;
    const stopping = new AppError('shutting_down', say('shutting_down.search'));
    for (const asked of this.#waiting.splice(0)) asked.reject(stopping);
    this.#settle()?.reject(stopping);
    await this.#dismiss();
  }

  #ask(plan: Asked['plan']): Promise<SearchAnswer> {
    if (this.#closed) throw new AppError('shutting_down', say('shutting_down.search'));
    if (this.#waiting.length >= this.#options.waiting) {
      throw new AppError('overloaded', say('overloaded.search'), { retryAfterSeconds: 2 });
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ plan, resolve, reject });
      this.#advance();
    });
  }

  #advance(): void {
    if (this.#current || this.#closed) return;
    this.#current = this.#waiting.shift();
    if (this.#current) this.#send(this.#current);
    else this.#rest();
  }

  /** A thread that is being started gets what is asked once it runs: the limit is for the search alone. */
  #send(asked: Asked): void {
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    this.#worker.ref();
    if (this.#isOnline) this.#post(this.#worker, asked);
  }

  #post(worker: Worker, { plan }: Asked): void {
    this.#limit = setTimeout(() => this.#giveUp(), this.#options.limitMs + GRACE_MS);
    worker.postMessage({ ...plan, deadline: Date.now() + this.#options.limitMs });
  }

  #start(): Worker {
    const worker = new Worker(this.#options.thread, { workerData: { file: this.#file }, resourceLimits: MEMORY });
    worker.once('online', () => this.#online(worker));
    worker.on('message', (reply: SearchReply) => this.#answered(worker, reply));
    // An `exit` always follows, and says all there is to know.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#lost(worker));
    return worker;
  }

  #online(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#isOnline = true;
    if (this.#current) this.#post(worker, this.#current);
  }

  #answered(worker: Worker, reply: SearchReply): void {
    if (worker !== this.#worker) return;
    const asked = this.#settle();
    if ('answer' in reply) asked?.resolve(reply.answer);
    else asked?.reject(new AppError(reply.failure.code, reply.failure.message));
    this.#advance();
  }

  #lost(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#isOnline = false;
    this.#settle()?.reject(new AppError('storage_unavailable', say('storage_unavailable.search')));
    this.#advance();
  }

  #giveUp(): void {
    void this.#dismiss();
    this.#settle()?.reject(new AppError(TOO_SLOW.code, TOO_SLOW.message));
    this.#advance();
  }

  /** An idle thread does not keep the process alive, and not itself either. */
  #rest(): void {
    this.#worker?.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#dismiss(), this.#options.idleMs).unref();
  }

  #settle(): Asked | undefined {
    clearTimeout(this.#limit);
    const asked = this.#current;
    this.#current = undefined;
    return asked;
  }

  async #dismiss(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isOnline = false;
    await worker?.terminate();
  }
}
