import { clockTime, shortDate } from '../i18n/formats.ts';
import { language } from '../i18n/text.ts';

/** A due date is a day, or a moment with its zone. */
export function dueWords(due: string): string {
  if (isDay(due)) return dayWords(due);
  return `${shortDate(due)} ${clockTime(due)}`;
}

/** A day is the same one in every zone. */
export function dayWords(day: string): string {
  const at = new Date(`${day}T12:00:00`);
  const isThisYear = at.getFullYear() === new Date().getFullYear();
  const year = isThisYear ? {} : ({ year: 'numeric' } as const);
  return at.toLocaleDateString(language(), { month: 'short', day: 'numeric', ...year });
}

export function isOverdue(due: string): boolean {
  return isDay(due) ? due < dayOf(new Date()) : Date.parse(due) < Date.now();
}

export function isDay(due: string): boolean {
  return due.length === 10;
}

/** The day where the person is. */
export function dayOf(at: Date): string {
  const [month, day] = [at.getMonth() + 1, at.getDate()].map((number) => String(number).padStart(2, '0'));
  return `${at.getFullYear()}-${month}-${day}`;
}

export interface DueParts {
  readonly day: string;
  readonly time: string;
}

/** For the fields of a form, in the person's own zone. */
export function partsOf(due: string | null): DueParts {
  if (due === null) return { day: '', time: '' };
  if (isDay(due)) return { day: due, time: '' };
  const at = new Date(due);
  const time = [at.getHours(), at.getMinutes()].map((number) => String(number).padStart(2, '0')).join(':');
  return { day: dayOf(at), time };
}

export function toDue({ day, time }: DueParts): string | null {
  if (day === '') return null;
  return time === '' ? day : new Date(`${day}T${time}`).toISOString();
}
