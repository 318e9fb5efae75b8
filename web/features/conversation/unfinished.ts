import type { SessionState } from '../../../client/session-state.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Turn } from '../../../contract/turns.ts';

/**
 * Turns of which the transcript has to say that they came to nothing, by the message after which it says so: what they
 * said, or else what they were to answer. Not those that were tried again, nor those about which the person is asked.
 */
export function unfinishedTurns(
  { turns, actions }: SessionState,
  shown: readonly Message[],
): ReadonlyMap<string, readonly Turn[]> {
  const wanting = [...turns.values()].filter(isWanting);
  if (wanting.length === 0) return NONE;
  const again = new Set(Array.from(turns.values(), ({ retryOf }) => retryOf));
  const asked = new Set(Array.from(actions.values(), ({ turnId }) => turnId));
  const here = new Set(shown.map(({ id }) => id));
  const told = wanting.filter(({ id, messageId }) => !again.has(id) && !asked.has(id) && here.has(messageId));
  return Map.groupBy(told.sort(byAge), ({ answerId, messageId }) =>
    answerId !== null && here.has(answerId) ? answerId : messageId,
  );
}

const NONE: ReadonlyMap<string, readonly Turn[]> = new Map();

/** What the person stopped needs no word when something was said: it is marked there. What was stopped for another reason does. */
function isWanting({ state, answerId, parentTurnId, steeredInto, error }: Turn): boolean {
  if (steeredInto !== null) return false;
  if (state === 'cancelled') return parentTurnId === null && (answerId === null || error !== null);
  return state === 'failed' || state === 'interrupted';
}

function byAge(a: Turn, b: Turn): number {
  return a.createdAt < b.createdAt ? -1 : 1;
}
