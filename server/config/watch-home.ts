import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENTS_FOLDER, listAgentFiles, MAIN_FILE } from './home-files.ts';

const SETTLE_MS = 50;
const LONGEST_SETTLE_MS = 500;
const POLL_MS = 2000;

interface Watched {
  stamp: string;
  watcher: FSWatcher;
}

/**
 * Calls back, once things settle, after anything about the configuration's files changed.
 *
 * Each folder is watched by itself, so that folders may come, go and be replaced. Where watching is not possible
 * (too many watches, some network disks) the files are looked at every two seconds instead.
 */
export class HomeWatch {
  readonly #home: string;
  readonly #changed: () => void;
  readonly #watchFolder: typeof watch;
  readonly #pollMs: number;
  readonly #watched = new Map<string, Watched>();
  #settling: NodeJS.Timeout | undefined;
  #settlingSince = 0;
  #polling: NodeJS.Timeout | undefined;
  #stamps = '';
  #closed = false;

  private constructor(home: string, changed: () => void, watchFolder: typeof watch, pollMs: number) {
    this.#home = home;
    this.#changed = changed;
    this.#watchFolder = watchFolder;
    this.#pollMs = pollMs;
  }

  static async start(
    home: string,
    changed: () => void,
    { watchFolder = watch, pollMs = POLL_MS }: { watchFolder?: typeof watch; pollMs?: number } = {},
  ): Promise<HomeWatch> {
    const started = new HomeWatch(home, changed, watchFolder, pollMs);
    await started.#watchAll();
    return started;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#settling);
    clearInterval(this.#polling);
    for (const { watcher } of this.#watched.values()) watcher.close();
    this.#watched.clear();
  }

  async #watchAll(): Promise<void> {
    const folders = [this.#home, ...(await listAgentFiles(this.#home)).folders];
    for (const [folder, { watcher }] of this.#watched) {
      if (folders.includes(folder)) continue;
      watcher.close();
      this.#watched.delete(folder);
    }
    for (const folder of folders) await this.#watchOne(folder);
  }

  async #watchOne(folder: string): Promise<void> {
    const stamp = await folderStamp(folder);
    const known = this.#watched.get(folder);
    if (this.#closed || stamp === undefined || known?.stamp === stamp) return;
    known?.watcher.close();
    try {
      const watcher = this.#watchFolder(folder, { persistent: false }, (_, name) => this.#noticed(folder, name));
      watcher.on('error', () => this.#poll());
      this.#watched.set(folder, { stamp, watcher });
    } catch {
      this.#poll();
    }
  }

  /** The data folder also holds the database, which changes all the time. */
  #noticed(folder: string, name: string | null): void {
    const ours = folder !== this.#home || name === null || name === MAIN_FILE || name === AGENTS_FOLDER;
    if (ours && !name?.startsWith('.')) this.#settle();
  }

  #settle(): void {
    if (this.#closed) return;
    this.#settlingSince = this.#settling ? this.#settlingSince : Date.now();
    const patience = LONGEST_SETTLE_MS - (Date.now() - this.#settlingSince);
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => void this.#settled(), Math.max(0, Math.min(SETTLE_MS, patience)));
  }

  /** New folders are watched before the files are read: what comes later is then noticed. */
  async #settled(): Promise<void> {
    this.#settling = undefined;
    await this.#watchAll();
    if (!this.#closed) this.#changed();
  }

  #poll(): void {
    if (this.#closed || this.#polling) return;
    void fileStamps(this.#home).then((stamps) => {
      this.#stamps = stamps;
    });
    this.#polling = setInterval(() => void this.#look(), this.#pollMs).unref();
  }

  async #look(): Promise<void> {
    const stamps = await fileStamps(this.#home);
    const same = stamps === this.#stamps;
    this.#stamps = stamps;
    if (!same) this.#settle();
  }
}

/** A folder that was deleted and made again has the same path but needs a new watch. */
async function folderStamp(folder: string): Promise<string | undefined> {
  try {
    const { dev, ino, birthtimeMs } = await stat(folder);
    return `${dev}:${ino}:${birthtimeMs}`;
  } catch {
    return undefined;
  }
}

async function fileStamps(home: string): Promise<string> {
  const { sources } = await listAgentFiles(home);
  const stamps = await Promise.all([MAIN_FILE, ...sources].map((source) => fileStamp(join(home, source))));
  return stamps.join('\n');
}

async function fileStamp(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${path}:${ino}:${size}:${mtimeMs}`;
  } catch {
    return path;
  }
}
