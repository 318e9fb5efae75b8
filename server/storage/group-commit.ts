import { inSavepoint } from './savepoint.ts';
import { type HeldDatabase, holding } from './sqlite.ts';
import type { Db } from './tables.ts';

/** Work whose rows are committed together with those of other work. */
export interface GroupedWrite<State, Result> {
  /** Writes its rows. Goes on from the state that the write before it left, and says which state it leaves. */
  write(db: Db, state: State): Promise<{ result: Result; state: State }>;
  /** Its rows are on disk. Called for the whole group, in order, before any caller gets its result. Must not throw. */
  committed(result: Result): void;
}

/** So many writes share a commit at most: what arrives later is not held up for longer than these take. */
const MOST_IN_A_GROUP = 64;

/**
 * Group commit: the writes that arrive in one turn of the event loop, or while others are being written, share one
 * transaction and so one wait for the disk.
 *
 *     run -> waiting -> [begin · savepoint, write, release · … · commit] -> committed() of each -> results, in order
 *
 * A write that fails is rolled back to its savepoint and fails alone. When the commit fails, or SQLite gives up the whole
 * transaction (a full disk), every write of the group fails with that error, and none of its rows is stored. No caller
 * hears anything, not even of its own failure, before the group is on disk: what a write found may be a row of another.
 */
export class GroupCommit<State> {
  readonly #db: Db;
  /** As the newest committed write left it. */
  #state: State;
  readonly #waiting: Member<State>[] = [];
  #working: Promise<void> | undefined;

  constructor(db: Db, state: State) {
    this.#db = db;
    this.#state = state;
  }

  run<Result>(write: GroupedWrite<State, Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(new Write(write, resolve, reject));
      this.#working ??= this.#work();
    });
  }

  /** Resolves once nothing waits to be written. */
  async idle(): Promise<void> {
    while (this.#working) await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Requests that have arrived already are read first, so that their writes are part of the group.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#writeGroup();
    }
    this.#working = undefined;
  }

  async #writeGroup(): Promise<void> {
    const group: Member<State>[] = [];
    try {
      // Reads wait until all callers have their results: what is in the database is then known in memory, too.
      await holding(this.#db, async (held) => {
        this.#state = await this.#commit(held, group);
        for (const member of group) member.publish();
        await inTurn(group, (member) => member.answer());
      });
    } catch (error) {
      const lost = group.length > 0 ? group : this.#waiting.splice(0, MOST_IN_A_GROUP);
      await inTurn(lost, (member) => member.reject(error));
    }
  }

  async #commit({ db, transactions }: HeldDatabase, group: Member<State>[]): Promise<State> {
    await transactions.begin('begin immediate');
    try {
      const state = await this.#writeAll(db, group);
      transactions.commit();
      return state;
    } catch (error) {
      transactions.rollBack();
      throw error;
    }
  }

  async #writeAll(db: Db, group: Member<State>[]): Promise<State> {
    const isAlone = this.#waiting.length === 1;
    let state = this.#state;
    do {
      const member = this.#waiting.shift()!;
      group.push(member);
      state = await (isAlone ? member.write(db, state) : writeInSavepoint(db, member, state));
    } while (!isAlone && this.#waiting.length > 0 && group.length < MOST_IN_A_GROUP);
    return state;
  }
}

/** A write and the caller that waits for it. The type of its result is hidden from the group. */
interface Member<State> {
  write(db: Db, state: State): Promise<State>;
  /** The write failed and was rolled back; its caller is told together with the others. */
  fail(error: unknown): void;
  publish(): void;
  answer(): void;
  reject(error: unknown): void;
}

class Write<State, Result> implements Member<State> {
  readonly #write: GroupedWrite<State, Result>;
  readonly #resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  #outcome: { result: Result } | { error: unknown } | undefined;

  constructor(write: GroupedWrite<State, Result>, resolve: (result: Result) => void, reject: (error: unknown) => void) {
    this.#write = write;
    this.#resolve = resolve;
    this.reject = reject;
  }

  async write(db: Db, before: State): Promise<State> {
    const { result, state } = await this.#write.write(db, before);
    this.#outcome = { result };
    return state;
  }

  fail(error: unknown): void {
    this.#outcome = { error };
  }

  publish(): void {
    if (this.#outcome && 'result' in this.#outcome) this.#write.committed(this.#outcome.result);
  }

  answer(): void {
    if (!this.#outcome) return;
    if ('result' in this.#outcome) this.#resolve(this.#outcome.result);
    else this.reject(this.#outcome.error);
  }
}

async function writeInSavepoint<State>(db: Db, member: Member<State>, before: State): Promise<State> {
  const attempted = await inSavepoint(db, () => member.write(db, before));
  if ('result' in attempted) return attempted.result;
  member.fail(attempted.error);
  return before;
}

/** What one caller does with its result, as far as it need not wait for anything, is done before the next one is told. */
async function inTurn<State>(group: readonly Member<State>[], tell: (member: Member<State>) => void): Promise<void> {
  for (const member of group) {
    tell(member);
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }
}
