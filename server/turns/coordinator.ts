import { reach } from '../fault-points.ts';
import { RunningTurn } from './running-turn.ts';
import type { StartedTurn } from './start.ts';

/** What the coordinator has done for it. */
export interface TurnWork {
  /** How many turns may run at once. */
  mostAtOnce(): number;
  /** Starts the next turn of a session in a transaction of its own; null when none waits, or another one runs. */
  startNext(sessionId: string): Promise<StartedTurn | null>;
  /** Takes a turn to its end and stores that. Never throws. Null when the turn goes on after the server's next start. */
  take(running: RunningTurn): Promise<AfterTurn | null>;
  report(problem: string, error: unknown): void;
}

export interface AfterTurn {
  /** The session's next turn, already started in the transaction that ended the last one. */
  next: StartedTurn | null;
  queueLeft: boolean;
}

/** What became of a message: its turn runs, or so many turns wait. */
export interface Admitted {
  started: StartedTurn | null;
  queued: number;
}

const RETRY_MS = 1000;

/**
 * Decides when turns run in this process: one at a time per session, so many at once altogether.
 *
 *     admit ──> queued ──wake, with a slot──> running ──ended──> over
 *       └────────with a slot────────────────────^ │ ^              │
 *                              waits for a person v │ goes on      └─> next turn of the session, or the slot goes to
 *                                           waiting, without a slot    the session that has been parked longest
 *
 * The rows are the truth and a unique index keeps sessions to one running turn: `wake` is a hint that may come too often. A
 * session is parked while there is no slot for it. A held session starts nothing. A turn nested in another one shares its
 * slot.
 */
export class Coordinator {
  readonly #work: TurnWork;
  readonly #running = new Map<string, RunningTurn>();
  readonly #starting = new Set<{ sessionId: string; over: Promise<void> }>();
  readonly #parked = new Set<string>();
  readonly #held = new Map<string, number>();
  #slots = 0;
  #queued = 0;
  #isStopping = false;

  constructor(work: TurnWork) {
    this.#work = work;
  }

  get all(): RunningTurn[] {
    return [...this.#running.values()];
  }

  get queuedCount(): number {
    return this.#queued;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  running(turnId: string): RunningTurn | undefined {
    return this.#running.get(turnId);
  }

  /** Has a message written. Its turn may start at once when `mayStart` says so inside the transaction. */
  async admit<T extends Admitted>(sessionId: string, write: (mayStart: () => boolean) => Promise<T>): Promise<T> {
    const hasSlot = this.#parked.size === 0 && this.#takeSlot();
    const admitted = await this.#start(sessionId, hasSlot, () => write(() => hasSlot && !this.#held.has(sessionId)));
    this.#queued += admitted.queued;
    if (admitted.started || admitted.queued === 0) return admitted;
    if (!hasSlot) this.#parked.add(sessionId);
    this.wake(sessionId);
    return admitted;
  }

  /** A turn was queued by other means than a message that was sent. */
  queueGrew(sessionId: string): void {
    this.#queued += 1;
    this.wake(sessionId);
  }

  /** So many turns more wait, or fewer. */
  noteQueued(change: number): void {
    this.#queued += change;
  }

  recount(queued: number): void {
    this.#queued = queued;
  }

  /** A hint that a session may have something to do; the rows decide. */
  wake(sessionId: string): void {
    this.#startNext(sessionId).catch((error) => {
      this.#work.report('a queued turn could not be started', error);
      setTimeout(() => this.wake(sessionId), RETRY_MS).unref();
    });
  }

  async #startNext(sessionId: string): Promise<void> {
    if (this.#isStopping || this.#held.has(sessionId)) return;
    if (!this.#takeSlot()) return void this.#parked.add(sessionId);
    const write = async () => ({ started: await this.#work.startNext(sessionId) });
    const { started } = await this.#start(sessionId, true, write);
    if (started) this.#queued -= 1;
  }

  /** A start that is being written is known until its turn runs, so that a hold can wait for it. */
  async #start<T extends Pick<Admitted, 'started'>>(sessionId: string, hasSlot: boolean, write: () => Promise<T>) {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const starting = { sessionId, over };
    this.#starting.add(starting);
    let started: StartedTurn | null = null;
    try {
      const written = await write();
      started = written.started;
      return written;
    } finally {
      if (started) this.#launch(started, true);
      else if (hasSlot) this.#giveSlot();
      this.#starting.delete(starting);
      resolve();
    }
  }

  /** Resolves once the starts that are being written, of one session or of all, have become running turns. */
  async whenStarted(sessionId?: string): Promise<void> {
    const those = [...this.#starting].filter((start) => sessionId === undefined || start.sessionId === sessionId);
    await Promise.all(those.map(({ over }) => over));
  }

  /** Nothing starts in the session until what is returned is called; what was just being started runs by then. */
  async hold(sessionId: string): Promise<() => void> {
    this.#held.set(sessionId, (this.#held.get(sessionId) ?? 0) + 1);
    await this.whenStarted(sessionId);
    return () => {
      const holds = this.#held.get(sessionId)! - 1;
      if (holds > 0) this.#held.set(sessionId, holds);
      else this.#held.delete(sessionId);
      this.wake(sessionId);
    };
  }

  /** Whether the next turn of a session may take over the slot of the one that ends: unless another session waits for it. */
  mayContinue(sessionId: string): boolean {
    return !this.#isStopping && !this.#held.has(sessionId) && this.#parked.size === 0;
  }

  /** A turn inside another one of the same session, which waits for it. It speaks in the other's place. */
  async takeNested(started: StartedTurn): Promise<void> {
    await this.#launch(started, false).done;
  }

  #launch(started: StartedTurn, holdsSlot: boolean): RunningTurn {
    const running = new RunningTurn(started);
    running.holdsSlot = holdsSlot;
    reach('turn.started');
    this.take(running);
    return running;
  }

  /** Runs a turn that has been started, in this process or in an earlier one. */
  take(running: RunningTurn): void {
    this.#running.set(running.id, running);
    const outer = this.#outerOf(running);
    if (outer) outer.inner = running;
    void this.#work.take(running).then((after) => this.#leave(running, after));
  }

  #leave(running: RunningTurn, after: AfterTurn | null): void {
    const outer = this.#outerOf(running);
    this.#running.delete(running.id);
    if (outer?.inner === running) outer.inner = undefined;
    running.finish();
    if (after) this.#goOn(running, after);
  }

  /** The slot of a turn passes on to the next turn of its session, or to the session that waited longest. */
  #goOn({ turn, holdsSlot }: RunningTurn, { next, queueLeft }: AfterTurn): void {
    if (next) {
      if (!holdsSlot) this.#slots += 1;
      this.#queued -= 1;
      this.#launch(next, true);
      return;
    }
    if (queueLeft) this.#parked.add(turn.session_id);
    if (holdsSlot) this.#giveSlot();
    else if (queueLeft) this.wake(turn.session_id);
  }

  /** A turn that waits needs no slot; when it goes on it gets one back at once, beyond the limit if need be. */
  balance(running: RunningTurn): void {
    const outermost = this.#outermostOf(running);
    const wants = outermost.needsSlot;
    if (wants && !outermost.holdsSlot) this.#slots += 1;
    if (!wants && outermost.holdsSlot) this.#giveSlot();
    outermost.holdsSlot = wants;
  }

  #outermostOf(running: RunningTurn): RunningTurn {
    const outer = this.#outerOf(running);
    return outer ? this.#outermostOf(outer) : running;
  }

  #outerOf(running: RunningTurn): RunningTurn | undefined {
    return running.isNested ? this.#running.get(running.turn.nested_in) : undefined;
  }

  #takeSlot(): boolean {
    if (this.#slots >= this.#work.mostAtOnce()) return false;
    this.#slots += 1;
    return true;
  }

  #giveSlot(): void {
    this.#slots -= 1;
    const [longest] = this.#parked;
    if (longest === undefined) return;
    this.#parked.delete(longest);
    this.wake(longest);
  }

  /** Nothing starts any more. */
  close(): void {
    this.#isStopping = true;
  }
}
