import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { killMarked, signalGroup } from './group.ts';
import { bootId, startTimeOf } from './proc-files.ts';

/** Something that is alive and can be stopped. */
export interface Stoppable {
  stop(): Promise<void>;
}

/** What was written down about one child. */
const Note = z.object({ pid: z.int().positive(), started: z.string(), boot: z.string().nullable() });
type Note = z.infer<typeof Note>;

/**
 * Remembers every child in a file of its own, so that whatever a killed server has left behind is found and ended when
 * the next one starts. The file is there before the child is.
 */
export class ProcessRegistry {
  readonly #folder: string;
  readonly #boot = bootId();
  readonly #alive = new Set<Stoppable>();

  /** `folder` is one that nobody else writes to, inside the data folder. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Before a child is started: the mark that it will carry. */
  announce(): string {
    const mark = randomUUID();
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(this.#fileOf(mark), '', { mode: 0o600 });
    return mark;
  }

  note(mark: string, pid: number, child: Stoppable): void {
    this.#alive.add(child);
    const started = startTimeOf(pid);
    if (started === null) return;
    const note: Note = { pid, started, boot: this.#boot };
    writeFileSync(this.#fileOf(mark), JSON.stringify(note), { mode: 0o600 });
  }

  forget(mark: string, child?: Stoppable): void {
    if (child) this.#alive.delete(child);
    rmSync(this.#fileOf(mark), { force: true });
  }

  async stopAll(): Promise<void> {
    await Promise.all(Array.from(this.#alive, (child) => child.stop()));
  }

  /** At the start, before any child: ends what the last server left, and never anybody else. Says how many it found. */
  async reapLeftovers(): Promise<number> {
    const marks = this.#marks();
    for (const mark of marks) await this.#reap(mark);
    return marks.length;
  }

  async #reap(mark: string): Promise<void> {
    const note = this.#read(mark);
    // Another process may have the number by now; not with the same moment of birth.
    if (note && note.boot === this.#boot && startTimeOf(note.pid) === note.started) signalGroup(note.pid, 'SIGKILL');
    await killMarked(mark);
    this.forget(mark);
  }

  #read(mark: string): Note | undefined {
    try {
      return Note.safeParse(JSON.parse(readFileSync(this.#fileOf(mark), 'utf8'))).data;
    } catch {
      return undefined;
    }
  }

  #marks(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch {
      return [];
    }
  }

  #fileOf(mark: string): string {
    return path.join(this.#folder, mark);
  }
}
