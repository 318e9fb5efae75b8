import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';

const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
const TODAY = /^today(?:([+-])(\d{1,4}))?$/;
const DASH = 0x2d;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The days of one time zone. */
export class Calendar {
  readonly #format: Intl.DateTimeFormat;
  /** Days begin at a quarter of an hour everywhere. */
  readonly #days = new Map<number, string>();
  readonly today: string;

  /** Without a name: the zone of the machine. */
  constructor(timeZone: string | undefined, now = Date.now()) {
    this.#format = formatIn(timeZone);
    this.today = this.dayOf(now);
  }

  dayOf(time: number): string {
    const quarter = Math.floor(time / QUARTER_MS);
    const known = this.#days.get(quarter);
    if (known !== undefined) return known;
    const day = this.#format.format(quarter * QUARTER_MS);
    this.#days.set(quarter, day);
    return day;
  }

  /** The day of a day or a moment; null for anything else. */
  dayIn(value: unknown): string | null {
    if (typeof value !== 'string' || value.charCodeAt(4) !== DASH) return null;
    if (DAY.test(value)) return value;
    const time = /^\d{4}-\d{2}-\d{2}T/.test(value) ? Date.parse(value) : Number.NaN;
    return Number.isNaN(time) ? null : this.dayOf(time);
  }

  /** `today`, `today+7` and `today-1` as days; anything else as it is. */
  resolve(value: unknown): unknown {
    const found = typeof value === 'string' ? TODAY.exec(value) : null;
    if (!found) return value;
    const days = Number(found[2] ?? 0) * (found[1] === '-' ? -1 : 1);
    return new Date(Date.parse(`${this.today}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
  }
}

function formatIn(timeZone: string | undefined): Intl.DateTimeFormat {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  try {
    // Written year-month-day.
    return new Intl.DateTimeFormat('sv-SE', { ...parts, ...(timeZone !== undefined && { timeZone }) });
  } catch (error) {
    if (error instanceof RangeError && timeZone !== undefined)
      throw new AppError('time_zone_unknown', say('time_zone_unknown', { name: timeZone }));
    throw error;
  }
}
