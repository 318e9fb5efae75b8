import { useSyncExternalStore } from 'react';
import { formatDuration } from '../../contract/duration.ts';
import { language, text } from './text.ts';

const MINUTE = 60_000;
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', MINUTE],
] as const;

/** `3m ago`, in the chosen language. */
export function relativeTime(iso: string, now: number): string {
  const past = now - Date.parse(iso);
  if (past < MINUTE) return text('time.now');
  if (past > 7 * 86_400_000) return shortDate(iso);
  const [unit, size] = UNITS.find(([, ms]) => past >= ms)!;
  return new Intl.RelativeTimeFormat(language(), { style: 'narrow' }).format(-Math.floor(past / size), unit);
}

/** How long something took: `0.8 s`, `52 s`, `13 m 52 s`, `2 h 5 m`. */
export function duration(ms: number): string {
  return formatDuration(ms, language());
}

/** How long ago, without saying so: `now`, `13m`, `2h`, `3d`, then the date. */
export function shortAge(iso: string, now: number): string {
  const past = now - Date.parse(iso);
  if (past < MINUTE) return text('time.now');
  if (past > 7 * 86_400_000) return dayAndMonth(iso, now);
  const [name, size] = UNITS.find(([, ms]) => past >= ms)!;
  return unit(Math.floor(past / size), name);
}

function dayAndMonth(iso: string, now: number): string {
  const date = new Date(iso);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  const year = isThisYear ? {} : ({ year: 'numeric' } as const);
  return new Intl.DateTimeFormat(language(), { day: 'numeric', month: 'short', ...year }).format(date);
}

function unit(value: number, name: 'second' | 'minute' | 'hour' | 'day'): string {
  return new Intl.NumberFormat(language(), { style: 'unit', unit: name, unitDisplay: 'narrow' }).format(value);
}

export function shortDate(iso: string): string {
  return new Intl.DateTimeFormat(language(), { dateStyle: 'medium' }).format(new Date(iso));
}

export function clockTime(iso: string): string {
  return new Intl.DateTimeFormat(language(), { timeStyle: 'short' }).format(new Date(iso));
}

let now = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, 30_000);

/** Now, to the half minute: everything that shows a time is drawn anew together. */
export function useNow(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );
}

/** An amount in the currency of the configured prices. Amounts that stand together should have the same digits. */
export function money(amount: number, currency: string, digits = digitsFor([amount])): string {
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  // What is configured may be no currency of the world, such as "credits".
  if (!/^[A-Z]{3}$/.test(currency)) return `${new Intl.NumberFormat(language(), fraction).format(amount)} ${currency}`;
  return new Intl.NumberFormat(language(), { style: 'currency', currency, ...fraction }).format(amount);
}

/** Two, or four where one of the amounts is smaller than a cent. */
export function digitsFor(amounts: readonly number[]): 2 | 4 {
  return amounts.some((amount) => amount > 0 && amount < 0.01) ? 4 : 2;
}

/** `12 kB`, as the chosen language writes it. */
export function fileSize(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  const [unit, size] = bytes < 1e6 ? (['kilobyte', 1e3] as const) : (['megabyte', 1e6] as const);
  const digits = unit === 'megabyte' && bytes < 10e6 ? 1 : 0;
  return new Intl.NumberFormat(language(), { style: 'unit', unit, maximumFractionDigits: digits }).format(bytes / size);
}
