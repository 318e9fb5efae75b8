import type { Turn } from '../contract/turns.ts';
import { CommandFailure, EXIT_INTERRUPTED } from './failure.ts';

/** Nothing when the turn is complete; else why not, and what to do about it. */
export function assertComplete(turn: Turn, sessionName: string, interrupted = false): void {
  if (turn.state === 'complete') return;
  if (interrupted) throw new CommandFailure('Stopped.', EXIT_INTERRUPTED);
  throw new CommandFailure(explainEnd(turn, `parley retry -s ${sessionName}`));
}

export function explainEnd(turn: Turn, retry: string): string {
  if (turn.state === 'cancelled')
    return `The turn was cancelled. Your message is kept; have it answered with: ${retry}`;
  const why = turn.error?.message ?? `The turn ended as ${turn.state}.`;
  return turn.error?.retryable ? `${why}\nYour message is kept; try again with: ${retry}` : why;
}
