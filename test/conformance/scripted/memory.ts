import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What the program remembers of its conversations: a file for each, named by its token. */
export class Memory {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  has(token: string): boolean {
    return existsSync(this.#file(token));
  }

  hear(token: string, lines: readonly string[]): void {
    appendFileSync(this.#file(token), lines.map((line) => `${line}\n`).join(''));
  }

  recall(token: string): string {
    return readFileSync(this.#file(token), 'utf8').trim();
  }

  #file(token: string): string {
    return path.join(this.#folder, token);
  }
}
