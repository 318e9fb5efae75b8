import { CommandFailure } from '../failure.ts';

const SHORT = 8;

/** Ids begin with the time they were made at, so it is their ends that differ. */
export function shortId(id: string): string {
  return id.length > SHORT && /^[A-Za-z0-9]+$/.test(id.slice(-SHORT)) ? id.slice(-SHORT) : id;
}

/** By the whole id, or by the beginning or end of exactly one. Undefined when there is none. */
export function findById<T extends { id: string }>(things: readonly T[], given: string, what: string): T | undefined {
  const exact = things.find(({ id }) => id === given);
  if (exact) return exact;
  const close = things.filter(({ id }) => id.startsWith(given) || id.endsWith(given));
  if (close.length < 2) return close[0];
  throw new CommandFailure(
    [`${given} matches ${close.length} ${what}:`, ...close.map(({ id }) => `  ${id}`)].join('\n'),
  );
}
