import type { Action } from '../../contract/actions.ts';

type Actions = ReadonlyMap<string, Action>;

/**
 * What is asked in other sessions on behalf of a turn in this one, oldest first. It can be answered here as well. The
 * same list is returned for the same actions.
 */
export function askedElsewhere(actions: Actions, sessionId: string): readonly Action[] {
  if (actions.size === 0) return NONE;
  const known = bySession.get(actions) ?? index(actions);
  bySession.set(actions, known);
  return known.get(sessionId) ?? NONE;
}

const NONE: readonly Action[] = [];
const bySession = new WeakMap<Actions, ReadonlyMap<string, readonly Action[]>>();

/** A failed turn is not listed: the agent that asked is told and goes on. */
function index(actions: Actions): ReadonlyMap<string, readonly Action[]> {
  const found = new Map<string, Action[]>();
  for (const action of actions.values()) {
    if (action.kind === 'failure') continue;
    const others = new Set(action.chain.map(({ sessionId }) => sessionId));
    others.delete(action.sessionId);
    for (const id of others) found.set(id, [...(found.get(id) ?? []), action]);
  }
  return found;
}
