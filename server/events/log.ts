import type { Transaction } from 'kysely';
import type { SessionEvent } from '../../contract/events.ts';
import { reach } from '../fault-points.ts';
import { describeStorageFailure } from '../storage/failure.ts';
import type { Db } from '../storage/sqlite.ts';
import type { SessionRow, Tables } from '../storage/tables.ts';
import { type Bus, StoredEvent } from './bus.ts';
import { insertEvents, newestPosition } from './store.ts';

type WithoutEnvelope<E> = E extends SessionEvent ? Omit<E, 'sessionId' | 'seq' | 'position' | 'at'> : never;
export type EventDraft = WithoutEnvelope<SessionEvent>;

/** One transaction: rows through `db`, facts through `append`. Nothing is published unless it commits. */
export class Tx {
  readonly db: Transaction<Tables>;
  readonly now: number;
  readonly staged: StoredEvent[] = [];
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
  /** Positions are given out here, not by the database: deleting the newest events must not bring a position back. */
  #position: number | undefined;

  constructor(db: Db, bus: Bus) {
    this.db = db;
    this.bus = bus;
  }

  async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const { result, tx } = await this.#commit(work);
    reach('write.committed');
    for (const stored of tx.staged) this.bus.publish(stored);
    for (const work of tx.afterwards) work();
    return result;
  }

  async #commit<T>(work: (tx: Tx) => Promise<T>): Promise<{ result: T; tx: Tx }> {
    try {
      return await this.db.transaction().execute(async (transaction) => {
        const tx = new Tx(transaction, Date.now());
        const result = await work(tx);
        this.#position ??= await newestPosition(transaction);
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
