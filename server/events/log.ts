import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { SessionEvent } from '../../contract/events.ts';
import { reach } from '../fault-points.ts';
import { describeStorageFailure } from '../storage/failure.ts';
import type { Db } from '../storage/sqlite.ts';
import type { SessionRow, Tables } from '../storage/tables.ts';
import { type Bus, StoredEvent } from './bus.ts';
import { storedClock } from './clock.ts';
import { writeEventCursor } from './cursor.ts';
import { insertEpoch, insertEvents, newestEpoch, newestPosition, newestTime } from './store.ts';

type WithoutEnvelope<E> = E extends SessionEvent ? Omit<E, 'sessionId' | 'seq' | 'position' | 'at'> : never;
export type EventDraft = WithoutEnvelope<SessionEvent>;

/** One transaction: rows through `db`, facts through `append`. Nothing is published unless it commits. */
export class Tx {
  readonly db: Transaction<Tables>;
  readonly now: number;
  readonly staged: StoredEvent[] = [];
  /** The epoch that begins with it, if one does. */
  epoch: string | undefined;
  /** What is to be done once it has committed, after its events are published. */
  readonly afterwards: (() => void)[] = [];

  constructor(db: Transaction<Tables>, now: number) {
    this.db = db;
    this.now = now;
  }

  /** Numbers the event in its session. The caller saves the session's row, which carries the number. */
  append(session: SessionRow, draft: EventDraft): void {
    session.event_seq += 1;
    const envelope = {
      sessionId: session.id,
      seq: session.event_seq,
      position: 0,
      at: new Date(this.now).toISOString(),
    };
    const { type, ...payload } = draft;
    this.staged.push(new StoredEvent(session.owner, { type, ...envelope, ...payload } as SessionEvent));
  }
}

/** The only way to write: a transaction whose events are published, in order, once it has committed. */
export class EventLog {
  readonly db: Db;
  readonly bus: Bus;
  /**
   * Under which name the history as it is now is known. A process that stores events begins an epoch of its own, so that
   * cursors from a history that was lost, since an older copy of the database was restored, can be told from others.
   */
  #epoch: string | undefined;
  #hasOwnEpoch = false;
  /** Positions are given out here, not by the database: deleting the newest events must not bring a position back. */
  #position: number | undefined;

  constructor(db: Db, bus: Bus) {
    this.db = db;
    this.bus = bus;
  }

  /** What a client resumes from: it knows everything up to this number, as it was in this epoch. */
  async cursorAt(number: number): Promise<string> {
    const newest = this.#epoch ?? (await newestEpoch(this.db));
    this.#epoch ??= newest;
    return this.cursorNow(number);
  }

  /** The same, once the epoch is known. */
  cursorNow(number: number): string {
    return writeEventCursor({ number, epoch: this.#epoch ?? null });
  }

  async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const { result, tx } = await this.#commit(work);
    if (tx.epoch) this.#beginEpoch(tx.epoch);
    reach('write.committed');
    for (const stored of tx.staged) this.bus.publish(stored);
    for (const work of tx.afterwards) work();
    return result;
  }

  #beginEpoch(id: string): void {
    this.#epoch = id;
    this.#hasOwnEpoch = true;
  }

  /** With the first events of this process. */
  async #storeEpoch(tx: Tx, position: number): Promise<void> {
    if (this.#hasOwnEpoch || tx.staged.length === 0) return;
    tx.epoch = randomBytes(8).toString('hex');
    await insertEpoch(tx.db, tx.epoch, position);
  }

  /** Positions and times go on after the newest that are stored. */
  async #resume(db: Transaction<Tables>): Promise<number> {
    storedClock.startFrom(await newestTime(db));
    return newestPosition(db);
  }

  async #commit<T>(work: (tx: Tx) => Promise<T>): Promise<{ result: T; tx: Tx }> {
    try {
      return await this.db.transaction().execute(async (transaction) => {
        this.#position ??= await this.#resume(transaction);
        const tx = new Tx(transaction, storedClock.now());
        const result = await work(tx);
        await this.#storeEpoch(tx, this.#position);
        for (const { event } of tx.staged) event.position = ++this.#position;
        await insertEvents(transaction, tx.staged);
        reach('write.before-commit');
        return { result, tx };
      });
    } catch (error) {
      throw describeStorageFailure(error);
    }
  }
}
