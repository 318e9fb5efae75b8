import { Cron } from 'croner';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { inZone, type LocalTime, readClock, toInstant } from './local-time.ts';

/** When a schedule runs, as it is stored: one instant, or five cron fields in a time zone. */
export type Rhythm = { at: number } | { cron: string };

/**
 * Reads what a person wrote: a time, cron fields, or words. Words become one of the other two, so that nothing else has to
 * know them.
 */
export function readWhen(when: string, timeZone: string, now: number): Rhythm {
  const text = when.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const rhythm =
    readCron(when, text) ?? readTime(when, timeZone) ?? readRepeating(when, text) ?? readSingle(text, timeZone, now);
  if (!rhythm) throw new AppError('schedule_invalid', say('schedule_invalid.words', { when }));
  if (nextTime(rhythm, timeZone, now) !== null) return rhythm;
  const why = 'at' in rhythm ? 'schedule_invalid.past' : 'schedule_invalid.never';
  throw new AppError('schedule_invalid', say(why, { when }));
}

/**
 * The first time after an instant; null when there is none. A local time that a change to summer time leaves out comes an
 * hour later, one that comes twice counts once.
 */
export function nextTime(rhythm: Rhythm, timeZone: string, after: number): number | null {
  if ('at' in rhythm) return rhythm.at > after ? rhythm.at : null;
  return new Cron(rhythm.cron, { timezone: timeZone, mode: '5-part' }).nextRun(new Date(after))?.getTime() ?? null;
}

export function nextTimes(rhythm: Rhythm, timeZone: string, after: number, count: number): number[] {
  const first = nextTime(rhythm, timeZone, after);
  return first === null || count === 0 ? [] : [first, ...nextTimes(rhythm, timeZone, first, count - 1)];
}

const NAMED: Record<string, string> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
};

function readCron(when: string, text: string): Rhythm | null {
  const cron = Object.hasOwn(NAMED, text) ? NAMED[text]! : text;
  const [minutes, hours, ...others] = cron.split(' ');
  if (others.length !== 3 || !/^[\d*,/-]+ [\d*,/-]+$/.test(`${minutes} ${hours}`)) return null;
  try {
    new Cron(cron, { mode: '5-part' });
    return { cron };
  } catch {
    throw new AppError('schedule_invalid', say('schedule_invalid.cron', { when }));
  }
}

const LOCAL_TIME = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?$/i;

/** With an offset it is an instant, without one a local time of the zone. */
function readTime(when: string, timeZone: string): Rhythm | null {
  const local = LOCAL_TIME.exec(when.trim());
  if (local) {
    const [year, month, day, hour, minute] = local.slice(1).map(Number) as [number, number, number, number, number];
    return isRealTime({ year, month, day, hour, minute })
      ? { at: toInstant({ year, month, day, hour, minute }, timeZone) }
      : null;
  }
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(when.trim())) return null;
  const at = Date.parse(when.trim());
  return Number.isNaN(at) ? null : { at };
}

function isRealTime({ year, month, day, hour, minute }: LocalTime): boolean {
  const made = new Date(Date.UTC(year, month - 1, day, hour, minute));
  return made.getUTCMonth() === month - 1 && made.getUTCDate() === day && hour < 24 && minute < 60;
}

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const DAY_NAME = `(?:${DAYS.join('|')})s?`;
const DAY_LIST = new RegExp(`^(?:every |on )?(${DAY_NAME}(?:(?:, ?| and |, and )${DAY_NAME})*)$`);
const EVERY_SO_MANY = /^every (\d{1,3}) (minutes?|hours?)$/;
const DAY_OF_MONTH = /^(?:every month|monthly)(?: on the (\d{1,2})(?:st|nd|rd|th)?)?$/;

const RHYTHMS: Record<string, string> = {
  'every day': '* * *',
  daily: '* * *',
  'every weekday': '* * 1-5',
  weekdays: '* * 1-5',
  'on weekdays': '* * 1-5',
  'every weekend': '* * 0,6',
  weekends: '* * 0,6',
  'on weekends': '* * 0,6',
  'every week': '* * 1',
  weekly: '* * 1',
};

/** `every weekday at 8`, `every monday and friday at 17:30`, `every 15 minutes`, `every month on the 1st at 9`. */
function readRepeating(when: string, text: string): Rhythm | null {
  if (text === 'hourly' || text === 'every hour') return { cron: '0 * * * *' };
  if (text === 'every minute') return { cron: '* * * * *' };
  const step = EVERY_SO_MANY.exec(text);
  if (step) return readStep(when, Number(step[1]), step[2]!);
  const [days, clock] = splitClock(text);
  const time = clock === null ? { hour: 9, minute: 0 } : readClock(clock);
  const fields = readDays(days);
  return time && fields ? { cron: `${time.minute} ${time.hour} ${fields}` } : null;
}

function readDays(days: string): string | null {
  const known = Object.hasOwn(RHYTHMS, days) ? RHYTHMS[days]! : null;
  if (known) return known;
  const monthly = DAY_OF_MONTH.exec(days);
  if (monthly) return Number(monthly[1] ?? 1) <= 31 && monthly[1] !== '0' ? `${Number(monthly[1] ?? 1)} * *` : null;
  const named = /^every /.test(days) || /s\b/.test(days) ? DAY_LIST.exec(days)?.[1] : undefined;
  if (named === undefined) return null;
  const numbers = DAYS.flatMap((name, number) => (named.includes(name) ? [number] : []));
  return `* * ${numbers.join(',')}`;
}

/** A step that does not divide the hour or the day would make one shorter gap in each. */
function readStep(when: string, step: number, unit: string): Rhythm {
  const isMinutes = unit.startsWith('minute');
  const whole = isMinutes ? 60 : 24;
  if (step > 0 && step < whole && whole % step === 0)
    return { cron: isMinutes ? `*/${step} * * * *` : `0 */${step} * * *` };
  const steps = Array.from({ length: whole - 1 }, (_, index) => index + 1).filter((one) => whole % one === 0);
  const values = { when, unit: isMinutes ? 'an hour' : 'a day', steps: steps.join(', ') };
  throw new AppError('schedule_invalid', say('schedule_invalid.step', values));
}

const IN_A_WHILE = /^in (\d{1,4}|an?) (minute|hour|day|week)s?$/;
const WHILE_MS: Record<string, number> = {
  minute: 60_000,
  hour: 3600_000,
  day: 24 * 3600_000,
  week: 7 * 24 * 3600_000,
};

/** `in 2 hours`, `tomorrow at 9:30`, `today at 18:00`, `next monday at 9`, `at 14:00`. */
function readSingle(text: string, timeZone: string, now: number): Rhythm | null {
  const away = IN_A_WHILE.exec(text);
  if (away) return { at: now + (/^an?$/.test(away[1]!) ? 1 : Number(away[1])) * WHILE_MS[away[2]!]! };
  const [day, clock] = splitClock(text);
  const time = clock === null ? { hour: 9, minute: 0 } : readClock(clock);
  const today = inZone(now, timeZone);
  const ahead = time && daysAhead(day, clock !== null, today, time);
  if (!time || ahead === null) return null;
  return { at: toInstant({ ...today, day: today.day + ahead, ...time }, timeZone) };
}

function daysAhead(
  day: string,
  hasClock: boolean,
  today: LocalTime & { weekday: number },
  time: { hour: number; minute: number },
): number | null {
  const isOver = time.hour * 60 + time.minute <= today.hour * 60 + today.minute;
  if (day === '' && hasClock) return isOver ? 1 : 0;
  if (day === 'today' && hasClock) return 0;
  if (day === 'tomorrow') return 1;
  const weekday = DAYS.indexOf(day.replace(/^(?:next|on|this) /, ''));
  if (weekday < 0) return null;
  const ahead = (weekday - today.weekday + 7) % 7;
  return ahead === 0 && isOver ? 7 : ahead;
}

function splitClock(text: string): [days: string, clock: string | null] {
  const found = /^(.*?)(?:^| )at (.+)$/.exec(text);
  return found ? [found[1]!.trim(), found[2]!] : [text, null];
}
