import { z } from 'zod';
import { AgentId, Folder, Id, ScheduleName, Timestamp } from './names.ts';
import { SessionMode } from './sessions.ts';

export const MOST_WHEN = 200;

export const TimeZone = z
  .string()
  .max(60)
  .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
  .describe('An IANA time zone');

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What happens to times that passed while no server ran. */
export const MissedRuns = z.enum(['run-once', 'skip']);
export type MissedRuns = z.infer<typeof MissedRuns>;

const fields = {
  name: ScheduleName.describe('Unique among your schedules; the title of the sessions that it begins'),
  content: z.string().trim().min(1).max(100_000).describe('The message that is sent'),
  sessionId: Id.nullable().describe('The session that the message is sent to; null: a new session each time'),
  agentId: AgentId.nullable().describe('Who answers; null: the primary of the session'),
  folder: Folder.nullable().describe('Of the sessions that it begins'),
  mode: SessionMode.describe('Of the sessions that it begins'),
  when: z
    .string()
    .trim()
    .min(1)
    .max(MOST_WHEN)
    .describe(
      'A time (2026-12-24T08:00), five cron fields (0 8 * * 1-5), or words (every weekday at 8, tomorrow at 9:30, in 2 hours)',
    ),
  timeZone: TimeZone.describe('What `when` is in'),
  missed: MissedRuns.describe(
    'Times that passed while the server was off: run once for all of them, or skip them. They stand in the history',
  ),
  runsLeft: z.int().min(1).max(1_000_000).nullable().describe('How many times it still runs; null: without end'),
};

export const ScheduleState = z.enum(['active', 'paused', 'ended']);
export type ScheduleState = z.infer<typeof ScheduleState>;

export const RunState = z.enum(['sending', 'sent', 'failed', 'missed']);
export type RunState = z.infer<typeof RunState>;

/** One time at which a schedule was due. */
export const ScheduleRun = z.object({
  id: Id,
  scheduleId: Id,
  dueAt: Timestamp.nullable().describe('null: started by hand'),
  state: RunState,
  missedBefore: z.int().describe('How many earlier times this run stands for'),
  sessionId: Id.nullable().describe('Where the message was sent to'),
  turnId: Id.nullable(),
  error: z.string().nullable().describe('Why it failed'),
  createdAt: Timestamp,
  endedAt: Timestamp.nullable(),
});
export type ScheduleRun = z.infer<typeof ScheduleRun>;

export const Schedule = z.object({
  id: Id,
  ...fields,
  runsLeft: z.int().nullable(),
  state: ScheduleState,
  repeats: z.boolean(),
  pausedAt: Timestamp.nullable(),
  pausedBecause: z.string().nullable().describe('Why it was paused, when the server paused it'),
  nextAt: Timestamp.nullable().describe('null unless it is active'),
  lastRun: ScheduleRun.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Schedule = z.infer<typeof Schedule>;

export const ScheduleList = z.object({
  schedules: z.array(Schedule).describe('The next one first, then those that are paused or have ended'),
});
export type ScheduleList = z.infer<typeof ScheduleList>;

export const CreateSchedule = z.strictObject({
  name: fields.name,
  content: fields.content,
  when: fields.when,
  sessionId: fields.sessionId.default(null),
  agentId: fields.agentId.default(null),
  folder: fields.folder.default(null),
  mode: fields.mode.default('full'),
  timeZone: fields.timeZone.optional().describe('Default: the zone of the server'),
  missed: fields.missed.default('run-once'),
  runsLeft: fields.runsLeft.default(null),
});
export type CreateSchedule = z.output<typeof CreateSchedule>;
export type NewSchedule = z.input<typeof CreateSchedule>;

/** What is not named stays; `null` clears. */
export const PatchSchedule = z.strictObject(fields).partial();
export type PatchSchedule = z.infer<typeof PatchSchedule>;

/** What a schedule would do, before it is made. */
export const PreviewSchedule = z.strictObject({ when: fields.when, timeZone: fields.timeZone.optional() });

export const SchedulePreview = z.object({
  repeats: z.boolean(),
  cron: z.string().nullable().describe('The same in cron fields; null for a single time'),
  timeZone: z.string(),
  next: z.array(Timestamp).describe('The next five times'),
});
export type SchedulePreview = z.infer<typeof SchedulePreview>;

export const ScheduleRunQuery = z.strictObject({
  before: Id.optional().describe('Only runs before this one'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const ScheduleRunList = z.object({
  runs: z.array(ScheduleRun).describe('Newest first'),
  isComplete: z.boolean().describe('There are no older runs'),
});
export type ScheduleRunList = z.infer<typeof ScheduleRunList>;
