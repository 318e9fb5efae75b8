import { setTimeout as pause } from 'node:timers/promises';

/** How long after its answer a program may go on before the next prompt is sent. */
const REST_MS = 30;
/** The same for a program that is known to speak after its answers. */
const LONG_REST_MS = 300;
const MOST_REST_MS = 2000;

/**
 * Words that a program says after it has answered belong to no prompt. The protocol does not say which prompt words belong
 * to, except for programs that number their messages: others are left to finish before they are asked again.
 */
export class LateWords {
  #ids = new Set<string>();
  #idsBefore = new Set<string>();
  #endedAt = Number.NEGATIVE_INFINITY;
  #heardAt = Number.NEGATIVE_INFINITY;

  /** Whether the words belong to an earlier prompt. */
  isLate(messageId: string | null | undefined): boolean {
    if (!messageId) return false;
    if (this.#idsBefore.has(messageId)) return true;
    this.#ids.add(messageId);
    return false;
  }

  promptEnded(): void {
    this.#idsBefore = this.#ids;
    this.#ids = new Set();
    this.#endedAt = performance.now();
  }

  /** Something was said while no prompt was under way. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /** Resolves when the next prompt can be sent. */
  async rest(): Promise<void> {
    for (let until = this.#restsUntil(); until > performance.now(); until = this.#restsUntil())
      await pause(until - performance.now());
  }

  #restsUntil(): number {
    const rest = this.#heardAt > Number.NEGATIVE_INFINITY ? LONG_REST_MS : REST_MS;
    const last = Math.max(this.#endedAt, this.#heardAt);
    return Math.min(last + rest, this.#endedAt + MOST_REST_MS);
  }
}
