import type { Action } from '../../../contract/actions.ts';
import { isScratch } from '../../../contract/scratch.ts';
import type { Session } from '../../../contract/sessions.ts';
import { actionsBySession, URGENCY } from '../../state/needs.ts';

/** A failed turn, or work that has stopped without asking for anything. */
export type Failure = { readonly action: Action } | { readonly session: Session };

interface Needs {
  /** What an agent waits for: approvals first, then questions and limits; of each kind, what has waited longest first. */
  readonly asked: readonly Action[];
  /** What went wrong, what has waited longest first. */
  readonly failures: readonly Failure[];
}

/** All that is open in the sessions that need the person, in the order in which the sidebar lists the sessions. */
export function sortNeeds(inNeed: readonly Session[], actions: ReadonlyMap<string, Action>): Needs {
  const ids = new Set(inNeed.map(({ id }) => id));
  const open = [...actions.values()].filter(({ chain, sessionId }) => ids.has(chain[0]?.sessionId ?? sessionId));
  const asked = open.filter(({ kind }) => kind !== 'failure');
  const failed = open.filter(({ kind }) => kind === 'failure').map((action) => ({ action }));
  const stopped = inNeed.filter(({ id }) => !actionsBySession(actions).has(id)).map((session) => ({ session }));
  return {
    asked: asked.sort(
      (one, other) => URGENCY[one.kind] - URGENCY[other.kind] || byTime(one.createdAt, other.createdAt),
    ),
    failures: [...failed, ...stopped].sort((one, other) => byTime(since(one), since(other))),
  };
}

function since(failure: Failure): string {
  return 'action' in failure ? failure.action.createdAt : failure.session.lastActivityAt;
}

function byTime(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

const SHOWN = 6;

/** Where the person was last: newest activity first, without what is archived, about to be deleted or between agents. */
export function recentSessions(sessions: Iterable<Session>, hidden: ReadonlySet<string>): Session[] {
  return [...sessions]
    .filter((session) => session.archivedAt === null && session.delegatedFrom === null && !isScratch(session))
    .filter(({ id }) => !hidden.has(id))
    .sort((a, b) => (a.lastActivityAt < b.lastActivityAt ? 1 : -1))
    .slice(0, SHOWN);
}
