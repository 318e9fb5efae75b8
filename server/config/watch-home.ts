import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENTS_FOLDER, listAgentFiles, MAIN_FILE } from './home-files.ts';

const SETTLE_MS = 50;
const LONGEST_SETTLE_MS = 500;
const POLL_MS = 500;

interface Watched {
  stamp: string;
  watcher: FSWatcher;
}

/**
 * Calls back, once things settle, after anything about the configuration's files changed.
 *
 * `parley.json` and each folder of agents are watched by themselves, so that they may come, go and be replaced. The data
 * folder itself is not: the database is in it, and each of its commits would wake this process several times. What comes
 * into being there is found by looking twice a second, and so is everything where watching is not possible (too many
 * watches, some network disks).
 */
export class HomeWatch {
  readonly #home: string;
  readonly #changed: () => void;
  readonly #watch: typeof watch;
  readonly #watched = new Map<string, Watched>();
  #settling: NodeJS.Timeout | undefined;
  #settlingSince = 0;
  #polling: NodeJS.Timeout | undefined;
  #isBlind = false;
  /** What was last found by looking. */
  #seen = '';
  #closed = false;

  private constructor(home: string, changed: () => void, watchFolder: typeof watch) {
    this.#home = home;
    this.#changed = changed;
    this.#watch = watchFolder;
  }

  static async start(
    home: string,
    changed: () => void,
    { watchFolder = watch, pollMs = POLL_MS }: { watchFolder?: typeof watch; pollMs?: number } = {},
  ): Promise<HomeWatch> {
    const started = new HomeWatch(home, changed, watchFolder);
    await started.#watchAll();
    started.#seen = await started.#stamps();
    started.#polling = setInterval(() => void started.#look(), pollMs).unref();
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
    const places = [join(this.#home, MAIN_FILE), ...(await listAgentFiles(this.#home)).folders];
    for (const [place, { watcher }] of this.#watched) {
      if (places.includes(place)) continue;
      watcher.close();
      this.#watched.delete(place);
    }
    for (const place of places) await this.#watchOne(place);
  }

  async #watchOne(place: string): Promise<void> {
    const stamp = await identityOf(place);
    const known = this.#watched.get(place);
    if (this.#closed || stamp === undefined || known?.stamp === stamp) return;
    known?.watcher.close();
    try {
      const watcher = this.#watch(place, { persistent: false }, (_, name) => this.#noticed(name));
      watcher.on('error', () => this.#lookEverywhere());
      this.#watched.set(place, { stamp, watcher });
    } catch {
      this.#lookEverywhere();
    }
  }

  #noticed(name: string | null): void {
    if (!name?.startsWith('.')) this.#settle();
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
    this.#seen = await this.#stamps();
    if (!this.#closed) this.#changed();
  }

  #lookEverywhere(): void {
    this.#isBlind = true;
  }

  async #look(): Promise<void> {
    const stamps = await this.#stamps();
    const same = stamps === this.#seen;
    this.#seen = stamps;
    if (!same) this.#settle();
  }

  #stamps(): Promise<string> {
    return this.#isBlind ? fileStamps(this.#home) : homeStamps(this.#home);
  }
}

/** A file or folder that was deleted and made again has the same path but needs a new watch. */
async function identityOf(place: string): Promise<string | undefined> {
  try {
    const { dev, ino, birthtimeMs } = await stat(place);
    return `${dev}:${ino}:${birthtimeMs}`;
  } catch {
    return undefined;
  }
}

/** Of what is found in the data folder itself. */
async function homeStamps(home: string): Promise<string> {
  const agents = await identityOf(join(home, AGENTS_FOLDER));
  return `${await fileStamp(join(home, MAIN_FILE))}\n${agents}`;
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
