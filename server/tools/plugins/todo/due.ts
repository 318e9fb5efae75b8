import type { Entry } from './todo.ts';

const DAY_MS = 86_400_000;
const DAYS = { overdue: 0, today: 1, week: 7 } as const;

/** Whether it is open and due in the time that is asked about; everything passes when none is. */
export function isDue(item: Entry, when: keyof typeof DAYS | undefined, now: number): boolean {
  if (when === undefined) return true;
  if (item.data.due === null || item.data.doneAt !== null) return false;
  if (when === 'overdue') return isOverdue(item, now);
  return Date.parse(item.data.due) < startOfDay(now) + DAYS[when] * DAY_MS;
}

export function showDue(item: Entry, now: number): string {
  return `${isOverdue(item, now) ? 'overdue since' : 'due'} ${item.data.due}`;
}

const URGENCY = { high: 0, normal: 1, low: 2 } as const;

/** Open before done, due before undated, urgent before the rest, older before newer. */
export function inOrder(a: Entry, b: Entry): number {
  return (
    Number(a.data.doneAt !== null) - Number(b.data.doneAt !== null) ||
    compare(dueTime(a), dueTime(b)) ||
    URGENCY[a.data.priority] - URGENCY[b.data.priority] ||
    compare(a.id, b.id)
  );
}

/** A day is over when the next one begins. Days are those of UTC, like every time that is shown. */
function isOverdue({ data }: Entry, now: number): boolean {
  if (data.due === null || data.doneAt !== null) return false;
  const isDay = data.due.length === 10;
  return Date.parse(data.due) + (isDay ? DAY_MS : 0) <= now;
}

function startOfDay(now: number): number {
  return now - (now % DAY_MS);
}

function dueTime({ data }: Entry): number {
  return data.due === null ? Number.POSITIVE_INFINITY : Date.parse(data.due);
}

function compare<T extends number | string>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
