import type { Turn } from '../../contract/turns.ts';
import { whyCut } from '../cut-answer.ts';
import { CommandFailure, EXIT_CUT, EXIT_INTERRUPTED } from '../failure.ts';
import type { Followed } from './follow.ts';

/** Nothing when every turn is complete; else why not, and what to do about it. */
export function assertComplete({ turns, interrupted }: Followed, sessionName: string): void {
  const [first, ...others] = turns.filter(({ state }) => state !== 'complete');
  assertWhole(turns);
  if (!first) return;
  if (interrupted) throw new CommandFailure('Stopped.', EXIT_INTERRUPTED);
  const who = turns.length > 1 ? (turn: Turn) => `${turn.agentId}: ` : () => '';
  const retry = (turn: Turn) => (others.length > 0 ? `parley retry ${turn.id}` : `parley retry -s ${sessionName}`);
  throw new CommandFailure([first, ...others].map((turn) => who(turn) + explainEnd(turn, retry(turn))).join('\n'));
}

function assertWhole(turns: readonly Turn[]): void {
  if (turns.some(({ state }) => state !== 'complete')) return;
  const cut = turns.flatMap((turn) => {
    const why = whyCut(turn);
    return why === null ? [] : [`The reply of ${turn.agentId} was cut off: ${why}.`];
  });
  if (cut.length > 0) throw new CommandFailure(cut.join('\n'), EXIT_CUT);
}

export function explainEnd(turn: Turn, retry: string): string {
  if (turn.state === 'cancelled') return `The turn was cancelled. Your message is kept; to retry: ${retry}`;
  const why = turn.error?.message ?? `The turn ended as ${turn.state}.`;
  return turn.error?.retryable ? `${why}\nYour message is kept; to retry: ${retry}` : why;
}
