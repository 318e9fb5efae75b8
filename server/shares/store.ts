import type { Action } from '../../contract/actions.ts';
import type { Session } from '../../contract/sessions.ts';

type Actions = ReadonlyMap<string, Action>;
type Sessions = ReadonlyMap<string, Session>;

/** The oldest open action by session: where it is asked, and where the person began what led to it. */
export function actionsBySession(actions: Actions): Actions {
  const known = made.get(actions);
  if (known) return known;
  const bySession = new Map<string, Action>();
  for (const action of actions.values()) {
    for (const id of [action.sessionId, rootOf(action)]) if (!bySession.has(id)) bySession.set(id, action);
  }
  made.set(actions, bySession);
  return bySession;
}

const made = new WeakMap<Actions, Actions>();

/** Work that nobody follows in a conversation: it is shown until it is done or put away. */
export function isUnfinishedWork({ type, status, archivedAt }: Session): boolean {
  if (type !== 'tool-execution' || archivedAt !== null) return false;
  return status === 'working' || status === 'waiting' || status === 'error';
}

/** Sessions that go no further without the person; what one conversation asks for several times counts once. */
export function countNeeds(sessions: Sessions, actions: Actions, hidden: ReadonlySet<string>): number {
  const asked = actionsBySession(actions);
  const waiting = new Set<string>();
  for (const action of actions.values()) {
    if (!hidden.has(action.sessionId) && !hidden.has(rootOf(action))) waiting.add(rootOf(action));
  }
  for (const session of sessions.values()) {
    const isStuck = isUnfinishedWork(session) && session.status !== 'working';
    if (isStuck && !asked.has(session.id) && !hidden.has(session.id)) waiting.add(session.id);
  }
  return waiting.size;
}

function rootOf({ chain, sessionId }: Action): string {
  return chain[0]?.sessionId ?? sessionId;
}
