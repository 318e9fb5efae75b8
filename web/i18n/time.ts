import { useSyncExternalStore } from 'react';
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
