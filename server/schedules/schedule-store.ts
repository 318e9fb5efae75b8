import { insertion, statement } from '../storage/statement.ts';
import type { Db, ScheduleRow, ScheduleRunRow } from '../storage/tables.ts';

export const insertSchedule = insertion<ScheduleRow>('schedules');
const insertRun = insertion<ScheduleRunRow>('schedule_runs');
const KEPT_RUNS = 500;

/** The history keeps the newest runs of a schedule. */
export async function keepRun(db: Db, run: ScheduleRunRow): Promise<void> {
  await insertRun(db, run);
  await deleteOldRuns(db, run.schedule_id, KEPT_RUNS - 1);
}

export const selectSchedules = statement<ScheduleRow>(
  'SELECT * FROM schedules WHERE owner = ? ORDER BY next_at IS NULL, next_at, name',
);

export async function findSchedule(db: Db, owner: string, id: string): Promise<ScheduleRow | undefined> {
  return (await selectOwned(db, id, owner))[0];
}

const selectOwned = statement<ScheduleRow>('SELECT * FROM schedules WHERE id = ? AND owner = ?');

export async function readSchedule(db: Db, id: string): Promise<ScheduleRow | undefined> {
  return (await selectById(db, id))[0];
}

const selectById = statement<ScheduleRow>('SELECT * FROM schedules WHERE id = ?');

export async function findScheduleByName(db: Db, owner: string, name: string): Promise<ScheduleRow | undefined> {
  return (await selectNamed(db, owner, name))[0];
}

const selectNamed = statement<ScheduleRow>('SELECT * FROM schedules WHERE owner = ? AND name = ?');

export async function countSchedules(db: Db, owner: string): Promise<number> {
  return (await selectCount(db, owner))[0]!.count;
}

const selectCount = statement<{ count: number }>('SELECT count(*) AS count FROM schedules WHERE owner = ?');

export function saveSchedule(db: Db, row: ScheduleRow): Promise<unknown> {
  const { name, content, session_id, agent_id, folder, mode, when_text, cron, at, time_zone, missed, runs_left } = row;
  const { failures, paused_at, paused_because, next_at, updated_at, id } = row;
  const fields = [name, content, session_id, agent_id, folder, mode, when_text, cron, at, time_zone, missed, runs_left];
  return update(db, ...fields, failures, paused_at, paused_because, next_at, updated_at, id);
}

const update = statement(`UPDATE schedules SET name = ?, content = ?, session_id = ?, agent_id = ?, folder = ?,
  mode = ?, when_text = ?, cron = ?, at = ?, time_zone = ?, missed = ?, runs_left = ?, failures = ?, paused_at = ?,
  paused_because = ?, next_at = ?, updated_at = ? WHERE id = ?`);

export async function deleteSchedule(db: Db, owner: string, id: string): Promise<boolean> {
  if ((await remove(db, id, owner)).length === 0) return false;
  await removeRuns(db, id);
  return true;
}

const remove = statement<{ id: string }>('DELETE FROM schedules WHERE id = ? AND owner = ? RETURNING id');
const removeRuns = statement('DELETE FROM schedule_runs WHERE schedule_id = ?');

export const selectDue = statement<ScheduleRow>(
  'SELECT * FROM schedules WHERE next_at <= ? ORDER BY next_at LIMIT 100',
);

export async function earliestNext(db: Db): Promise<number | null> {
  return (await selectEarliest(db))[0]!.next_at;
}

const selectEarliest = statement<{ next_at: number | null }>(
  'SELECT min(next_at) AS next_at FROM schedules WHERE next_at IS NOT NULL',
);

export const selectRepeating = statement<ScheduleRow>(
  'SELECT * FROM schedules WHERE next_at IS NOT NULL AND cron IS NOT NULL',
);

export async function wasDue(db: Db, scheduleId: string, dueAt: number): Promise<boolean> {
  return (await selectRunAt(db, scheduleId, dueAt)).length > 0;
}

const selectRunAt = statement('SELECT id FROM schedule_runs WHERE schedule_id = ? AND due_at = ?');

export async function readRun(db: Db, id: string): Promise<ScheduleRunRow | undefined> {
  return (await selectRun(db, id))[0];
}

const selectRun = statement<ScheduleRunRow>('SELECT * FROM schedule_runs WHERE id = ?');

export const selectSending = statement<ScheduleRunRow>(
  `SELECT * FROM schedule_runs WHERE state = 'sending' AND id > ? ORDER BY id LIMIT ?`,
);

/** A run that was started by hand and still waits to be sent. */
export async function findWaitingByHand(db: Db, scheduleId: string): Promise<ScheduleRunRow | undefined> {
  return (await selectWaitingByHand(db, scheduleId))[0];
}

const selectWaitingByHand = statement<ScheduleRunRow>(
  `SELECT * FROM schedule_runs WHERE schedule_id = ? AND state = 'sending' AND due_at IS NULL`,
);

export async function newestRun(db: Db, scheduleId: string): Promise<ScheduleRunRow | undefined> {
  return (await selectRuns(db, scheduleId, null, 1))[0];
}

export const selectRuns = statement<ScheduleRunRow>(
  'SELECT * FROM schedule_runs WHERE schedule_id = ?1 AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3',
);

export function saveRun(db: Db, { state, session_id, turn_id, error, ended_at, id }: ScheduleRunRow): Promise<unknown> {
  return updateRun(db, state, session_id, turn_id, error, ended_at, id);
}

const updateRun = statement(`UPDATE schedule_runs SET state = ?, session_id = ?, turn_id = ?, error = ?, ended_at = ?
  WHERE id = ?`);

const deleteOldRuns = statement(`DELETE FROM schedule_runs WHERE schedule_id = ?1 AND state <> 'sending'
  AND id < (SELECT id FROM schedule_runs WHERE schedule_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`);
