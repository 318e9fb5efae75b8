import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AppError } from '../../contract/errors.ts';
import { damaged } from './failure.ts';
import { type CheckRequest, checkDatabase } from './thread.ts';

/** A file of this size is checked in well under a second; what is larger is checked while the server works already. */
const QUICK_BYTES = 64_000_000;

export type CheckReport = (what: string, facts: { megabytes: number; seconds?: number }) => void;

/**
 * Whether a database may be relied on. One that the last server closed in order is taken as it is. Any other is checked
 * thoroughly in the background, and a small one quickly before it is opened.
 */
export class DatabaseIntegrity {
  readonly #file: string;
  readonly #ending = new AbortController();
  #isIntact: boolean;

  constructor(file: string) {
    this.#file = file;
    this.#isIntact = takeCleanStop(file);
  }

  /** Fails when the database is damaged. */
  async checkIfSmall(): Promise<void> {
    if (this.#isIntact || this.#size > QUICK_BYTES) return;
    const problem = await this.#check('quick');
    if (problem) throw problem;
  }

  /** Gives the problem when there is one; null when there is none or the server stops first. */
  async checkInBackground(report: CheckReport): Promise<AppError | null> {
    if (this.#isIntact) return null;
    const megabytes = Math.round(this.#size / 1e6);
    const isLong = this.#size > QUICK_BYTES;
    if (isLong)
      report('checking the database in the background, as the last server did not stop in order', { megabytes });
    const onProgress = (seconds: number) => report('still checking the database', { megabytes, seconds });
    const began = performance.now();
    const problem = await this.#check('full', onProgress);
    const seconds = Math.round((performance.now() - began) / 1000);
    this.#isIntact = problem === null && !this.#ending.signal.aborted;
    if (this.#isIntact && isLong) report('the database is intact', { megabytes, seconds });
    return problem;
  }

  async #check(depth: CheckRequest['depth'], onProgress?: (seconds: number) => void): Promise<AppError | null> {
    try {
      const request = { file: this.#file, depth };
      const problems = await checkDatabase(request, { signal: this.#ending.signal, onProgress });
      return problems.length === 0 ? null : damaged(this.#file, problems.join('; '));
    } catch (error) {
      if (this.#ending.signal.aborted) return null;
      throw error;
    }
  }

  stopChecking(): void {
    this.#ending.abort();
  }

  /** After the database was closed: what has not been checked to the end is checked at the next start. */
  noteStop(): void {
    if (this.#isIntact) leaveCleanStop(this.#file);
  }

  get #size(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }
}

/**
 * A server that stops in order leaves a file beside the database that says how the database was then. Without it, or when
 * the database is not as it says, the last server did not stop in order or the database was changed or replaced since.
 */
interface Mark {
  size: number;
  mtimeMs: number;
}

const markOf = (database: string) => `${database}-stopped`;

/** Takes the mark away, as long as a server uses the database. */
function takeCleanStop(database: string): boolean {
  const left = readMark(database);
  rmSync(markOf(database), { force: true });
  const found = currentMark(database);
  if (found === null) return true;
  return left !== null && left.size === found.size && left.mtimeMs === found.mtimeMs && !hasLog(database);
}

/** After the database was closed. What cannot be written down means a check at the next start. */
function leaveCleanStop(database: string): void {
  const mark = currentMark(database);
  if (mark === null || hasLog(database)) return;
  try {
    writeFileSync(markOf(database), JSON.stringify(mark), { mode: 0o600 });
  } catch {
    rmSync(markOf(database), { force: true });
  }
}

function readMark(database: string): Mark | null {
  try {
    return JSON.parse(readFileSync(markOf(database), 'utf8'));
  } catch {
    return null;
  }
}

/** Null where there is no database yet. */
function currentMark(database: string): Mark | null {
  const found = statSync(database, { throwIfNoEntry: false });
  return found && found.size > 0 ? { size: found.size, mtimeMs: found.mtimeMs } : null;
}

function hasLog(database: string): boolean {
  return (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
