import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import type {
  CreateSchedule,
  PatchSchedule,
  Schedule,
  SchedulePreview,
  ScheduleRun,
  ScheduleRunList,
} from '../../contract/schedules.ts';
import { say } from '../../contract/texts.ts';
import type { EventLog, Tx } from '../events/log.ts';
import { loadSession } from '../sessions/store.ts';
import type { Db, ScheduleRow, ScheduleRunRow } from '../storage/tables.ts';
import {
  countSchedules,
  deleteSchedule,
  findSchedule,
  findScheduleByName,
  findWaitingByHand,
  insertSchedule,
  keepRun,
  newestRun,
  readRun,
  saveSchedule,
  selectRuns,
  selectSchedules,
} from './schedule-store.ts';
import { nextTime, nextTimes, type Rhythm, readWhen } from './when.ts';

const PREVIEWED = 5;

export interface ScheduleDeps {
  readonly log: EventLog;
  /** How many schedules an owner may have. */
  limit(): number;
  /** Throws unless there is such an agent. */
  requireAgent(agentId: string): void;
  /** The earliest next time may have changed. */
  changed(): void;
  /** Sends the message of a run that is stored; settles the run. */
  send(runId: string): Promise<void>;
}

/** Messages that are sent at a set time or regularly, for the person who made the schedule. */
export class Schedules {
  readonly #deps: ScheduleDeps;

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
  }

  async list(owner: string): Promise<Schedule[]> {
    const { db } = this.#deps.log;
    const rows = await selectSchedules(db, owner);
    return Promise.all(rows.map((row) => view(db, row)));
  }

  async get(owner: string, id: string): Promise<Schedule> {
    const { db } = this.#deps.log;
    return view(db, await loadSchedule(db, owner, id));
  }

  preview(when: string, timeZone = serverZone()): SchedulePreview {
    const now = Date.now();
    const rhythm = readWhen(when, timeZone, now);
    const next = nextTimes(rhythm, timeZone, now, PREVIEWED).map(toTime);
    return { repeats: 'cron' in rhythm, cron: 'cron' in rhythm ? rhythm.cron : null, timeZone, next };
  }

  async create(owner: string, wanted: CreateSchedule): Promise<Schedule> {
    const now = Date.now();
    const timeZone = wanted.timeZone ?? serverZone();
    const rhythm = readWhen(wanted.when, timeZone, now);
    this.#assertAgent(wanted);
    const row: ScheduleRow = {
      id: newId(),
      owner,
      ...toColumns({ ...wanted, timeZone }),
      ...rhythmColumns(rhythm),
      failures: 0,
      paused_at: null,
      paused_because: null,
      next_at: nextTime(rhythm, timeZone, now),
      created_at: now,
      updated_at: now,
    };
    await this.#write(async (tx) => {
      await this.#assertRoom(tx, owner);
      await assertNameFree(tx, owner, wanted.name);
      if (wanted.sessionId !== null) await loadSession(tx.db, owner, wanted.sessionId);
      await insertSchedule(tx.db, row);
    });
    return view(this.#deps.log.db, row);
  }

  async patch(owner: string, id: string, patch: PatchSchedule): Promise<Schedule> {
    return this.#change(owner, id, async (row, tx) => {
      if (patch.name !== undefined && patch.name !== row.name) await assertNameFree(tx, owner, patch.name);
      const wanted = { ...toFields(row), ...patch };
      if (patch.agentId !== undefined || patch.sessionId !== undefined) this.#assertAgent(wanted);
      if (patch.sessionId) await loadSession(tx.db, owner, patch.sessionId);
      const changed = { ...row, ...toColumns(wanted), failures: 0 };
      return patch.when === undefined && patch.timeZone === undefined && patch.runsLeft === undefined
        ? changed
        : withTime(changed, wanted);
    });
  }

  pause(owner: string, id: string): Promise<Schedule> {
    return this.#change(owner, id, (row) => ({ ...row, paused_at: row.paused_at ?? Date.now(), next_at: null }));
  }

  /** Times that passed while it was paused are skipped. */
  resume(owner: string, id: string): Promise<Schedule> {
    return this.#change(owner, id, (row) => {
      const next = row.runs_left === 0 ? null : nextTime(rhythmOf(row), row.time_zone, Date.now());
      if (next === null) throw new AppError('schedule_ended', say('schedule_ended'));
      return { ...row, paused_at: null, paused_because: null, failures: 0, next_at: next };
    });
  }

  async delete(owner: string, id: string): Promise<void> {
    await this.#write(async (tx) => {
      if (!(await deleteSchedule(tx.db, owner, id))) throw notFound(id);
    });
  }

  /** Besides its times; whether it is paused does not matter. While such a run waits to be sent, it is the only one. */
  async runNow(owner: string, id: string): Promise<ScheduleRun> {
    const { log, send } = this.#deps;
    const run = await log.write(async ({ db }) => {
      await loadSchedule(db, owner, id);
      const waiting = await findWaitingByHand(db, id);
      const made = waiting ?? newRun(id, null, 0);
      if (!waiting) await keepRun(db, made);
      return made;
    });
    await send(run.id);
    return toRun((await readRun(log.db, run.id)) ?? run);
  }

  async runs(owner: string, id: string, { before, limit }: { before?: string | undefined; limit: number }) {
    const { db } = this.#deps.log;
    await loadSchedule(db, owner, id);
    const rows = await selectRuns(db, id, before ?? null, limit + 1);
    return { runs: rows.slice(0, limit).map(toRun), isComplete: rows.length <= limit } satisfies ScheduleRunList;
  }

  async #change(
    owner: string,
    id: string,
    work: (row: ScheduleRow, tx: Tx) => ScheduleRow | Promise<ScheduleRow>,
  ): Promise<Schedule> {
    const row = await this.#write(async (tx) => {
      const changed = { ...(await work(await loadSchedule(tx.db, owner, id), tx)), updated_at: Date.now() };
      await saveSchedule(tx.db, changed);
      return changed;
    });
    return view(this.#deps.log.db, row);
  }

  #write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#deps.log.write(async (tx) => {
      tx.afterwards.push(() => this.#deps.changed());
      return work(tx);
    });
  }

  #assertAgent({ agentId, sessionId }: Pick<CreateSchedule, 'agentId' | 'sessionId'>): void {
    if (agentId !== null) this.#deps.requireAgent(agentId);
    else if (sessionId === null) throw new AppError('schedule_invalid', say('schedule_invalid.agent'));
  }

  async #assertRoom(tx: Tx, owner: string): Promise<void> {
    const limit = this.#deps.limit();
    if ((await countSchedules(tx.db, owner)) < limit) return;
    throw new AppError('too_many_schedules', say('too_many_schedules', { limit }));
  }
}

type Fields = Required<Omit<CreateSchedule, 'timeZone'>> & { timeZone: string };

/** A schedule whose time is changed starts anew: it is active, even if it had ended. */
function withTime(row: ScheduleRow, { when, timeZone }: Fields): ScheduleRow {
  const now = Date.now();
  const rhythm = readWhen(when, timeZone, now);
  const next = row.paused_at === null ? nextTime(rhythm, timeZone, now) : null;
  return { ...row, ...rhythmColumns(rhythm), next_at: next };
}

export function rhythmOf({ cron, at }: ScheduleRow): Rhythm {
  return cron === null ? { at: at! } : { cron };
}

function rhythmColumns(rhythm: Rhythm): Pick<ScheduleRow, 'cron' | 'at'> {
  return 'cron' in rhythm ? { cron: rhythm.cron, at: null } : { cron: null, at: rhythm.at };
}

export function newRun(scheduleId: string, dueAt: number | null, missedBefore: number): ScheduleRunRow {
  return {
    id: newId(),
    schedule_id: scheduleId,
    due_at: dueAt,
    state: 'sending',
    missed_before: missedBefore,
    session_id: null,
    turn_id: null,
    error: null,
    created_at: Date.now(),
    ended_at: null,
  };
}

async function loadSchedule(db: Db, owner: string, id: string): Promise<ScheduleRow> {
  const row = await findSchedule(db, owner, id);
  if (row) return row;
  throw notFound(id);
}

async function assertNameFree(tx: Tx, owner: string, name: string): Promise<void> {
  if (!(await findScheduleByName(tx.db, owner, name))) return;
  throw new AppError('schedule_name_taken', say('schedule_name_taken', { name }));
}

function notFound(id: string): AppError {
  return new AppError('schedule_not_found', say('schedule_not_found', { id }));
}

function serverZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function toColumns(fields: Fields) {
  return {
    name: fields.name,
    content: fields.content,
    session_id: fields.sessionId,
    agent_id: fields.agentId,
    folder: fields.folder,
    mode: fields.mode,
    when_text: fields.when,
    time_zone: fields.timeZone,
    missed: fields.missed,
    runs_left: fields.runsLeft,
  };
}

function toFields(row: ScheduleRow): Fields {
  return {
    name: row.name,
    content: row.content,
    sessionId: row.session_id,
    agentId: row.agent_id,
    folder: row.folder,
    mode: row.mode,
    when: row.when_text,
    timeZone: row.time_zone,
    missed: row.missed,
    runsLeft: row.runs_left,
  };
}

async function view(db: Db, row: ScheduleRow): Promise<Schedule> {
  const last = await newestRun(db, row.id);
  return {
    id: row.id,
    ...toFields(row),
    state: row.paused_at !== null ? 'paused' : row.next_at === null ? 'ended' : 'active',
    repeats: row.cron !== null,
    pausedAt: row.paused_at === null ? null : toTime(row.paused_at),
    pausedBecause: row.paused_because,
    nextAt: row.next_at === null ? null : toTime(row.next_at),
    lastRun: last ? toRun(last) : null,
    createdAt: toTime(row.created_at),
    updatedAt: toTime(row.updated_at),
  };
}

export function toRun(row: ScheduleRunRow): ScheduleRun {
  return {
    id: row.id,
    scheduleId: row.schedule_id,
    dueAt: row.due_at === null ? null : toTime(row.due_at),
    state: row.state,
    missedBefore: row.missed_before,
    sessionId: row.session_id,
    turnId: row.turn_id,
    error: row.error,
    createdAt: toTime(row.created_at),
    endedAt: row.ended_at === null ? null : toTime(row.ended_at),
  };
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
