import type { Progress as ServerProgress } from '@modelcontextprotocol/client';
import type { Question } from '../../../contract/actions.ts';
import type { Answer, Progress, ToolContext } from '../tool.ts';
import { plainText } from './plain-text.ts';

const MOST_QUESTIONS = 20;
const PROGRESS_EVERY_MS = 50;

/**
 * One call of a tool while it is under way. It is given up when its turn is stopped, and when the server has neither
 * answered nor reported progress for too long; the time that a person or a model takes to help it does not count.
 */
export class Call {
  readonly context: ToolContext;
  readonly #timeoutMs: number;
  readonly #abort = new AbortController();
  readonly #cancel = () => this.#end('cancelled');
  #timer: NodeJS.Timeout | undefined;
  #ended: 'cancelled' | 'timed-out' | undefined;
  #isOver = false;
  #shownAt = Number.NEGATIVE_INFINITY;
  /** The newest progress that is not shown yet. */
  #latest: ServerProgress | undefined;
  #showing: NodeJS.Timeout | undefined;
  #questions = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: ToolContext, timeoutMs: number) {
    this.context = context;
    this.#timeoutMs = timeoutMs;
    context.signal.addEventListener('abort', this.#cancel, { once: true });
    if (context.signal.aborted) this.#cancel();
    else this.#wind();
  }

  /** Its reason is a word that may be told to the server. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Why it was given up, if it was. */
  get ended(): 'cancelled' | 'timed-out' | undefined {
    return this.#ended;
  }

  progress(progress: ServerProgress): void {
    if (this.#isOver) return;
    if (this.#timer) this.#wind();
    this.#latest = progress;
    const wait = this.#shownAt + PROGRESS_EVERY_MS - performance.now();
    if (wait <= 0) this.#show();
    else this.#showing ??= setTimeout(() => this.#show(), wait);
  }

  /** One question after the other; null when the person declines or was asked too often already. */
  ask(question: Question): Promise<Answer | null> {
    if (++this.#questions > MOST_QUESTIONS) return Promise.resolve(null);
    const asked = this.#last.then(() => this.whileHelped(() => this.context.ask(question)));
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  /** The server waits for us, not we for it. */
  async whileHelped<T>(help: () => Promise<T>): Promise<T> {
    if (this.#isOver || this.#ended) throw new Error('The call has ended.');
    this.#stopClock();
    try {
      return await help();
    } finally {
      if (!this.#isOver && !this.#ended) this.#wind();
    }
  }

  over(): void {
    this.#isOver = true;
    this.#stopClock();
    clearTimeout(this.#showing);
    this.context.signal.removeEventListener('abort', this.#cancel);
  }

  /** However many reports come, the newest is shown a few times a second. */
  #show(): void {
    clearTimeout(this.#showing);
    this.#showing = undefined;
    this.#shownAt = performance.now();
    if (this.#latest) this.context.progress(toProgress(this.#latest));
    this.#latest = undefined;
  }

  #wind(): void {
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#end('timed-out'), this.#timeoutMs);
  }

  #stopClock(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #end(why: 'cancelled' | 'timed-out'): void {
    this.#stopClock();
    if (this.#ended) return;
    this.#ended = why;
    this.#abort.abort(why);
  }
}

function toProgress({ progress, total, message }: ServerProgress): Progress {
  const fraction = total && total > 0 ? Math.min(1, Math.max(0, progress / total)) : undefined;
  return {
    ...(message !== undefined && { text: plainText(message, 500) }),
    ...(fraction !== undefined && { fraction }),
  };
}
