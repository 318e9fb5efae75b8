import type { PersonHere } from '../actions/desk.ts';
import type { Terminal } from './terminal.ts';

/** A question on the line on which the person otherwise talks. What they had begun to type comes back after it. */
export class OpenQuestion implements PersonHere {
  readonly #terminal: Terminal;
  readonly #print: (line: string) => void;
  readonly #onAsk: () => void;
  #pending: { prompt: string; draft: string; resolve: (answer: string) => void } | null = null;

  constructor(terminal: Terminal, print: (line: string) => void, onAsk: () => void) {
    this.#terminal = terminal;
    this.#print = print;
    this.#onAsk = onAsk;
  }

  /** What is asked at the moment, or null. */
  get prompt(): string | null {
    return this.#pending?.prompt ?? null;
  }

  say(line: string): void {
    this.#print(line);
  }

  async ask(prompt: string, draft: string | undefined, signal: AbortSignal): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const giveUp = () => reject(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener('abort', giveUp, { once: true });
    this.#pending = { prompt, draft: this.#terminal.draft, resolve };
    this.#terminal.replaceDraft(draft ?? '');
    this.#terminal.remembers = false;
    this.#onAsk();
    return promise.finally(() => {
      signal.removeEventListener('abort', giveUp);
      this.#restore();
    });
  }

  /** The line that was typed answers it. */
  answer(line: string): void {
    this.#pending?.resolve(line);
  }

  #restore(): void {
    this.#terminal.replaceDraft(this.#pending?.draft ?? '');
    this.#terminal.remembers = true;
    this.#pending = null;
  }
}
