import type { LiveState } from '../live/live-state.ts';
import { inNeed } from '../state/needs-you.ts';
import { openOrder, toSections } from '../state/order.ts';

const NONE: ReadonlySet<string> = new Set();

/** The session before or after the one that is open, as the sidebar lists them, round and round. */
export function stepSession(
  { sessions, actions }: LiveState,
  current: string | undefined,
  step: 1 | -1,
): string | null {
  const ids = openOrder(toSections({ sessions, actions, hidden: NONE }));
  if (ids.length === 0) return null;
  const at = ids.indexOf(current ?? '');
  return ids[(at < 0 ? 0 : at + step + ids.length) % ids.length] ?? null;
}

/** The next session in which something waits for the person, the most urgent first. */
export function nextAction(state: LiveState, current: string | undefined): string | null {
  const ids = inNeed(state).map(({ id }) => id);
  return ids[(ids.indexOf(current ?? '') + 1) % ids.length] ?? null;
}
