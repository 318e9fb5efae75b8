import type { Row } from './rows.ts';

/** Where to be in the list when a row is gone: at the next session below it that is left, else above it. */
export function survivor(before: readonly Row[], index: number, now: readonly Row[]): number {
  const left = new Map(now.map((row, at) => [row.key, at]));
  const isLeft = ({ kind, key }: Row) => kind === 'session' && left.has(key);
  const next = before.slice(index + 1).find(isLeft) ?? before.slice(0, index).findLast(isLeft);
  return next ? left.get(next.key)! : Math.min(index, now.length - 1);
}
