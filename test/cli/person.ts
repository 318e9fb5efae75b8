import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { PROGRAM } from '../harness/program.ts';
import { environment, until } from './parley.ts';

const DRIVER = path.resolve(import.meta.dirname, 'pseudo-terminal.py');

export const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0;

/** A person at a terminal. */
export class Person {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #code: Promise<number | null>;
  #screen = '';
  #read = 0;

  constructor(home: string, args: readonly string[], more: Record<string, string> = {}) {
    const env = environment(home, { TERM: 'xterm-256color', NO_COLOR: '1', ...more });
    this.#child = spawn('python3', [DRIVER, process.execPath, PROGRAM, ...args], { env });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#screen += chunk;
    });
    this.#code = new Promise((resolve) => this.#child.on('exit', resolve));
    onTestFinished(() => void this.#child.kill());
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Waits until the words appear after those that were waited for before. */
  async sees(words: string): Promise<void> {
    await until(() => this.screen.indexOf(words, this.#read) >= 0, `"${words}" in:\n${this.screen}`).catch(() => {
      throw new Error(`Waited in vain for "${words}" in:\n${this.screen.slice(this.#read)}`);
    });
    this.#read = this.screen.indexOf(words, this.#read) + words.length;
  }

  get screen(): string {
    return stripVTControlCharacters(this.#screen).replaceAll('\r', '');
  }

  get exitCode(): Promise<number | null> {
    return this.#code;
  }
}
