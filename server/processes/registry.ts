import { mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { killMarked, signalGroup } from './group.ts';
import { bootId, startTimeOf } from './proc-files.ts';

/** Something that is alive and can be stopped. */
export interface Stoppable {
  stop(): Promise<void>;
}

const Process = z.object({ pid: z.int().positive(), started: z.string().nullable(), boot: z.string().nullable() });
type Process = z.infer<typeof Process>;

/** What is written down about a child; before it has been started, only whose it will be. */
const Note = z.object({ server: Process, child: Process.optional() });
type Note = z.infer<typeof Note>;

const MARK = /^[0-9a-f-]{36}$/;

/**
 * Remembers every child in a file of its own, so that whatever a killed server has left behind is found and ended when
 * the next one starts. The file is there before the child is.
 */
export class ProcessRegistry {
  readonly #folder: string;
  readonly #alive = new Set<Stoppable>();

  /** `folder` is inside the data folder, and only this registry writes to it. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Before a child is started that will carry this mark. */
  announce(mark: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#write(mark, { server: describe(process.pid) });
  }

  /** A descriptor of the child's file for it to inherit; undefined when the file cannot be opened. */
  open(mark: string): number | undefined {
    try {
      return openSync(this.fileOf(mark), 'r');
    } catch {
      return undefined;
    }
  }

  note(mark: string, pid: number, child: Stoppable): void {
    this.#alive.add(child);
    try {
      this.#write(mark, { server: describe(process.pid), child: describe(pid) });
    } catch {
      // On a full disk there is still the file, and by its name the child is found.
    }
  }

  forget(mark: string, child?: Stoppable): void {
    if (child) this.#alive.delete(child);
    rmSync(this.fileOf(mark), { force: true });
  }

  async stopAll(): Promise<void> {
    await Promise.all(Array.from(this.#alive, (child) => child.stop()));
  }

  /** At the start, before any child: ends only processes that the last server left. Returns how many it found. */
  async reapLeftovers(): Promise<number> {
    const marks = this.#marks();
    for (const mark of marks) await this.#reap(mark);
    return marks.length;
  }

  async #reap(mark: string): Promise<void> {
    const note = this.#read(mark);
    // The folder may be a copy of one whose server goes on.
    if (note && note.server.pid !== process.pid && isStill(note.server)) return this.forget(mark);
    if (note?.child && isStill(note.child)) signalGroup(note.child.pid, 'SIGKILL');
    await killMarked(mark, this.fileOf(mark));
    this.forget(mark);
  }

  #write(mark: string, note: Note): void {
    writeFileSync(this.fileOf(mark), JSON.stringify(note), { mode: 0o600 });
  }

  #read(mark: string): Note | undefined {
    try {
      return Note.safeParse(JSON.parse(readFileSync(this.fileOf(mark), 'utf8'))).data;
    } catch {
      return undefined;
    }
  }

  #marks(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => MARK.test(name));
    } catch {
      return [];
    }
  }

  fileOf(mark: string): string {
    return path.join(this.#folder, mark);
  }
}

function describe(pid: number): Process {
  return { pid, started: startTimeOf(pid), boot: bootId() };
}

/** Another process may have the number by now, but not with the same moment of birth. */
function isStill({ pid, started, boot }: Process): boolean {
  return started !== null && boot === bootId() && startTimeOf(pid) === started;
}
