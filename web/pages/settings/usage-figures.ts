import type { UsageReport } from '../../../contract/delegation.ts';

export type UsageBy = 'agent' | 'session' | 'model' | 'day';
export type UsageRow = UsageReport['rows'][number];

const DAY_MS = 86_400_000;
const MOST_DAYS = 366;

export interface Period {
  /** Days as `2026-01-31`, both of them in it. In UTC, like everything the server counts. */
  readonly from: string;
  readonly to: string;
}

export function lastDays(count: number, now: number): Period {
  return { from: dayOf(now - (count - 1) * DAY_MS), to: dayOf(now) };
}

/** As the server wants it: from the beginning of the first day to the end of the last. */
export function toMoments({ from, to }: Period): { from: string; to: string } {
  return { from: `${from}T00:00:00Z`, to: new Date(Date.parse(`${to}T00:00:00Z`) + DAY_MS).toISOString() };
}

export function isPeriod({ from, to }: Period): boolean {
  return !Number.isNaN(Date.parse(from)) && !Number.isNaN(Date.parse(to)) && from <= to;
}

export interface Bar {
  readonly day: string;
  readonly tokens: number;
  /** Of the largest, from 0 to 1. */
  readonly share: number;
}

/** One bar for every day, also for those on which nothing happened; of a long period only the newest. */
export function dayBars(rows: readonly UsageRow[], { from, to }: Period): Bar[] {
  const tokens = new Map(rows.map((row) => [row.key, tokensOf(row)]));
  const days = daysBetween(from, to);
  const most = Math.max(1, ...days.map((day) => tokens.get(day) ?? 0));
  return days.map((day) => ({ day, tokens: tokens.get(day) ?? 0, share: (tokens.get(day) ?? 0) / most }));
}

export function tokensOf({ inputTokens, outputTokens }: Pick<UsageRow, 'inputTokens' | 'outputTokens'>): number {
  return inputTokens + outputTokens;
}

function daysBetween(from: string, to: string): string[] {
  const last = Date.parse(`${to}T00:00:00Z`);
  const count = Math.min(MOST_DAYS, Math.floor((last - Date.parse(`${from}T00:00:00Z`)) / DAY_MS) + 1);
  return Array.from({ length: Math.max(0, count) }, (_, index) => dayOf(last - (count - 1 - index) * DAY_MS));
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
