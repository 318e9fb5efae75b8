import type { Action } from '../../../contract/actions.ts';
import type { Session } from '../../../contract/sessions.ts';
import { actionsBySession, URGENCY } from '../../state/needs.ts';

export interface Needs {
  /** What an agent waits for: approvals first, then questions and limits; the newest of each kind first. */
  readonly asked: readonly Action[];
  /** What went wrong, newest first. */
  readonly failures: readonly Action[];
  /** Work that has stopped without asking for anything. */
  readonly stuck: readonly Session[];
}

/** All that is open in the sessions that need the person. */
export function sortNeeds(inNeed: readonly Session[], actions: ReadonlyMap<string, Action>): Needs {
  const ids = new Set(inNeed.map(({ id }) => id));
  const open = [...actions.values()].filter(({ chain, sessionId }) => ids.has(chain[0]?.sessionId ?? sessionId));
  const sorted = open.sort(
    (one, other) => URGENCY[one.kind] - URGENCY[other.kind] || (one.createdAt < other.createdAt ? 1 : -1),
  );
  return {
    asked: sorted.filter(({ kind }) => kind !== 'failure'),
    failures: sorted.filter(({ kind }) => kind === 'failure'),
    stuck: inNeed.filter(({ id }) => !actionsBySession(actions).has(id)),
  };
}
