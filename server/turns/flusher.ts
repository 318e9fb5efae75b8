import type { EventLog, Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { saveAgentStates } from '../sessions/agent-state-store.ts';
import type { Connection } from '../sessions/store.ts';
import type { AgentStateRow, PartialRow } from '../storage/tables.ts';
import { insertPartials, insertRequests, insertRequestsOfTurn, type NotedRequest } from './store.ts';

export const FLUSH_MS = 250;
export const FLUSH_CHARACTERS = 4096;

export interface Unflushed {
  partials: PartialRow[];
  requests: NotedRequest[];
  states: AgentStateRow[];
}

interface Speaking {
  readonly unflushedLength: number;
  takeUnflushed(): Unflushed;
  /** It could not be written: it comes first the next time, so that no hole is ever left on disk. */
  putBack(unflushed: Unflushed): void;
}

/**
 * Keeps what is being said on disk, at most a quarter of a second or four kilobytes behind. All speakers share one
 * transaction per flush, so the cost does not multiply with their number.
 */
export class Flusher {
  readonly #log: EventLog;
  readonly #onFailure: (error: unknown) => void;
  readonly #dirty = new Set<Speaking>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #failing = false;

  constructor(log: EventLog, onFailure: (error: unknown) => void) {
    this.#log = log;
    this.#onFailure = onFailure;
  }

  note(speaking: Speaking): void {
    this.#dirty.add(speaking);
    if (speaking.unflushedLength >= FLUSH_CHARACTERS && !this.#failing) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** A turn that settles is written as a whole: nothing of it may arrive on disk afterwards. */
  async release(speaking: Speaking): Promise<void> {
    this.#dirty.delete(speaking);
    await this.#flushing;
    this.#dirty.delete(speaking);
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#dirty.size > 0) this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  async #write(): Promise<void> {
    const taken = Array.from(this.#dirty, (speaking) => ({ speaking, unflushed: speaking.takeUnflushed() }));
    this.#dirty.clear();
    if (taken.length === 0) return;
    try {
      await this.#log.write((tx) =>
        insertAll(
          tx,
          taken.map((one) => one.unflushed),
        ),
      );
      this.#failing = false;
    } catch (error) {
      for (const { speaking, unflushed } of taken) this.#keep(speaking, unflushed);
      // Once per trouble: it is tried again four times a second.
      if (!this.#failing) this.#onFailure(error);
      this.#failing = true;
    }
  }

  #keep(speaking: Speaking, unflushed: Unflushed): void {
    speaking.putBack(unflushed);
    this.#dirty.add(speaking);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }
}

async function insertAll(tx: Tx, unflushed: Unflushed[]): Promise<void> {
  await insertUnflushed(tx.db, {
    requests: unflushed.flatMap((one) => one.requests),
    partials: unflushed.flatMap((one) => one.partials),
    states: unflushed.flatMap((one) => one.states),
  });
  reach('flush.before-commit');
}

async function insertUnflushed(db: Connection, { requests, ...others }: Unflushed): Promise<void> {
  await insertRequests(db, requests);
  await insertOthers(db, others);
}

/** The same for one turn that is known to exist. */
export async function insertUnflushedOfTurn(db: Connection, { requests, ...others }: Unflushed): Promise<void> {
  await insertRequestsOfTurn(db, requests);
  await insertOthers(db, others);
}

async function insertOthers(db: Connection, { partials, states }: Omit<Unflushed, 'requests'>): Promise<void> {
  await insertPartials(db, partials);
  await saveAgentStates(db, states);
}
