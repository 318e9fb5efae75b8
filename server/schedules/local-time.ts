/** What a clock on the wall shows. The day may lie outside its month: 32 January is 1 February. */
export interface LocalTime {
  year: number;
  /** From 1. */
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/** The local time of an instant; `weekday` counts from Sunday, 0. */
export function inZone(instant: number, timeZone: string): LocalTime & { weekday: number } {
  const parts = new Intl.DateTimeFormat('en', { timeZone, ...FIELDS }).formatToParts(instant);
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)!.value);
  const local = {
    year: read('year'),
    month: read('month'),
    day: read('day'),
    hour: read('hour'),
    minute: read('minute'),
  };
  return { ...local, weekday: new Date(asUtc(local)).getUTCDay() };
}

const FIELDS = {
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
} as const;

/** The instant of a local time: the first one where it comes twice; an hour later where summer time leaves it out. */
export function toInstant(local: LocalTime, timeZone: string): number {
  const wanted = asUtc(local);
  const offsets = [wanted - DAY_MS, wanted + DAY_MS].map((instant) => offsetAt(instant, timeZone));
  const instants = offsets.map((offset) => wanted - offset);
  const exact = instants.filter((instant) => asUtc(inZone(instant, timeZone)) === wanted);
  return exact.length > 0 ? Math.min(...exact) : Math.max(...instants);
}

function offsetAt(instant: number, timeZone: string): number {
  return asUtc(inZone(instant, timeZone)) - instant;
}

function asUtc({ year, month, day, hour, minute }: LocalTime): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}

const DAY_MS = 24 * 3600_000;

/** `8`, `8:30`, `8am`, `8:30 pm`, `noon`, `midnight`. */
export function readClock(text: string): { hour: number; minute: number } | null {
  if (text === 'noon') return { hour: 12, minute: 0 };
  if (text === 'midnight') return { hour: 0, minute: 0 };
  const found = /^(\d{1,2})(?::(\d\d))? ?(am|pm)?(?: o'clock)?$/.exec(text);
  if (!found) return null;
  const [hour, minute] = [Number(found[1]), Number(found[2] ?? 0)];
  if (minute > 59 || hour > 23 || (found[3] && (hour < 1 || hour > 12))) return null;
  return { hour: found[3] ? (hour % 12) + (found[3] === 'pm' ? 12 : 0) : hour, minute };
}
