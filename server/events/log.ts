import { randomBytes } from 'node:crypto';
import type { SessionEvent } from '../../contract/events.ts';
import { reach } from '../fault-points.ts';
import { describeStorageFailure } from '../storage/failure.ts';
import { GroupCommit } from '../storage/group-commit.ts';
import { type Attempted, inSavepoint } from '../storage/savepoint.ts';
import type { Db, SessionRow } from '../storage/tables.ts';
import { type Bus, StoredEvent } from './bus.ts';
import { isoTime, storedClock } from './clock.ts';
import type { Fact } from './facts.ts';
import { writeEventCursor } from './replay.ts';
import {
  deleteEventsUpto,
  insertEpoch,
  insertEvents,
  newestEpoch,
  newestPosition,
  newestTime,
  oldEventsEnd,
} from './store.ts';

type WithoutEnvelope<E> = E extends SessionEvent ? Omit<E, 'sessionId' | 'seq' | 'position' | 'at'> : never;
export type EventDraft = WithoutEnvelope<SessionEvent>;

/** One transaction: rows through `db`, facts through `append`. Nothing is published unless it commits. */
export class Tx {
  readonly db: Db;
  readonly now: number;
  /** The same as clients read it. */
  readonly #at: string;
  readonly staged: StoredEvent[] = [];
  /** What it makes true outside of sessions. */
  readonly facts: Fact[] = [];
  /** The epoch that begins with it, if one does. */
  epoch: string | undefined;
  /** What is to be done once it has committed, after its events are published. */
  readonly afterwards: (() => void)[] = [];

  constructor(db: Db, now: number) {
    this.db = db;
    this.now = now;
    this.#at = isoTime(now);
  }

  /** Numbers the event in its session. The caller saves the session's row, which carries the number. */
  append(session: SessionRow, draft: EventDraft): void {
    session.event_seq += 1;
    const envelope = {
      sessionId: session.id,
      seq: session.event_seq,
      position: 0,
      at: this.#at,
    };
    const { type, ...payload } = draft;
    this.staged.push(new StoredEvent(session.owner, { type, ...envelope, ...payload } as SessionEvent));
  }

  /** A part that is undone alone where it fails. It appends no events to sessions that are saved outside of it. */
  async attempt<T>(work: () => Promise<T>): Promise<Attempted<T>> {
    const lists = [this.staged, this.facts, this.afterwards];
    const lengths = lists.map(({ length }) => length);
    const attempted = await inSavepoint(this.db, work);
    if ('error' in attempted) for (const [index, list] of lists.entries()) list.length = lengths[index]!;
    return attempted;
  }
}

/** Where the numbering stands after a transaction. */
interface Numbering {
  /** Positions are given out here, not by the database: deleting the newest events must not bring a position back. */
  position: number;
  /**
   * The epoch that this process has begun with its first events, so that cursors from a history that was lost, since an
   * older copy of the database was restored, can be told from others.
   */
  epoch: string | null;
}

/** The only way to write: a transaction whose events are published, in order, once it has committed. */
export class EventLog {
  readonly db: Db;
  readonly bus: Bus;
  readonly #commits: GroupCommit<Numbering | null>;
  readonly #alongside: ((tx: Tx) => Promise<void>)[] = [];
  /** Under which name the history as it is now is known. */
  #epoch: string | undefined;

  constructor(db: Db, bus: Bus) {
    this.db = db;
    this.bus = bus;
    this.#commits = new GroupCommit<Numbering | null>(db, null);
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

  /** Lets more be written in every transaction, once its own rows and events are known. */
  alongside(write: (tx: Tx) => Promise<void>): void {
    this.#alongside.push(write);
  }

  /**
   * Transactions that are asked for at about the same time share a commit; each fails or succeeds for itself. `within`: as
   * a part of that transaction, whose caller is the one that waits for the commit.
   */
  async write<T>(work: (tx: Tx) => Promise<T>, within?: Tx): Promise<T> {
    if (within) return work(within);
    try {
      const { result } = await this.#commits.run({
        write: (db, numbering) => this.#write(db, numbering, work),
        committed: ({ tx }) => this.#publish(tx),
      });
      return result;
    } catch (error) {
      throw describeStorageFailure(error);
    }
  }

  /** Resolves once everything that was to be written is written. */
  idle(): Promise<void> {
    return this.#commits.idle();
  }

  async #write<T>(db: Db, known: Numbering | null, work: (tx: Tx) => Promise<T>) {
    const numbering = { ...(known ?? (await resumeNumbering(db))) };
    const tx = new Tx(db, storedClock.now());
    const result = await work(tx);
    if (tx.staged.length + tx.facts.length > 0) for (const write of this.#alongside) await write(tx);
    if (tx.staged.length > 0) numbering.epoch ??= await this.#storeEpoch(tx, numbering.position);
    for (const { event } of tx.staged) event.position = ++numbering.position;
    await insertEvents(db, tx.staged, tx.now);
    reach('write.before-commit');
    return { result: { result, tx }, state: numbering };
  }

  async #storeEpoch(tx: Tx, position: number): Promise<string> {
    tx.epoch = randomBytes(8).toString('hex');
    await insertEpoch(tx.db, tx.epoch, position);
    return tx.epoch;
  }

  #publish(tx: Tx): void {
    this.#epoch = tx.epoch ?? this.#epoch;
    reach('write.committed');
    for (const stored of tx.staged) this.bus.publish(stored);
    for (const work of tx.afterwards) work();
  }
}

/** Positions and times go on after the newest that are stored. */
async function resumeNumbering(db: Db): Promise<Numbering> {
  storedClock.startFrom(await newestTime(db));
  return { position: await newestPosition(db), epoch: null };
}

const DAY_MS = 24 * 3600_000;
const BATCH = 2000;

/** Deletes events older than some days, in short transactions so that no other writer waits long. */
export async function pruneEvents(log: EventLog, days: number, now: number = Date.now()): Promise<void> {
  for (;;) {
    const end = await log.write(async (tx) => {
      const position = await oldEventsEnd(tx.db, now - days * DAY_MS, BATCH);
      if (position !== null) await deleteEventsUpto(tx.db, position);
      return position;
    });
    if (end === null) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
