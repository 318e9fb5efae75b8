import { setTimeout as pause } from 'node:timers/promises';
import type { Limits } from '../../contract/config.ts';
import { AppError } from '../../contract/errors.ts';
import type { TurnPartial } from '../../contract/events.ts';
import type { Part } from '../../contract/messages.ts';
import type { Compaction } from '../../contract/sessions.ts';
import { say } from '../../contract/texts.ts';
import type { Receipt, TurnError } from '../../contract/turns.ts';
import type { Agent, TurnInput } from '../agents/agent.ts';
import type { AgentDirectory } from '../agents/directory.ts';
import type { PartialSource } from '../events/bus.ts';
import { storedClock } from '../events/clock.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { saveAgentStates } from '../sessions/agent-state-store.ts';
import { loadSession } from '../sessions/store.ts';
import type { Histories } from '../sessions/transcript.ts';
import type { SessionRow, TurnRow } from '../storage/tables.ts';
import { type Acceptance, type Accepted, acceptMessage, assertSize } from './accept.ts';
import { Compactor } from './compaction.ts';
import { Flusher } from './flusher.ts';
import type { TurnOutput } from './output.ts';
import { type RunContext, runTurn } from './run.ts';
import { openRunContext, type TurnDeps } from './run-context.ts';
import { RunningTurn, type Stop } from './running-turn.ts';
import { type EndOfTurn, type Outcome, settleQueue, settleQueued, settleTurn, settleWithoutAnswer } from './settle.ts';
import { Slots } from './slots.ts';
import { type StartedTurn, startNext } from './start.ts';
import { takeSteering } from './steer.ts';
import {
  afterGrace,
  agentRemoved,
  CANCELLED,
  INTERRUPTED,
  outlivingTurns,
  PARENT_STOPPED,
  QUEUE_CANCELLED,
  SHUTDOWN,
  TURN_TIMEOUT,
} from './stops.ts';
import {
  countQueued,
  findTurn,
  insertRequests,
  loadSessionRow,
  loadTurn,
  selectChildTurns,
  selectOpenDelegatesOf,
  toTurn,
} from './store.ts';
import { TurnTokens } from './turn-tokens.ts';

export type EngineDeps = Omit<TurnDeps, 'engine'>;

const HALT_WAIT_MS = 10_000;
const SETTLE_RETRY_MS = [100, 250, 500, 1000, 2000, 5000];
/** How often an ending is tried that fails for another reason than storage. */
const SETTLE_ATTEMPTS = 4;

const NOT_SETTLED: TurnError = {
  code: 'turn_not_settled',
  message: 'Parley could not store the end of this turn. See the server log.',
  retryable: true,
};

/** accept → queue → speak → settle → cancel → recover. The only caller of agents and the only writer of answers. */
export class TurnEngine implements PartialSource {
  readonly log: EventLog;
  readonly agents: AgentDirectory;
  readonly histories: Histories;
  readonly flusher: Flusher;
  readonly compactor: Compactor;
  readonly tokens = new TurnTokens();
  readonly #deps: EngineDeps;
  readonly #limits: () => Limits;
  readonly #report: EngineDeps['report'];
  readonly #running = new Map<string, RunningTurn>();
  /** Sessions in which nothing may start for a moment. */
  readonly #held = new Set<string>();
  readonly #slots: Slots;
  readonly #context: RunContext;
  #stopping = false;
  #queued = 0;

  constructor(deps: EngineDeps) {
    this.log = deps.log;
    this.agents = deps.agents;
    this.histories = deps.histories;
    this.#deps = deps;
    this.#limits = deps.limits;
    this.#report = deps.report;
    this.#slots = new Slots(() => deps.limits().runningTurns);
    this.flusher = new Flusher(deps.log, (error) => deps.report('partial output could not be stored', error));
    this.compactor = new Compactor(deps.log, deps.histories, deps.agents, deps.priced, deps.report);
    this.#context = openRunContext({ ...deps, engine: this });
  }

  get runningCount(): number {
    return this.#running.size;
  }

  get runningNow(): RunningTurn[] {
    return [...this.#running.values()];
  }

  get messageLimit(): number {
    return this.#limits().messageBytes;
  }

  get queuedCount(): number {
    return this.#queued;
  }

  /** What else happens in the transaction that ends a turn. */
  get endOfTurn(): EndOfTurn {
    return this.#deps;
  }

  running(turnId: string): RunningTurn | undefined {
    return this.#running.get(turnId);
  }

  /** The turns of one tree that are being taken at this moment. */
  runningFor(rootTurnId: string): RunningTurn[] {
    return [...this.#running.values()].filter((running) => running.rootTurnId === rootTurnId);
  }

  async accept(wanted: Acceptance): Promise<Receipt> {
    this.#assertOpen(wanted);
    const hasSlot = this.#slots.nobodyWaits && this.#slots.take();
    const accepted = await this.#giveBackOnFailure(hasSlot, () =>
      this.log.write((tx) => this.#acceptIn(tx, wanted, hasSlot)),
    );
    reach('accept.committed');
    if (accepted.started) this.#launch(accepted.started, true);
    else this.#afterQueueing(accepted, hasSlot, accepted.turn.session_id);
    if (!accepted.duplicate) this.#queued += accepted.others.length;
    const steered = accepted.turn.steer_into && this.#running.get(accepted.turn.steer_into);
    if (steered) steered.hasSteering = true;
    if (accepted.interrupts) this.#interrupt(accepted.interrupts);
    return toReceipt(accepted);
  }

  #interrupt(turnId: string): void {
    const running = this.#running.get(turnId);
    if (running) this.#haltSoon(running, INTERRUPTED, 'waited-for');
  }

  #assertOpen({ content }: Acceptance): void {
    if (this.#stopping) throw new AppError('shutting_down', say('shutting_down'), { retryAfterSeconds: 5 });
    assertSize(content, this.messageLimit);
    if (this.#queued < this.#limits().waitingTurns) return;
    throw new AppError('overloaded', say('overloaded'), {
      retryAfterSeconds: 5,
    });
  }

  #acceptIn(tx: Tx, wanted: Acceptance, mayStart: boolean): Promise<Accepted> {
    return acceptMessage(
      tx,
      {
        queueLimit: this.#limits().queuedPerSession,
        filesLimit: this.#limits().filesPerMessage,
        mayStart: mayStart && !this.#isHeld(wanted.sessionId),
        assertAgent: (agentId) => void this.agents.require(agentId),
        addressed: this.#deps.addressed,
        // Of a turn that is only just beginning nothing is known yet; what it does not take is answered afterwards.
        canSteer: (turnId) => this.#running.get(turnId)?.agent?.traits.steers ?? true,
      },
      wanted,
    );
  }

  async #giveBackOnFailure<T>(hasSlot: boolean, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (hasSlot) this.#giveBack();
      throw error;
    }
  }

  #afterQueueing(accepted: Accepted, hasSlot: boolean, sessionId: string): void {
    if (hasSlot) this.#giveBack();
    if (accepted.duplicate) return;
    this.#queued += 1;
    if (!hasSlot) this.#slots.park(sessionId);
    this.wake(sessionId);
  }

  /** Something was put into a session's queue by other means than accepting a message. */
  queueGrew(sessionId: string): void {
    this.#queued += 1;
    this.wake(sessionId);
  }

  /** What arrived meanwhile has queued; it goes on afterwards, whether or not the summary could be made. */
  async compact(owner: string, sessionId: string, agentId?: string, keep?: number): Promise<Compaction> {
    try {
      return await this.compactor.compact(owner, sessionId, agentId, keep);
    } finally {
      this.wake(sessionId);
    }
  }

  /** A hint that a session may have something to do; the rows decide. */
  wake(sessionId: string): void {
    this.#startNext(sessionId).catch((error) => {
      this.#report('a queued turn could not be started', error);
      setTimeout(() => this.wake(sessionId), 1000).unref();
    });
  }

  async #startNext(sessionId: string): Promise<void> {
    if (this.#stopping || this.#isHeld(sessionId)) return;
    if (!this.#slots.take()) return this.#slots.park(sessionId);
    const started = await this.#giveBackOnFailure(true, () =>
      this.log.write(async (tx) => {
        const session = await loadSessionRow(tx.db, sessionId);
        return session ? startNext(tx, session) : null;
      }),
    );
    if (!started) return this.#giveBack();
    this.#queued -= 1;
    this.#launch(started, true);
  }

  #launch(started: StartedTurn, holdsSlot: boolean): RunningTurn {
    const running = new RunningTurn(started);
    running.holdsSlot = holdsSlot;
    this.#enter(running);
    reach('turn.started');
    void this.#take(running);
    return running;
  }

  /** A turn inside another one of the same session, which waits for it. It speaks in the other's place. */
  async takeNested(started: StartedTurn): Promise<void> {
    const running = this.#launch(started, false);
    await running.done;
  }

  /** A turn that waited for a person when the server stopped. */
  resume(started: StartedTurn, output: TurnOutput, steps: number): void {
    const running = new RunningTurn(started);
    running.restore(output, steps);
    this.#enter(running);
    void this.#take(running);
  }

  async #take(running: RunningTurn): Promise<void> {
    const limit = this.#limitTime(running);
    const outcome = await Promise.race([runTurn(this.#context, running), afterGrace(running)]);
    limit.end();
    this.tokens.revoke(running);
    if (!running.isSuspended) running.endCalls();
    if (running.defect) this.#report('a turn failed with an internal error', running.defect);
    if (running.isSuspended) return this.#leave(running);
    const after = await this.#settle(running, outcome);
    reach('settle.committed');
    this.#leave(running);
    this.#goOn(running, after);
  }

  #enter(running: RunningTurn): void {
    this.#running.set(running.id, running);
    const outer = this.#outerOf(running);
    if (outer) outer.inner = running;
  }

  #leave(running: RunningTurn): void {
    this.#running.delete(running.id);
    const outer = this.#outerOf(running);
    if (outer?.inner === running) outer.inner = undefined;
    running.finish();
  }

  #outerOf(running: RunningTurn): RunningTurn | undefined {
    return running.isNested ? this.#running.get(running.turn.nested_in) : undefined;
  }

  /** The slot of a turn passes on to the next turn of its session, or to the session that waited longest. */
  #goOn(running: RunningTurn, { next, queueLeft }: AfterTurn): void {
    if (next) {
      if (!running.holdsSlot) this.#slots.force();
      this.#queued -= 1;
      this.#launch(next, true);
      return;
    }
    if (queueLeft) this.#slots.park(running.turn.session_id);
    if (running.holdsSlot) this.#giveBack();
    else if (queueLeft) this.wake(running.turn.session_id);
  }

  /** Time spent waiting for a person does not count. */
  #limitTime(running: RunningTurn): { end(): void } {
    let timer: NodeJS.Timeout;
    const arm = () => {
      timer = setTimeout(() => (running.waitsFor.size > 0 ? arm() : this.#timeOut(running)), this.#limits().turnMs);
    };
    arm();
    return { end: () => clearTimeout(timer) };
  }

  #timeOut(running: RunningTurn): void {
    this.#haltSoon(running, TURN_TIMEOUT, 'waited-for');
  }

  /** A waiting turn needs no slot; when it goes on it gets one back at once. Nested turns share one. */
  balance(running: RunningTurn): void {
    const outermost = this.#outermost(running);
    const wants = outermost.needsRoom;
    if (wants && !outermost.holdsSlot) this.#slots.force();
    if (!wants && outermost.holdsSlot) this.#giveBack();
    outermost.holdsSlot = wants;
  }

  #outermost(running: RunningTurn): RunningTurn {
    const outer = this.#outerOf(running);
    return outer ? this.#outermost(outer) : running;
  }

  /** The session that has waited longest for a slot may try now. */
  #giveBack(): void {
    this.#slots.give();
    const parked = this.#slots.nextParked();
    if (parked !== undefined) this.wake(parked);
  }

  /** Holds on until the ending is on disk: a full disk delays it, nothing loses it. */
  async #settle(running: RunningTurn, outcome: Outcome): Promise<AfterTurn> {
    await this.flusher.release(running);
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.log.write((tx) => this.#settleIn(tx, running, outcome));
      } catch (error) {
        this.#report('a turn could not be settled yet', error);
        if (this.#stopping && attempt > 2) return { next: null, queueLeft: false };
        if (attempt >= SETTLE_ATTEMPTS && !isStorageFailure(error)) return this.#settlePlainly(running);
        await pause(SETTLE_RETRY_MS[Math.min(attempt, SETTLE_RETRY_MS.length - 1)]!);
      }
    }
  }

  /** An error that is no storage failure will not pass: the turn ends as failed, with its words if they can be written. */
  async #settlePlainly(running: RunningTurn): Promise<AfterTurn> {
    const turn = { ...running.turn };
    const outcome = running.outcome('failed', 'error', NOT_SETTLED);
    const said = {
      parts: running.said(outcome, storedClock.now()).parts.filter(isText),
      isFlushed: true,
      hasCalls: false,
    };
    const withWords = () => this.log.write((tx) => settleTurn(tx, this.#deps, turn, said, outcome));
    const withoutWords = () => this.log.write((tx) => settleWithoutAnswer(tx, running.turn, outcome));
    const session = await withWords()
      .catch(() => untilStored(withoutWords))
      .catch((error) => {
        this.#report('a turn could not be settled at all', error);
        return null;
      });
    return { next: null, queueLeft: (session?.queued_count ?? 0) > 0 };
  }

  async #settleIn(tx: Tx, running: RunningTurn, outcome: Outcome): Promise<AfterTurn> {
    const { requests, states } = running.peekUnflushed();
    const session = await settleTurn(tx, this.#deps, { ...running.turn }, running.said(outcome, tx.now), outcome);
    if (session) await insertRequests(tx.db, requests);
    if (session) await saveAgentStates(tx.db, states);
    reach('settle.before-commit');
    const next = session && this.#mayContinue(session) ? await startNext(tx, session) : null;
    return { next, queueLeft: !next && (session?.queued_count ?? 0) > 0 };
  }

  /** The slot passes on to the session's next turn unless another session has waited for one. */
  #mayContinue(session: SessionRow): boolean {
    return !this.#stopping && !this.#isHeld(session.id) && this.#slots.nobodyWaits && session.queued_count > 0;
  }

  #isHeld(sessionId: string): boolean {
    return this.#held.has(sessionId) || this.compactor.isBusy(sessionId);
  }

  steer(running: RunningTurn): Promise<TurnInput['history']> {
    return takeSteering(this.log, this.flusher, this.#deps, running, (count) => {
      this.#queued -= count;
    });
  }

  /** Stops one turn, wherever it is, and everything done on its behalf. Returns what there was to stop. */
  async cancel(owner: string, turnId: string): Promise<string[]> {
    const turn = await loadTurn(this.log.db, owner, turnId);
    // A turn whose start has just been committed is taken up before the event loop turns.
    if (turn.state === 'running' && !this.#running.has(turn.id)) await pause(0);
    const running = this.#running.get(turn.id);
    if (running) return this.#haltTree(running, CANCELLED, 'everything');
    const own = (await this.#cancelQueued(owner, turn, QUEUE_CANCELLED)) ? [turn.id] : [];
    // It may have been started while its cancellation waited to be written.
    const started = own.length === 0 && this.#running.get(turn.id);
    if (started) return this.#haltTree(started, CANCELLED, 'everything');
    return [...own, ...(await this.#stopWorkFor(owner, turn.id, 'everything'))];
  }

  async #cancelQueued(owner: string, turn: TurnRow, outcome: Outcome): Promise<boolean> {
    const cancelled = await this.log.write(async (tx) => {
      const session = await loadSession(tx.db, owner, turn.session_id);
      const current = await findTurn(tx.db, turn.id);
      return current?.state === 'queued' && (await settleQueued(tx, this.#deps, session, current, outcome));
    });
    if (cancelled) this.#queued -= 1;
    return cancelled;
  }

  /** Stops everything in a session. The running turn ends first, so that its words precede the unanswered messages. */
  async cancelSession(owner: string, sessionId: string): Promise<string[]> {
    await loadSession(this.log.db, owner, sessionId);
    this.compactor.stop(sessionId);
    this.#held.add(sessionId);
    try {
      const running = [...this.#running.values()].find(
        ({ turn, isNested }) => turn.session_id === sessionId && !isNested,
      );
      const stopped = running ? await this.#haltTree(running, CANCELLED, 'everything') : [];
      for (const turn of await selectOpenDelegatesOf(this.log.db, sessionId))
        stopped.push(...(await this.#stopDelegate(owner, turn)));
      const waiting = await this.log.write((tx) => settleQueue(tx, this.#deps, owner, sessionId, QUEUE_CANCELLED));
      this.#queued -= waiting.length;
      return [...stopped, ...waiting];
    } finally {
      this.#held.delete(sessionId);
      this.wake(sessionId);
    }
  }

  /** Stops what an agent is doing in any session, and everything done on its behalf. */
  async cancelAgent(agentId: string): Promise<void> {
    const running = [...this.#running.values()].filter(({ turn }) => turn.agent_id === agentId);
    await Promise.all(running.map((turn) => this.#haltTree(turn, agentRemoved(agentId), 'everything')));
  }

  /** Turns of sessions that are cleared or deleted have no rows any more; turns that worked for them have no caller. */
  abandon(sessionIds: readonly string[], turnIds: readonly string[] = []): void {
    for (const sessionId of sessionIds) this.compactor.stop(sessionId);
    for (const running of this.#running.values()) {
      if (sessionIds.includes(running.turn.session_id)) this.#haltSoon(running, CANCELLED, 'everything');
      if (turnIds.includes(running.id)) this.#haltSoon(running, PARENT_STOPPED, 'everything');
    }
    this.recount().catch((error) => this.#report('queued turns could not be counted', error));
  }

  async recount(): Promise<void> {
    this.#queued = await countQueued(this.log.db);
  }

  /** Without waiting for it. What works for the turn may be on a disk that cannot be written now. */
  #haltSoon(running: RunningTurn, stop: Stop, which: 'everything' | 'waited-for'): void {
    this.#haltTree(running, stop, which).catch((error) => this.#report('a turn could not be stopped whole', error));
  }

  /** Stops a turn and the turns that work for it: all of them, or only those it waits for. */
  async #haltTree(running: RunningTurn, stop: Stop, which: 'everything' | 'waited-for'): Promise<string[]> {
    running.halt(stop);
    const stopped = await this.#stopWorkFor(running.owner, running.id, which);
    return [...(await this.#halted(running, stop)), ...stopped];
  }

  async #stopWorkFor(owner: string, turnId: string, which: 'everything' | 'waited-for'): Promise<string[]> {
    const stopped: string[] = [];
    for (const child of await selectChildTurns(this.log.db, turnId)) {
      if (which === 'waited-for' && child.mode !== 'sync') continue;
      stopped.push(...(await this.#stopDelegate(owner, child, which)));
    }
    return stopped;
  }

  /** A delegate that is over may have left async delegates of its own at work. */
  async #stopDelegate(
    owner: string,
    turn: TurnRow,
    which: 'everything' | 'waited-for' = 'everything',
  ): Promise<string[]> {
    if (turn.ended_at !== null) return this.#stopWorkFor(owner, turn.id, which);
    const running = this.#running.get(turn.id);
    if (running) return this.#haltTree(running, PARENT_STOPPED, 'everything');
    return (await this.#cancelQueued(owner, turn, { ...PARENT_STOPPED, usage: null })) ? [turn.id] : [];
  }

  async #halted(running: RunningTurn, stop: Stop): Promise<string[]> {
    // A full disk can delay an ending; the request to stop does not wait for it.
    await Promise.race([running.done, pause(HALT_WAIT_MS, undefined, { ref: false })]);
    const settled = await findTurn(this.log.db, running.id);
    return settled?.state === stop.state ? [running.id] : [];
  }

  partials(owner: string, wanted: (sessionId: string) => boolean): TurnPartial[] {
    return this.#speaking(owner, wanted).map((running) => running.partial());
  }

  speaking(owner: string, wanted: (sessionId: string) => boolean): Set<string> {
    return new Set(this.#speaking(owner, wanted).map((running) => running.turn.session_id));
  }

  #speaking(owner: string, wanted: (sessionId: string) => boolean): RunningTurn[] {
    return [...this.#running.values()].filter(
      (running) => running.owner === owner && wanted(running.turn.session_id) && running.hasPartial,
    );
  }

  worker(running: RunningTurn): Agent | undefined {
    return this.#deps.worker(running);
  }

  /**
   * Stores what was being said. Queued turns stay queued; turns that wait for a person, and turns whose agent reattaches,
   * go on when the server is back.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    const running = [...this.#running.values()];
    const outliving = outlivingTurns(running);
    for (const turn of running) {
      if (outliving.has(turn)) turn.suspend(SHUTDOWN);
      else turn.halt(SHUTDOWN);
    }
    await Promise.race([Promise.all(running.map((turn) => turn.done)), pause(6000)]);
    await this.flusher.flush();
  }
}

interface AfterTurn {
  /** The session's next turn, already started in the same transaction. */
  next: StartedTurn | null;
  queueLeft: boolean;
}

function isStorageFailure(error: unknown): boolean {
  return error instanceof AppError && error.code.startsWith('storage_');
}

function isText(part: Part): boolean {
  return part.type === 'text';
}

function toReceipt({ turn, others, message, duplicate }: Accepted): Receipt {
  const first = toTurn(turn);
  return { turn: first, turns: [first, ...others.map(toTurn)], message, answer: null, duplicate };
}

/** Repeats a write while the storage cannot take it. */
async function untilStored<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!isStorageFailure(error) || attempt >= SETTLE_ATTEMPTS) throw error;
      await pause(SETTLE_RETRY_MS[Math.min(attempt, SETTLE_RETRY_MS.length - 1)]!);
    }
  }
}
