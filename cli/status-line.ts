import { cut } from './text-width.ts';

/** One line at the bottom that says what goes on and is gone before anything else is printed. Only on a terminal. */
export class StatusLine {
  readonly #write: (text: string) => void;
  readonly #isLive: boolean;
  #isShown = false;

  constructor(write: (text: string) => void, isLive: boolean) {
    this.#write = write;
    this.#isLive = isLive;
  }

  /** The cursor has to be at the beginning of a line. */
  show(text: string, columns = process.stdout.columns || 80): void {
    if (!this.#isLive) return;
    this.#write(`\r\x1b[2K${cut(text, columns - 1)}`);
    this.#isShown = true;
  }

  clear(): void {
    if (!this.#isShown) return;
    this.#write('\r\x1b[2K');
    this.#isShown = false;
  }
}
