import { type Completer, clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';

export interface TerminalEvents {
  line(text: string): void;
  interrupt(): void;
  close(): void;
}

/**
 * An input line, and the conversation above it. While an agent speaks the line is hidden: what is typed
 * meanwhile is kept and shown again afterwards.
 */
export class Terminal {
  readonly #screen: MutableScreen;
  readonly #lines: Interface;
  #isAsking = false;
  #isClosed = false;
  /** Answers to questions are not worth bringing back. */
  remembers = true;

  constructor(history: string[], completer: Completer, events: TerminalEvents) {
    this.#screen = new MutableScreen();
    const options = { input: process.stdin, output: this.#screen, terminal: true, history, historySize: 1000 };
    this.#lines = createInterface({ ...options, completer, removeHistoryDuplicates: true });
    this.#lines.on('history', (lines: string[]) => {
      if (!this.remembers) lines.shift();
    });
    this.#lines.on('line', (text) => {
      this.#isAsking = false;
      events.line(text);
    });
    this.#lines.on('SIGINT', () => events.interrupt());
    this.#lines.on('close', () => {
      this.#isClosed = true;
      events.close();
    });
  }

  /** What is typed at the moment. */
  get draft(): string {
    return this.#lines.line;
  }

  discardDraft(): void {
    this.write('\n');
    this.#empty();
  }

  /** Puts something else on the line, out of sight. */
  replaceDraft(text: string): void {
    this.hideLine();
    this.#empty();
    if (text !== '') this.#lines.write(text);
  }

  #empty(): void {
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
  }

  ask(prompt: string): void {
    if (this.#isClosed) return;
    this.#screen.muted = false;
    this.#isAsking = true;
    this.#lines.setPrompt(prompt);
    this.#lines.prompt(true);
  }

  /** Hides the input line while an agent speaks. */
  hideLine(): void {
    if (this.#isAsking) this.#wipe();
    this.#isAsking = false;
    this.#screen.muted = true;
  }

  write(text: string): void {
    process.stdout.write(text);
  }

  close(): void {
    this.#screen.muted = true;
    this.#lines.close();
  }

  #wipe(): void {
    moveCursor(process.stdout, 0, -this.#lines.getCursorPos().rows);
    cursorTo(process.stdout, 0);
    clearScreenDown(process.stdout);
  }
}

/** Readline's way to the terminal, which can be closed for a while. */
class MutableScreen extends Writable {
  muted = true;
  readonly isTTY = true;

  constructor() {
    super();
    process.stdout.on('resize', () => this.emit('resize'));
  }

  get columns(): number {
    return process.stdout.columns;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.muted) process.stdout.write(chunk);
    done();
  }
}
