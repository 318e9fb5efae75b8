import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { Receipt } from '../../contract/turns.ts';
import type { Fact } from '../events/facts.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import type { ScheduleRow, ScheduleRunRow } from '../storage/tables.ts';
import type { Acceptance } from '../turns/acceptance.ts';
import {
  earliestNext,
  keepRun,
  readRun,
  readSchedule,
  saveRun,
  saveSchedule,
  selectDue,
  selectRepeating,
  selectSending,
  wasDue,
} from './schedule-store.ts';
import { newRun, rhythmOf } from './schedules.ts';
import { nextTime } from './when.ts';

/** The clock may be set, and a timer may not wait for longer than some weeks: the time is looked at this often. */
const LOOK_EVERY_MS = 5000;
/** A time that is later than this has been missed, not delayed. */
const DELAY_MS = 120_000;
/** A message that cannot be taken now is tried again for this long. */
const RETRY_FOR_MS = 10 * 60_000;
const FAILURES_IN_A_ROW = 5;
const PAGE = 100;
const MOST_MISSED = 1000;

export interface SchedulerDeps {
  readonly log: EventLog;
  accept(wanted: Acceptance): Promise<Receipt>;
  report(problem: string, error: unknown): void;
}

/**
 * Runs schedules when they are due:
 *
 *     due -> [run stored as `sending`, next time set] -> message accepted under the id of the run -> `sent` or `failed`
 *
 * A run that is stored is sent once: after a crash it is sent again under the same id, which `turns.accept` takes once.
 */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  #timer: NodeJS.Timeout | undefined;
  #lastLook = 0;
  #working: Promise<void> | undefined;
  #isStarted = false;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    await this.#working;
  }

  /** A schedule was made or changed: the earliest time may be another. */
  wake(): void {
    if (!this.#isStarted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), 0);
  }

  #look(): void {
    this.#working ??= this.#work()
      .then(() => earliestNext(this.#deps.log.db))
      .catch((error) => this.#deps.report('schedules could not be run', error))
      .then((next) => this.#waitFor(next ?? Number.POSITIVE_INFINITY))
      .finally(() => {
        this.#working = undefined;
      });
  }

  #waitFor(next: number): void {
    if (!this.#isStarted) return;
    const wait = Math.min(LOOK_EVERY_MS, Math.max(0, next - Date.now()));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), wait).unref();
  }

  async #work(): Promise<void> {
    const { log } = this.#deps;
    const now = Date.now();
    // At the start, too: the clock may have been set while no server ran.
    if (now < this.#lastLook || this.#lastLook === 0) await this.#bringForward(now);
    this.#lastLook = now;
    for (const { id } of await selectDue(log.db, now)) {
      await this.#change(id, (tx) => storeRun(tx, id));
      reach('schedule.stored');
    }
    await this.#sendWaiting();
  }

  async #sendWaiting(): Promise<void> {
    for (let after = ''; ; ) {
      const runs = await selectSending(this.#deps.log.db, after, PAGE);
      for (const { id } of runs) await this.send(id);
      if (runs.length < PAGE) return;
      after = runs.at(-1)!.id;
    }
  }

  /** One schedule whose times cannot be told is paused and says so. The others are not held up by it. */
  async #change(id: string, work: (tx: Tx) => Promise<void>): Promise<void> {
    const { log, report } = this.#deps;
    try {
      await log.write(work);
    } catch (error) {
      if (error instanceof AppError) throw error;
      report('the next time of a schedule could not be told', error);
      await log.write((tx) => pauseBroken(tx, id));
    }
  }

  /** After the clock was set back, the next times are those of the clock as it is now. */
  async #bringForward(now: number): Promise<void> {
    for (const { id } of await selectRepeating(this.#deps.log.db)) {
      await this.#change(id, async (tx) => {
        const row = await readSchedule(tx.db, id);
        if (row?.next_at == null || row.next_at <= now) return;
        const next = await nextNotRun(tx, row, now);
        if (next !== null && next < row.next_at) await saveSchedule(tx.db, { ...row, next_at: next });
      });
    }
  }

  async send(runId: string): Promise<void> {
    const { log, accept } = this.#deps;
    const run = await readRun(log.db, runId);
    const schedule = run && (await readSchedule(log.db, run.schedule_id));
    if (!schedule || run.state !== 'sending') return;
    try {
      const { turn } = await accept(toMessage(schedule, run));
      reach('schedule.accepted');
      await log.write((tx) => settle(tx, run, { state: 'sent', session_id: turn.sessionId, turn_id: turn.id }));
    } catch (error) {
      if (!(error instanceof AppError)) this.#deps.report('a scheduled message could not be sent', error);
      if (isPassing(error) && Date.now() - run.created_at < RETRY_FOR_MS) return;
      const reason = error instanceof AppError ? error.message : say('internal_error').message;
      await log.write((tx) => settle(tx, run, { state: 'failed', error: reason }, isFinal(error)));
    }
  }
}

/** The newest time that has come is run, for all the earlier ones that nothing was done about. */
async function storeRun(tx: Tx, id: string): Promise<void> {
  const row = await readSchedule(tx.db, id);
  const now = Date.now();
  if (row?.next_at == null || row.next_at > now) return;
  const { dueAt, earlier } = newestDue(row, row.next_at, now);
  const isMissed = row.missed === 'skip' && now - dueAt > DELAY_MS;
  const left = row.runs_left === null || isMissed ? row.runs_left : row.runs_left - 1;
  const next = left === 0 ? null : await nextNotRun(tx, row, now);
  if (!(await wasDue(tx.db, id, dueAt))) {
    const run = newRun(id, dueAt, earlier);
    await keepRun(tx.db, isMissed ? { ...run, state: 'missed', ended_at: now } : run);
  }
  await saveSchedule(tx.db, { ...row, next_at: next, runs_left: left });
}

async function pauseBroken(tx: Tx, id: string): Promise<void> {
  const row = await readSchedule(tx.db, id);
  if (!row) return;
  const because = say('schedule.unreadable', { when: row.when_text, timeZone: row.time_zone }).message;
  await saveSchedule(tx.db, { ...row, paused_at: tx.now, paused_because: because, next_at: null });
}

function newestDue(row: ScheduleRow, first: number, now: number): { dueAt: number; earlier: number } {
  let [dueAt, earlier] = [first, 0];
  for (;;) {
    const next = nextTime(rhythmOf(row), row.time_zone, earlier < MOST_MISSED ? dueAt : now - DELAY_MS);
    if (next === null || next > now || next <= dueAt) return { dueAt, earlier };
    [dueAt, earlier] = [next, earlier + 1];
  }
}

/** After the clock was set back, times come a second time. */
async function nextNotRun(tx: Tx, row: ScheduleRow, now: number): Promise<number | null> {
  let next = nextTime(rhythmOf(row), row.time_zone, now);
  for (let tries = 0; next !== null && tries < MOST_MISSED; tries++) {
    if (!(await wasDue(tx.db, row.id, next))) return next;
    next = nextTime(rhythmOf(row), row.time_zone, next);
  }
  return next;
}

function toMessage(schedule: ScheduleRow, run: ScheduleRunRow): Acceptance {
  const { owner, content, session_id, agent_id, name, folder, mode } = schedule;
  const message = { owner, content, messageId: run.id, busy: 'queue' as const };
  if (session_id !== null)
    return { ...message, sessionId: session_id, ...(agent_id !== null && { otherwise: agent_id }) };
  const create = { agentId: agent_id!, title: name, mode, ...(folder !== null && { folder }) };
  return { ...message, sessionId: run.id, create };
}

type Outcome = Pick<ScheduleRunRow, 'state'> & Partial<Pick<ScheduleRunRow, 'session_id' | 'turn_id' | 'error'>>;

/** A schedule that fails again and again, or can never work again, is paused and says why. */
async function settle(tx: Tx, run: ScheduleRunRow, outcome: Outcome, isFinal = false): Promise<void> {
  const now = Date.now();
  await saveRun(tx.db, { ...run, ...outcome, ended_at: now });
  const row = await readSchedule(tx.db, run.schedule_id);
  if (!row) return;
  tx.facts.push(toFact(row, run, outcome));
  const failures = outcome.state === 'sent' ? 0 : row.failures + 1;
  const stops = isFinal || failures >= FAILURES_IN_A_ROW;
  if (failures === row.failures && !stops) return;
  const reason = outcome.error ?? '';
  const because = isFinal ? reason : say('schedule.failed_often', { count: failures, reason }).message;
  const pause = stops && row.paused_at === null ? { paused_at: now, paused_because: because, next_at: null } : {};
  await saveSchedule(tx.db, { ...row, failures, ...pause });
}

function toFact({ owner, id, name, agent_id }: ScheduleRow, run: ScheduleRunRow, outcome: Outcome): Fact {
  const { state, session_id: sessionId = null, turn_id: turnId = null } = outcome;
  const about = { owner, scheduleId: id, name, agentId: agent_id };
  return { type: 'schedule.ran', ...about, run: { id: run.id, state, sessionId, turnId } };
}

/** What may work a little later. */
function isPassing(error: unknown): boolean {
  return error instanceof AppError && PASSING.has(error.code);
}

const PASSING = new Set([
  'queue_full',
  'overloaded',
  'shutting_down',
  'storage_full',
  'storage_unavailable',
  'storage_unconfirmed',
]);

function isFinal(error: unknown): boolean {
  return error instanceof AppError && error.code === 'session_not_found';
}
