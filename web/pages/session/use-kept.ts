import { useState } from 'react';

const KEPT = 4;

/** The sessions shown last, this one included. Always in the same order, whichever is shown: nothing moves in the page. */
export function useKept(shown: string): readonly string[] {
  const [recent, setRecent] = useState<readonly string[]>([shown]);
  const next = recent.at(-1) === shown ? recent : keep(recent, shown);
  if (next !== recent) setRecent(next);
  return [...next].sort();
}

/** Newest last; the one not shown for longest goes. */
export function keep(recent: readonly string[], shown: string): readonly string[] {
  return [...recent.filter((id) => id !== shown), shown].slice(-KEPT);
}
