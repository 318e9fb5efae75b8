import type { Turn } from './turns.ts';

/** Why an answer ends early although its turn is complete. The values are stop reasons of turns. */
export const CUT_REASONS = ['length', 'content_filter', 'limit_stop'] as const;
export type CutReason = (typeof CUT_REASONS)[number];

/** Why an answer ends before the agent was done; null when it is whole. */
export function cutReason({ state, stopReason }: Pick<Turn, 'state' | 'stopReason'>): CutReason | null {
  return state === 'complete' ? (CUT_REASONS.find((reason) => reason === stopReason) ?? null) : null;
}
