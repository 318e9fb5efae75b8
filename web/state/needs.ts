import type { Action } from '../../contract/actions.ts';
import { isScratch } from '../../contract/scratch.ts';
import type { Session } from '../../contract/sessions.ts';

type Actions = ReadonlyMap<string, Action>;
type Sessions = ReadonlyMap<string, Session>;

/** What an agent waits for comes before what went wrong. */
export const URGENCY: Readonly<Record<Action['kind'], number>> = { approval: 0, question: 1, limit: 2, failure: 3 };

/**
 * The most urgent open action by session, the oldest of its kind: where it is asked, and every session on whose behalf
 * it is. `isRoot`: the person began it there, so that it is listed there and nowhere else.
 */
export interface Asked {
  readonly action: Action;
  readonly isRoot: boolean;
}

export function actionsBySession(actions: Actions): ReadonlyMap<string, Asked> {
  const known = made.get(actions);
  if (known) return known;
  const bySession = new Map<string, Asked>();
  for (const action of actions.values()) {
    const root = rootOf(action);
    for (const id of new Set([root, ...action.chain.map(({ sessionId }) => sessionId), action.sessionId])) {
      const asked = { action, isRoot: id === root };
      if (comesBefore(asked, bySession.get(id))) bySession.set(id, asked);
    }
  }
  made.set(actions, bySession);
  return bySession;
}

const made = new WeakMap<Actions, ReadonlyMap<string, Asked>>();

function comesBefore(one: Asked, other: Asked | undefined): boolean {
  if (!other) return true;
  if (one.isRoot !== other.isRoot) return one.isRoot;
  return URGENCY[one.action.kind] < URGENCY[other.action.kind];
}

/** Work outside a conversation: it is listed until it is done or archived. */
export function isUnfinishedWork({ type, status, archivedAt }: Session): boolean {
  if (type !== 'tool-execution' || archivedAt !== null) return false;
  return status === 'working' || status === 'waiting' || status === 'error';
}

/** Made to try an agent or a team, or by an agent that is being tried: it goes away with the page it was tried on. */
export function isOnlyTried(session: Session, sessions: Sessions, levels = MOST_LEVELS): boolean {
  if (isScratch(session)) return true;
  const above = sessions.get(session.delegatedFrom ?? session.parentSessionId ?? '');
  return above !== undefined && levels > 0 && isOnlyTried(above, sessions, levels - 1);
}

/** Sessions can work for each other in a circle. */
const MOST_LEVELS = 9;

/**
 * Sessions that go no further without the person, the most urgent first; what one conversation asks for several times is
 * there once. Every count and list of what needs the person is made from this.
 */
export function sessionsInNeed(sessions: Sessions, actions: Actions, hidden: ReadonlySet<string>): readonly Session[] {
  const asked = actionsBySession(actions);
  return [...sessions.values()]
    .filter((session) => !hidden.has(session.id) && !isOnlyTried(session, sessions) && needsPerson(session, asked))
    .sort(byUrgency(asked));
}

/** What a delegate asks counts at the session that the person began, and only there. */
function needsPerson(session: Session, asked: ReadonlyMap<string, Asked>): boolean {
  const known = asked.get(session.id);
  return known ? isAskedIn(session, known) : isUnfinishedWork(session) && session.status !== 'working';
}

/** An archived session still asks for what an agent waits for, but a failure in it rests. */
export function isAskedIn({ archivedAt }: Session, { action, isRoot }: Asked): boolean {
  return isRoot && (archivedAt === null || action.kind !== 'failure');
}

/** Approvals first, failures after everything that is asked, each by which has waited longest; what only works comes last, newest first. */
export function byUrgency(asked: ReadonlyMap<string, Asked>): (a: Session, b: Session) => number {
  const since = (session: Session) => asked.get(session.id)?.action.createdAt ?? session.lastActivityAt;
  const urgency = (session: Session) => URGENCY[asked.get(session.id)?.action.kind ?? 'failure'];
  const waits = (session: Session) => asked.has(session.id) || session.status !== 'working';
  return (a, b) => {
    if (waits(a) !== waits(b)) return waits(a) ? -1 : 1;
    if (urgency(a) !== urgency(b)) return urgency(a) - urgency(b);
    if (!waits(a) || since(a) === since(b)) return byActivity(a, b);
    return since(a) < since(b) ? -1 : 1;
  };
}

/** Newest first. */
export function byActivity(a: Session, b: Session): number {
  if (a.lastActivityAt !== b.lastActivityAt) return a.lastActivityAt < b.lastActivityAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

/** Sessions in which an agent works, without those whose work another one of them waits for. */
export function countWorking(sessions: Sessions, hidden: ReadonlySet<string>): number {
  const isWorking = (session: Session | undefined) => session?.status === 'working' && !hidden.has(session.id);
  const origin = ({ delegatedFrom, parentSessionId }: Session) => sessions.get(delegatedFrom ?? parentSessionId ?? '');
  return [...sessions.values()].filter((session) => isWorking(session) && !isWorking(origin(session))).length;
}

function rootOf({ chain, sessionId }: Action): string {
  return chain[0]?.sessionId ?? sessionId;
}

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
