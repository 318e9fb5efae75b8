import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import { say, type Text } from '../../contract/texts.ts';

export interface QueryOptions {
  /** How long one query may take. */
  limitMs: number;
  /** An idle thread ends after this. */
  idleMs: number;
  waiting: number;
  thread: URL;
  memoryMb: number;
}

export interface QueryFailure {
  code: ErrorCode;
  message: string | Text;
}

/** What the thread says to each plan it is sent, once. */
export type QueryReply<Answer> = { answer: Answer } | { failure: QueryFailure };

interface Asked<Plan, Answer> {
  plan: Plan;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export const TOO_SLOW: QueryFailure = { code: 'search_invalid', message: say('search_invalid.tooSlow') };

/** The thread ends a long query itself; only one that does not even do that is replaced. */
const GRACE_MS = 1000;

/**
 * Queries in one thread with a read-only connection of its own, so that none delays a token. Started by the first query,
 * ended when idle, replaced when it hangs or crashes. One query at a time, the others wait.
 */
export class QueryThread<Plan extends object, Answer> {
  readonly #file: string;
  readonly #options: QueryOptions;
  readonly #waiting: Asked<Plan, Answer>[] = [];
  #current: Asked<Plan, Answer> | undefined;
  #worker: Worker | undefined;
  /** The thread runs; before that it takes nothing. */
  #isOnline = false;
  #limit: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(file: string, options: QueryOptions) {
    this.#file = file;
    this.#options = options;
  }

  ask(plan: Plan): Promise<Answer> {
    if (this.#closed) throw new AppError('shutting_down', say('shutting_down.search'));
    if (this.#waiting.length >= this.#options.waiting) {
      throw new AppError('overloaded', say('overloaded.search'), { retryAfterSeconds: 2 });
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ plan, resolve, reject });
      this.#advance();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const stopping = new AppError('shutting_down', say('shutting_down.search'));
    for (const asked of this.#waiting.splice(0)) asked.reject(stopping);
    this.#settle()?.reject(stopping);
    await this.#dismiss();
  }

  #advance(): void {
    if (this.#current || this.#closed) return;
    this.#current = this.#waiting.shift();
    if (this.#current) this.#send(this.#current);
    else this.#rest();
  }

  /** A thread that is being started gets what is asked once it runs: the limit is for the query alone. */
  #send(asked: Asked<Plan, Answer>): void {
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    this.#worker.ref();
    if (this.#isOnline) this.#post(this.#worker, asked);
  }

  #post(worker: Worker, { plan }: Asked<Plan, Answer>): void {
    this.#limit = setTimeout(() => this.#giveUp(), this.#options.limitMs + GRACE_MS);
    worker.postMessage({ ...plan, deadline: Date.now() + this.#options.limitMs });
  }

  #start(): Worker {
    const { thread, memoryMb } = this.#options;
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb };
    const worker = new Worker(thread, { workerData: { file: this.#file }, resourceLimits });
    worker.once('online', () => this.#online(worker));
    worker.on('message', (reply: QueryReply<Answer>) => this.#answered(worker, reply));
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

  #answered(worker: Worker, reply: QueryReply<Answer>): void {
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

  #settle(): Asked<Plan, Answer> | undefined {
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
