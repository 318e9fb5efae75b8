import { setImmediate } from 'node:timers/promises';
import { say, type Text } from '../../contract/texts.ts';
import type { EventLog } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import type { Db, KnowledgeSourceRow } from '../storage/tables.ts';
import type { FoundPassage } from './extract/protocol.ts';
import { deleteStalePassages } from './passage-store.ts';
import { ReadFailure, toProblem } from './problems.ts';
import { readFile, readNote, type SourceReadingDeps } from './read-source.ts';
import { Reading, type Room } from './reading.ts';
import { type CurrentReading, GaveWay, ReadingSlots, Stopped } from './reading-slots.ts';
import {
  countSources,
  deleteSourceRow,
  deleteUsesOfSource,
  nextUnread,
  readSource,
  saveSource,
  selectDeleted,
} from './source-store.ts';

/** So many passages are stored in one transaction: nothing else can be written meanwhile. */
const STORED_AT_ONCE = 32;
/** A source that was being read this often when the server stopped is not tried again by itself. */
const MOST_ATTEMPTS = 3;
const RETRY_MS = 5000;
const TELL_EVERY_MS = 200;

export interface ReaderDeps extends SourceReadingDeps {
  readonly log: EventLog;
  /** The state of a source has changed, or how far it has come. */
  changed(sourceId: string): void;
  /** There are more passages, or fewer. */
  read(): void;
  /** The rows of sources are gone: so can their files be. */
  removed(): Promise<void>;
  report(problem: string, error: unknown): void;
}

/**
 * Reads sources, some at a time:
 *
 *     waiting -> reading [passages stored under the next generation] -> ready [that generation counts from now on]
 *        ^          |                                                -> failed, stopped [they are deleted]
 *        +----------+ [it gives way, so they are deleted]
 *
 * Rows are the truth: what a crash left in `reading` is read again from its beginning, a note whose version is another
 * than the one that was read is read again, and what is left of earlier generations is deleted.
 */
export class KnowledgeReader {
  readonly #deps: ReaderDeps;
  readonly #slots: ReadingSlots;
  readonly #readings = new Set<Promise<void>>();
  #working: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
    this.#slots = new ReadingSlots(deps.limits);
  }

  /** There may be something to read. */
  wake(): void {
    if (this.#isClosed) return;
    this.#isWanted = true;
    this.#working ??= this.#work()
      .catch((error) => this.#failed(error))
      .finally(() => {
        this.#working = undefined;
        if (this.#isWanted) this.wake();
      });
  }

  /** Null unless it is being read. */
  fractionOf(sourceId: string): number | null {
    return this.#slots.get(sourceId)?.fraction ?? null;
  }

  /** What is read of it no longer matters. */
  stop(sourceId: string): void {
    this.#slots.stop(sourceId);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { stop } of this.#slots.all()) stop.abort(new Stopped());
    await this.#working;
    await Promise.all(this.#readings);
  }

  async #work(): Promise<void> {
    this.#isWanted = false;
    await this.#removeDeleted();
    while (!this.#isClosed) {
      const source = await nextUnread(this.#deps.log.db, this.#slots.excluded());
      if (!source || this.#isClosed) return;
      if (this.#slots.isFull()) return this.#wakeAfter(this.#slots.makeRoom());
      this.#begin(source);
    }
  }

  #wakeAfter(ms: number | null): void {
    clearTimeout(this.#timer);
    if (ms !== null && !this.#isClosed) this.#timer = setTimeout(() => this.wake(), ms).unref();
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return;
    this.#deps.report('knowledge could not be read', error);
    this.#isWanted = false;
    this.#wakeAfter(RETRY_MS);
  }

  #begin(source: KnowledgeSourceRow): void {
    const current = this.#slots.begin(source.id, source.owner);
    const reading = this.#read(source, current)
      .finally(() => this.#slots.end(current))
      .then(
        () => this.wake(),
        (error) => this.#failed(error),
      )
      .finally(() => this.#readings.delete(reading));
    this.#readings.add(reading);
  }

  async #read(source: KnowledgeSourceRow, current: CurrentReading): Promise<void> {
    try {
      await this.#markReading(source);
      await this.#store(current);
    } catch (error) {
      if (this.#isClosed) return await this.#notCounted(source.id);
      if (error instanceof ReadFailure) await this.#settle(source, error.text);
      else if (error instanceof GaveWay) await this.#waitAgain(source.id);
      else if (!(error instanceof Stopped)) {
        await this.#notCounted(source.id).catch(() => undefined);
        throw error;
      }
    } finally {
      current.fraction = null;
      if (!this.#isClosed) await this.#tidy(source.id);
      this.#deps.changed(source.id);
      this.#deps.read();
    }
  }

  /** A note stays as it was until it has been read anew. */
  async #markReading({ id }: KnowledgeSourceRow): Promise<void> {
    const attempts = await this.#change(id, (row) => {
      if (row.state !== 'waiting' && row.state !== 'reading') return;
      row.state = 'reading';
      row.attempts += 1;
    });
    this.#deps.changed(id);
    if (attempts && attempts.attempts > MOST_ATTEMPTS)
      throw new ReadFailure(say('knowledge_problem.interrupted', { count: MOST_ATTEMPTS }));
    await this.#tidy(id);
  }

  /** A server that is stopped on purpose, or cannot store anything, says nothing about what it was reading. */
  async #notCounted(id: string): Promise<void> {
    await this.#change(id, (row) => {
      row.attempts = Math.max(0, row.attempts - 1);
    });
  }

  async #store(current: CurrentReading): Promise<void> {
    const { signal } = current.stop;
    const source = await readSource(this.#deps.log.db, current.id);
    if (!source || source.deleted_at !== null) return;
    const advance = (fraction: number) => this.#advance(current, fraction);
    const found = source.kind === 'note' ? readNote(this.#deps, source) : readFile(this.#deps, source, signal, advance);
    const reading = new Reading(source);
    for (let step = await found.next(); ; step = await found.next()) {
      signal.throwIfAborted();
      if (step.done) return this.#finish(current, reading, step.value);
      for (let from = 0; from < step.value.length; from += STORED_AT_ONCE) {
        const passages = step.value.slice(from, from + STORED_AT_ONCE);
        await this.#deps.log.write((tx) => this.#storeSome(tx.db, current, reading, passages));
        reach('knowledge.stored');
        await setImmediate();
      }
    }
  }

  async #storeSome(db: Db, current: CurrentReading, reading: Reading, passages: readonly FoundPassage[]) {
    try {
      await reading.store(db, passages, await this.#roomFor(db, reading.source));
      current.added = Math.max(0, reading.count - reading.source.passages);
    } catch (error) {
      // What failed takes up no room, also for what is stored in the same commit.
      current.added = 0;
      throw error;
    }
  }

  /** How many passages it may have. */
  async #roomFor(db: Db, { id, owner, passages: own }: KnowledgeSourceRow): Promise<Room> {
    const { knowledgePassages, knowledgePassagesPerUser } = this.#deps.limits();
    const { passages } = await countSources(db, owner);
    const beside = this.#slots.all().filter((other) => other.owner === owner && other.id !== id);
    const others = beside.reduce((sum, { added }) => sum + added, passages - own);
    return { perSource: knowledgePassages, others, perUser: knowledgePassagesPerUser };
  }

  #advance(current: CurrentReading, fraction: number): void {
    current.fraction = fraction;
    if (Date.now() - current.toldAt < TELL_EVERY_MS) return;
    current.toldAt = Date.now();
    this.#deps.changed(current.id);
  }

  /** The row may have been stopped by a person in this moment. */
  async #waitAgain(id: string): Promise<void> {
    await this.#change(id, (row) => {
      row.attempts = Math.max(0, row.attempts - 1);
      if (row.state === 'reading') row.state = 'waiting';
    });
    reach('knowledge.waits-again');
  }

  async #finish(
    current: CurrentReading,
    { generation, count, characters, source }: Reading,
    facts: Partial<KnowledgeSourceRow>,
  ): Promise<void> {
    await this.#change(source.id, (row) => {
      current.added = 0;
      // A person may have stopped it in this moment.
      if (row.state === 'stopped' || row.deleted_at !== null) return;
      Object.assign(row, facts, { state: 'ready', problem: null, attempts: 0 });
      Object.assign(row, { generation, passages: count, characters });
    });
    reach('knowledge.ready');
  }

  /** Neither the passages that were there before nor those that were stored by now count any more. */
  async #settle({ id, owner, note_id }: KnowledgeSourceRow, why: Text): Promise<void> {
    const note = note_id === null ? null : await this.#deps.note(owner, note_id);
    await this.#change(id, (row) => {
      Object.assign(row, { state: 'failed', problem: JSON.stringify(toProblem(why)), passages: 0, characters: 0 });
      row.generation += 2;
      if (note_id !== null) row.note_version = note?.version ?? -1;
    });
  }

  async #change(id: string, change: (row: KnowledgeSourceRow) => void): Promise<KnowledgeSourceRow | undefined> {
    return this.#deps.log.write(async (tx) => {
      const row = await readSource(tx.db, id);
      if (!row) return undefined;
      change(row);
      await saveSource(tx.db, { ...row, updated_at: tx.now });
      return row;
    });
  }

  /** What is left of earlier readings, or of one that did not come to its end. */
  async #tidy(id: string): Promise<void> {
    for (let isMore = true; isMore && !this.#isClosed; await setImmediate()) {
      isMore = await this.#deps.log.write(async (tx) => {
        const row = await readSource(tx.db, id);
        return row !== undefined && deleteStalePassages(tx.db, row);
      });
    }
  }

  async #removeDeleted(): Promise<void> {
    // One that is still being read is removed when that has ended.
    const deleted = (await selectDeleted(this.#deps.log.db)).filter(({ id }) => !this.#slots.get(id));
    for (const { id } of deleted) {
      await this.#tidy(id);
      if (this.#isClosed) return;
      await this.#deps.log.write(async (tx) => {
        await deleteUsesOfSource(tx.db, id);
        await deleteSourceRow(tx.db, id);
      });
    }
    if (deleted.length > 0) await this.#deps.removed();
  }
}
