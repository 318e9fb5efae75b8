import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import { AppError } from '../../contract/errors.ts';
import type { MissedRuns, NewSchedule, PatchSchedule, Schedule, ScheduleRun } from '../../contract/schedules.ts';
import type { SessionMode } from '../../contract/sessions.ts';
import { ago } from '../ago.ts';
import { confirm } from '../confirm.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure, EXIT_USAGE } from '../failure.ts';
import { requireSession } from '../find-session.ts';
import { look, print, printJson } from '../output.ts';
import { printTable } from '../table.ts';
import { safeLine, safeText } from '../terminal-text.ts';

interface Reading extends HomeOption {
  json?: boolean;
}

export function define(command: Command): void {
  command.description('Send messages at a set time or regularly.').addHelpText('after', EXAMPLES);
  sub(command, 'list', 'list schedules, the next one first', { isDefault: true })
    .option('--json', 'as JSON')
    .action(list);
  sub(command, 'show <schedule>', 'show a schedule').option('--json', 'as JSON').action(show);
  addFlags(sub(command, 'create <name>', 'create a schedule'))
    .requiredOption('--when <time>', 'a time, a recurrence in words, or five cron fields')
    .option('--json', 'as JSON')
    .action(create);
  addFlags(sub(command, 'update <schedule>', 'change a schedule; other fields stay as they are'))
    .option('--name <name>', 'rename it')
    .option('--when <time>', 'a time, a recurrence in words, or five cron fields')
    .action(update);
  sub(command, 'pause <schedule>', 'pause a schedule').action(pause);
  sub(command, 'resume <schedule>', 'resume a schedule; times that passed are skipped').action(resume);
  sub(command, 'run <schedule>', 'send its message now').option('--json', 'as JSON').action(run);
  sub(command, 'runs <schedule>', 'show when it ran').option('--json', 'as JSON').action(runs);
  sub(command, 'delete <schedule>', 'delete a schedule; its sessions are kept')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(remove);
}

function sub(command: Command, name: string, summary: string, options: { isDefault?: boolean } = {}): Command {
  return command.command(name, options).description(summary).option('--home <folder>', 'the data folder');
}

async function list(options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { schedules } = await client.call('listSchedules');
    if (options.json) return printJson(schedules);
    if (schedules.length === 0) return print(EMPTY);
    printTable(COLUMNS, schedules.map(toRow));
  });
}

const COLUMNS = [
  { title: 'Schedule', shrinks: true },
  { title: 'When', shrinks: true },
  { title: 'Next' },
  { title: 'Agent', shrinks: true },
  { title: 'Last run', shrinks: true },
];

function toRow(schedule: Schedule): string[] {
  const { name, when, agentId, lastRun } = schedule;
  return [name, when, nextOf(schedule), agentId ?? '-', lastRun ? `${lastRun.state} ${ago(lastRun.createdAt)}` : '-'];
}

function nextOf({ state, nextAt, timeZone }: Schedule): string {
  return nextAt === null ? state : localTime(nextAt, timeZone);
}

/** In the zone of the schedule, which need not be that of the terminal. */
function localTime(at: string, timeZone: string): string {
  const shown = new Date(at).toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return timeZone === new Intl.DateTimeFormat().resolvedOptions().timeZone ? shown : `${shown} ${timeZone}`;
}

async function show(name: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const schedule = await requireSchedule(client, name);
    if (options.json) return printJson(schedule);
    print(look().bold(safeLine(schedule.name)));
    print(look().dim(about(schedule).map(safeLine).join(' · ')));
    if (schedule.pausedBecause) print(safeLine(schedule.pausedBecause));
    print(`\n${safeText(schedule.content)}`);
  });
}

function about(schedule: Schedule): string[] {
  const { when, timeZone, nextAt, agentId, sessionId, folder, mode, runsLeft, missed } = schedule;
  return [
    `${when} (${timeZone})`,
    nextAt === null ? schedule.state : `next ${localTime(nextAt, timeZone)}`,
    ...(agentId ? [agentId] : []),
    sessionId ? `session ${sessionId}` : 'a new session each time',
    ...(folder ? [`folder ${folder}`] : []),
    ...(mode === 'read-only' ? ['read-only'] : []),
    ...(runsLeft === null ? [] : [`${runsLeft} more`]),
    ...(missed === 'skip' ? ['skips missed runs'] : []),
  ];
}

async function create(name: string, options: Flags & Reading & { when: string }): Promise<void> {
  const fields = await readFlags(options);
  if (!fields.content)
    throw new CommandFailure('Give the message with -m. See: parley schedules create --help', EXIT_USAGE);
  await withClient(options, async ({ client }) => {
    const timeZone = fields.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const sessionId = await findTarget(client, options.session);
    const body = { timeZone, ...fields, name, ...sessionId } as NewSchedule;
    const schedule = await client.call('createSchedule', { body });
    if (options.json) return printJson(schedule);
    print(`Created "${safeLine(schedule.name)}". Next run: ${nextOf(schedule)}.`);
  });
}

async function update(name: string, options: Flags & HomeOption & { name?: string }): Promise<void> {
  const fields = await readFlags(options);
  await withClient(options, async ({ client }) => {
    const body = {
      ...fields,
      ...(options.name !== undefined && { name: options.name }),
      ...(await findTarget(client, options.session)),
    };
    if (Object.keys(body).length === 0)
      throw new CommandFailure('Nothing to change. See: parley schedules update --help', EXIT_USAGE);
    const { id } = await requireSchedule(client, name);
    const changed = await client.call('patchSchedule', { scheduleId: id, body });
    print(`Updated "${safeLine(changed.name)}". Next run: ${nextOf(changed)}.`);
  });
}

async function pause(name: string, options: HomeOption): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await requireSchedule(client, name);
    const paused = await client.call('pauseSchedule', { scheduleId: id });
    print(`Paused "${safeLine(paused.name)}".`);
  });
}

async function resume(name: string, options: HomeOption): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await requireSchedule(client, name);
    const resumed = await client.call('resumeSchedule', { scheduleId: id });
    print(`Resumed "${safeLine(resumed.name)}". Next run: ${nextOf(resumed)}.`);
  });
}

async function run(name: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id } = await requireSchedule(client, name);
    const started = await client.call('runSchedule', { scheduleId: id });
    if (options.json) return printJson(started);
    if (started.state === 'failed') throw new CommandFailure(`Not sent: ${started.error}`);
    print(`Sent. See: parley sessions show ${started.sessionId}`);
  });
}

async function runs(name: string, options: Reading): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { id, timeZone } = await requireSchedule(client, name);
    const history = await client.call('listScheduleRuns', { scheduleId: id, query: { limit: 50 } });
    if (options.json) return printJson(history.runs);
    if (history.runs.length === 0) return print('No runs yet.');
    printTable(
      RUN_COLUMNS,
      history.runs.map((one) => toRunRow(one, timeZone)),
    );
  });
}

const RUN_COLUMNS = [
  { title: 'Due' },
  { title: 'State' },
  { title: 'Missed before' },
  { title: 'Session', shrinks: true },
  { title: 'Error', shrinks: true },
];

function toRunRow({ dueAt, state, missedBefore, sessionId, error }: ScheduleRun, timeZone: string): string[] {
  const due = dueAt === null ? 'by hand' : localTime(dueAt, timeZone);
  return [due, state, missedBefore === 0 ? '-' : `${missedBefore}`, sessionId ?? '-', error ?? '-'];
}

async function remove(name: string, options: HomeOption & { yes?: boolean }): Promise<void> {
  await withClient(options, async ({ client }) => {
    const schedule = await requireSchedule(client, name);
    await confirm(`Delete the schedule "${safeLine(schedule.name)}" and its history?`, options.yes);
    await client.call('deleteSchedule', { scheduleId: schedule.id });
    print(`Deleted "${safeLine(schedule.name)}".`);
  });
}

/** A schedule by its name, however it is capitalised, or by its id. */
async function requireSchedule(client: ParleyClient, nameOrId: string): Promise<Schedule> {
  const { schedules } = await client.call('listSchedules');
  const exact = schedules.find(({ id, name }) => name === nameOrId || id === nameOrId);
  const alike = schedules.filter(({ name }) => name.toLowerCase() === nameOrId.toLowerCase());
  const found = exact ?? (alike.length === 1 ? alike[0] : undefined);
  if (found) return found;
  throw new AppError('schedule_not_found', `No schedule has the name or ID "${nameOrId}".`);
}

/** `new` stands for a new session each time. */
async function findTarget(client: ParleyClient, session: string | undefined): Promise<{ sessionId?: string | null }> {
  if (session === undefined) return {};
  return { sessionId: session === 'new' ? null : (await requireSession(client, session)).id };
}

const EMPTY = `No schedules yet. Create one with: parley schedules create morning -a AGENT --when "every weekday at 8" -m "What is due today?"`;

const EXAMPLES = `
A time is written as
  2026-12-24T08:00                      a local time
  every weekday at 8                    also: every day, weekends, every monday and friday, every month on the 1st
  every 15 minutes                      also: every 2 hours, hourly
  tomorrow at 9:30                      also: today at 18:00, monday at 9, in 2 hours
  0 8 * * 1-5                           cron: minute, hour, day of the month, month, day of the week

Schedules run while the server runs (parley serve). Times that passed while it was off are run once, or with
--missed skip not at all.

Examples:
  $ parley schedules create morning -a wisp/concierge --when "every weekday at 8" -m "What is due today?"
  $ parley schedules create check --session release --when "in 2 hours" -m "Is the build green?"
  $ parley schedules pause morning
  $ parley schedules runs morning`;

interface Flags {
  agent?: string;
  message?: string;
  session?: string;
  folder?: string;
  mode?: SessionMode;
  when?: string;
  timeZone?: string;
  missed?: MissedRuns;
  times?: string;
}

function addFlags(command: Command): Command {
  return command
    .option('-m, --message <text>', 'the message; - reads it from standard input')
    .option('-a, --agent <agent>', 'the agent that replies; "" for the primary of the session')
    .option('-s, --session <session>', 'send to this session; "new" for a new session each time (default)')
    .option('--folder <name>', 'folder of new sessions; "" for none')
    .addOption(new Option('--mode <mode>', 'of new sessions').choices(['full', 'read-only']))
    .option('--time-zone <zone>', 'an IANA time zone; default: the zone of this machine')
    .addOption(new Option('--missed <rule>', 'when the server was off').choices(['run-once', 'skip']))
    .option('--times <number>', 'number of runs; "" for no limit');
}

/** What is not named is left out; an empty value clears. */
async function readFlags(flags: Flags): Promise<PatchSchedule> {
  const { agent, message, folder, mode, when, timeZone, missed, times } = flags;
  return {
    ...(message !== undefined && { content: message === '-' ? (await text(process.stdin)).trimEnd() : message }),
    ...(agent !== undefined && { agentId: agent || null }),
    ...(folder !== undefined && { folder: folder || null }),
    ...(mode !== undefined && { mode }),
    ...(when !== undefined && { when }),
    ...(timeZone !== undefined && { timeZone }),
    ...(missed !== undefined && { missed }),
    ...(times !== undefined && { runsLeft: times === '' ? null : readTimes(times) }),
  };
}

function readTimes(times: string): number {
  if (/^[1-9]\d{0,6}$/.test(times)) return Number(times);
  throw new CommandFailure('--times must be a whole number from 1.', EXIT_USAGE);
}
