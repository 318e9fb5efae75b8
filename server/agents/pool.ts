/** Something that is kept between turns: a program, or a connection. */
export interface Kept {
  /** False once it has ended by itself: it is not used again. */
  readonly isAlive: boolean;
  close(): Promise<void>;
}

export interface PoolLimits {
  /** How many may be kept at a time; those in use do not count against it. */
  readonly most: number;
  /** How long one is kept without being used. */
  readonly idleMs: number;
}

interface Entry {
  readonly kept: Kept;
  users: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * What agents keep between turns, by a key that names the agent's version and whatever else it depends on. What is in use is
 * never closed; of what is idle, the one that was used longest ago is closed first.
 */
export class Pool {
  readonly #limits: () => PoolLimits;
  /** In the order in which they were last used. */
  readonly #entries = new Map<string, Entry>();
  readonly #opening = new Map<string, Promise<Kept>>();
  #isClosed = false;

  constructor(limits: () => PoolLimits) {
    this.#limits = limits;
  }

  /** The one that is kept under the key, or a new one. Give it back with `release`. */
  async use<K extends Kept>(key: string, open: () => Promise<K>): Promise<K> {
    for (;;) {
      const known = this.#take(key);
      if (known) return known as K;
      const opening = this.#opening.get(key);
      if (!opening) return this.#open(key, open);
      await opening.catch(() => undefined);
    }
  }

  /** `broken`: it is not used again. */
  async release(key: string, kept: Kept, broken = false): Promise<void> {
    const entry = this.#entries.get(key);
    if (entry?.kept !== kept) return;
    entry.users -= 1;
    if (broken || !kept.isAlive || this.#isClosed) return this.#close(key, entry);
    if (entry.users > 0) return;
    entry.timer = setTimeout(() => void this.#close(key, entry), this.#limits().idleMs).unref();
    await this.#evict();
  }

  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#opening.values());
    await Promise.all([...this.#entries].map(([key, entry]) => this.#close(key, entry)));
  }

  #take(key: string): Kept | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    clearTimeout(entry.timer);
    if (!entry.kept.isAlive) return void entry.kept.close();
    entry.users += 1;
    this.#entries.set(key, entry);
    return entry.kept;
  }

  async #open<K extends Kept>(key: string, open: () => Promise<K>): Promise<K> {
    const opening = open();
    this.#opening.set(key, opening);
    try {
      const kept = await opening;
      this.#entries.set(key, { kept, users: 1, timer: undefined });
      return kept;
    } finally {
      this.#opening.delete(key);
    }
  }

  async #evict(): Promise<void> {
    const idle = [...this.#entries].filter(([, { users }]) => users === 0);
    const excess = idle.slice(0, Math.max(0, idle.length - this.#limits().most));
    await Promise.all(excess.map(([key, entry]) => this.#close(key, entry)));
  }

  async #close(key: string, entry: Entry): Promise<void> {
    clearTimeout(entry.timer);
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    await entry.kept.close().catch(() => undefined);
  }
}
