import { AsyncLocalStorage } from 'node:async_hooks';
import type { Call } from './call.ts';

/**
 * The calls under way on one connection. A request from the server does not say which call it belongs to; but over HTTP
 * it arrives on the response to that call, and so in that call's async context.
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
