import { type CutReason, cutReason } from '../contract/cut-answer.ts';
import type { Turn } from '../contract/turns.ts';

/** Why an answer ends before the agent was done, in words; null when it is whole. */
export function whyCut(turn: Pick<Turn, 'state' | 'stopReason'>): string | null {
  const reason = cutReason(turn);
  return reason && REASONS[reason];
}

const REASONS: Record<CutReason, string> = {
  length: 'it reached the maximum reply length',
  content_filter: "the provider's content filter stopped it",
  limit_stop: 'it was stopped at a limit',
};
