import { AsyncLocalStorage } from 'node:async_hooks';
import type { Call } from './call.ts';

/**
 * The calls under way on one connection. A server that wants something while it works does not say for which call; but
 * over HTTP its wish arrives on the answer to that call, and so in what that call has set going.
 */
export class CallsUnderWay {
  readonly #calls = new Set<Call>();
  readonly #current = new AsyncLocalStorage<Call>();

  async follow<T>(call: Call, act: () => Promise<T>): Promise<T> {
    this.#calls.add(call);
    try {
      return await this.#current.run(call, act);
    } finally {
      this.#calls.delete(call);
      call.over();
    }
  }

  /** The call for which the server wants something now; undefined when there is none, or when it could be another. */
  asking(): Call | undefined {
    const own = this.#current.getStore();
    if (own) return this.#calls.has(own) ? own : undefined;
    const [only] = this.#calls;
    return this.#calls.size === 1 ? only : undefined;
  }
}
