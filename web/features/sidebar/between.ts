import type { Row } from './rows.ts';

/** The sessions from one row to another, both included, whichever comes first. */
export function between(rows: readonly Row[], from: string, to: string): string[] {
  const ends = [from, to].map((key) => rows.findIndex((row) => row.key === key)).filter((index) => index >= 0);
  if (ends.length === 0) return [];
  const part = rows.slice(Math.min(...ends), Math.max(...ends) + 1);
  return part.filter((row) => row.kind === 'session').map(({ key }) => key);
}
