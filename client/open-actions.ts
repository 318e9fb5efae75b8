import type { Action } from '../contract/actions.ts';
import type { StreamFrame } from '../contract/events.ts';

/** What waits for a person, oldest first, by id. */
export type OpenActions = ReadonlyMap<string, Action>;

/** The same for all sessions at once: over the stream of everything that happens, beginning with a list of them. */
export function applyToActions(actions: OpenActions, frame: StreamFrame): OpenActions {
  switch (frame.type) {
    case 'action.opened':
    case 'action.settled':
      return noteAction(actions, frame.action);
    case 'session.deleted':
    case 'session.cleared':
      return new Map([...actions].filter(([, { sessionId }]) => sessionId !== frame.sessionId));
    default:
      return actions;
  }
}

export function noteAction(actions: OpenActions, action: Action): OpenActions {
  const next = new Map(actions);
  if (action.state === 'open') next.set(action.id, action);
  else next.delete(action.id);
  return next;
}
