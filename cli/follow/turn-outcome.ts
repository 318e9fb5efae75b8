import type { Turn } from '../../contract/turns.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import type { Followed } from './follow.ts';

/** Nothing when every turn is complete; else why not, and what to do about it. */
export function assertComplete({ turns, interrupted }: Followed, sessionName: string): void {
  const [first, ...others] = turns.filter(({ state }) => state !== 'complete');
  if (!first) return;
  if (interrupted) throw new CommandFailure('Stopped.', EXIT_INTERRUPTED);
  const who = turns.length > 1 ? (turn: Turn) => `${turn.agentId}: ` : () => '';
  const retry = (turn: Turn) => (others.length > 0 ? `parley retry ${turn.id}` : `parley retry -s ${sessionName}`);
  throw new CommandFailure([first, ...others].map((turn) => who(turn) + explainEnd(turn, retry(turn))).join('\n'));
}

export function explainEnd(turn: Turn, retry: string): string {
  if (turn.state === 'cancelled')
    return `The turn was cancelled. Your message is kept; have it answered with: ${retry}`;
  const why = turn.error?.message ?? `The turn ended as ${turn.state}.`;
  return turn.error?.retryable ? `${why}\nYour message is kept; try again with: ${retry}` : why;
}
