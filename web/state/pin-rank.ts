import type { Session } from '../../contract/sessions.ts';

/** The attribute that says where among the pins a session was put by hand. */
export const PIN_RANK = 'pinRank';

/** Pins come in the order they were made, unless somebody has put one elsewhere. */
export function pinRank({ pinnedAt, attributes }: Session): number {
  const rank = attributes[PIN_RANK];
  return typeof rank === 'number' ? rank : Date.parse(pinnedAt ?? '') || 0;
}

/** A rank that puts something before the pin at `index`, or after the last one. */
export function rankAt(pins: readonly Session[], index: number): number {
  const before = pins[index - 1];
  const after = pins[index];
  if (before && after) return (pinRank(before) + pinRank(after)) / 2;
  if (after) return pinRank(after) - STEP;
  return before ? pinRank(before) + STEP : Date.now();
}

const STEP = 1000;
