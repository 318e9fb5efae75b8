import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PersonHere } from '../actions/desk.ts';
import { note } from '../output.ts';

const DRAIN_MS = 50;
const CTRL_C = '\u0003';

/** The person at the terminal of a command. Questions go to stderr, beside what a pipe carries on. */
export class TerminalPerson implements PersonHere {
  #lines: Interface | undefined;
  /** Typed faster than asked for, but after the first question. */
  #typed: string[] = [];
  #awaiting: ((line: string) => void) | null = null;

  say(line: string): void {
    note(line);
  }

  /** What was typed before anybody asked is no answer. */
  async begin(): Promise<void> {
    await drain();
    this.#typed = [];
    this.#lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true, historySize: 0 });
    // The key is not for the question but for the turn.
    this.#lines.on('SIGINT', () => process.emit('SIGINT'));
    this.#lines.on('line', (line) => this.#hear(line));
  }

  end(): void {
    this.#lines?.close();
    this.#lines = undefined;
  }

  async ask(prompt: string, draft: string | undefined, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    this.#lines?.setPrompt(prompt);
    this.#lines?.prompt();
    if (draft !== undefined && this.#typed.length === 0) this.#lines?.write(draft);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const giveUp = () => {
      note('');
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    this.#awaiting = resolve;
    this.#hear(this.#typed.shift());
    return promise.finally(() => signal.removeEventListener('abort', giveUp));
  }

  #hear(line: string | undefined): void {
    if (line === undefined) return;
    if (!this.#awaiting) this.#typed.push(line);
    this.#awaiting?.(line);
    this.#awaiting = null;
  }
}

/** Takes from the terminal what is there already. */
async function drain(): Promise<void> {
  const { stdin } = process;
  const discard = (keys: Buffer) => void (keys.includes(CTRL_C) && process.emit('SIGINT'));
  stdin.setRawMode(true);
  stdin.on('data', discard);
  await sleep(DRAIN_MS);
  stdin.off('data', discard);
  stdin.setRawMode(false);
}
