import { setImmediate } from 'node:timers/promises';
import { say, type Text } from '../../contract/texts.ts';
import type { EventLog } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import type { KnowledgeSourceRow } from '../storage/tables.ts';
import { deleteStalePassages } from './passage-store.ts';
import { ReadFailure, toProblem } from './problems.ts';
import { readFile, readNote, type SourceReadingDeps } from './read-source.ts';
import { Reading, type Room } from './reading.ts';
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
 * Reads sources, one after the other:
 *
 *     waiting -> reading [passages stored under the next generation] -> ready [that generation counts from now on]
 *                     -> failed, stopped [they are deleted]
 *
 * Rows are the truth: what a crash left in `reading` is read again from its beginning, a note whose version is another
 * than the one that was read is read again, and what is left of earlier generations is deleted.
 */
export class KnowledgeReader {
  readonly #deps: ReaderDeps;
  #working: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;
  #current: { id: string; stop: AbortController; fraction: number; told: number } | undefined;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
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
    return this.#current?.id === sourceId ? this.#current.fraction : null;
  }

  /** What is read of it no longer matters. */
  stop(sourceId: string): void {
    if (this.#current?.id === sourceId) this.#current.stop.abort(new Stopped());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#current?.stop.abort(new Stopped());
    await this.#working;
  }

  async #work(): Promise<void> {
    this.#isWanted = false;
    await this.#removeDeleted();
    for (;;) {
      const source = this.#isClosed ? undefined : await nextUnread(this.#deps.log.db);
      if (!source) return;
      await this.#read(source);
    }
  }

  #failed(error: unknown): void {
    if (!this.#isClosed) this.#deps.report('knowledge could not be read', error);
    this.#isWanted = false;
    this.#retry = setTimeout(() => this.wake(), RETRY_MS).unref();
  }

  async #read(source: KnowledgeSourceRow): Promise<void> {
    const stop = new AbortController();
    this.#current = { id: source.id, stop, fraction: 0, told: 0 };
    try {
      await this.#begin(source);
      await this.#store(source.id, stop.signal);
    } catch (error) {
      if (this.#isClosed) return await this.#notCounted(source.id);
      if (error instanceof ReadFailure) await this.#settle(source, error.text);
      else if (!(error instanceof Stopped)) {
        await this.#notCounted(source.id).catch(() => undefined);
        throw error;
      }
    } finally {
      this.#current = undefined;
      if (!this.#isClosed) await this.#tidy(source.id);
      this.#deps.changed(source.id);
      this.#deps.read();
    }
  }

  /** A note stays as it was until it has been read anew. */
  async #begin({ id }: KnowledgeSourceRow): Promise<void> {
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

  async #store(id: string, signal: AbortSignal): Promise<void> {
    const source = await readSource(this.#deps.log.db, id);
    if (!source || source.deleted_at !== null) return;
    const room = await this.#roomFor(source);
    const advance = (fraction: number) => this.#advance(id, fraction);
    const found = source.kind === 'note' ? readNote(this.#deps, source) : readFile(this.#deps, source, signal, advance);
    const reading = new Reading(source);
    for (let step = await found.next(); ; step = await found.next()) {
      signal.throwIfAborted();
      if (step.done) return this.#finish(reading, step.value);
      for (let from = 0; from < step.value.length; from += STORED_AT_ONCE) {
        await this.#deps.log.write((tx) => reading.store(tx.db, step.value.slice(from, from + STORED_AT_ONCE), room));
        reach('knowledge.stored');
        await setImmediate();
      }
    }
  }

  /** How many passages it may have. */
  async #roomFor(source: KnowledgeSourceRow): Promise<Room> {
    const { knowledgePassages, knowledgePassagesPerUser } = this.#deps.limits();
    const { passages } = await countSources(this.#deps.log.db, source.owner);
    return { perSource: knowledgePassages, others: passages - source.passages, perUser: knowledgePassagesPerUser };
  }

  #advance(id: string, fraction: number): void {
    const current = this.#current;
    if (current?.id !== id) return;
    current.fraction = fraction;
    if (Date.now() - current.told < TELL_EVERY_MS) return;
    current.told = Date.now();
    this.#deps.changed(id);
  }

  async #finish({ generation, count, characters, source }: Reading, facts: Partial<KnowledgeSourceRow>): Promise<void> {
    await this.#change(source.id, (row) => {
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
    const deleted = await selectDeleted(this.#deps.log.db);
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

class Stopped extends Error {}
