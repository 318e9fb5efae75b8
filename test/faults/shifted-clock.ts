import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Fixture } from './fixture.ts';

/** A server whose clock can be set. */
export class ShiftedClock {
  readonly fixture: Fixture;
  readonly #file: string;

  private constructor(fixture: Fixture, file: string) {
    this.fixture = fixture;
    this.#file = file;
  }

  static async open(): Promise<ShiftedClock> {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'parley-clock-')), 'offset');
    writeFileSync(file, '0');
    const preload = pathToFileURL(path.resolve(import.meta.dirname, '../harness/shifted-clock.mjs')).href;
    const env = { NODE_OPTIONS: `--import=${preload}`, CLOCK_OFFSET_FILE: file };
    return new ShiftedClock(await Fixture.open({ env, delayMs: 1 }), file);
  }

  /** Milliseconds, before or after the real time. In one step: the server reads the file all the time. */
  readonly set = (offset: number): void => {
    writeFileSync(`${this.#file}.new`, String(offset));
    renameSync(`${this.#file}.new`, this.#file);
  };

  async close(): Promise<void> {
    await this.fixture.close();
    rmSync(path.dirname(this.#file), { recursive: true, force: true });
  }
}
