import { noteAction } from '../../client/open-actions.ts';
import { applyFrame } from '../../client/session-state.ts';
import type { SessionEvent, StreamFrame } from '../../contract/events.ts';
import { type Activity, afterFrame } from './activity.ts';
import type { LiveState } from './live-state.ts';
import { afterEvent } from './session-meta.ts';

export type SessionFrame = Extract<StreamFrame, { sessionId: string }>;

/** Everything that arrived for any session, in order, in one step: one drawing for however many frames. */
export function applyFrames(state: LiveState, frames: readonly SessionFrame[]): LiveState {
  if (frames.length === 0) return state;
  const sessions = new Map(state.sessions);
  const states = new Map(state.states);
  const activities = new Map(state.activities);
  let actions = state.actions;
  let changed = false;
  for (const frame of frames) {
    const known = states.get(frame.sessionId);
    if (known) states.set(frame.sessionId, applyFrame(known, frame));
    noteActivity(activities, frame);
    if (!isEvent(frame)) continue;
    changed = true;
    const session = afterEvent(sessions.get(frame.sessionId), frame);
    if (session) sessions.set(frame.sessionId, session);
    else sessions.delete(frame.sessionId);
    if (frame.type === 'action.opened' || frame.type === 'action.settled') actions = noteAction(actions, frame.action);
    if (frame.type === 'session.deleted' || frame.type === 'session.cleared')
      actions = without(actions, frame.sessionId);
  }
  return { ...state, states, actions, activities, sessions: changed ? sessions : state.sessions };
}

function noteActivity(activities: Map<string, Activity>, frame: SessionFrame): void {
  const activity = afterFrame(activities.get(frame.sessionId), frame);
  if (activity) activities.set(frame.sessionId, activity);
  else activities.delete(frame.sessionId);
}

export function isEvent(frame: SessionFrame): frame is SessionEvent {
  return 'seq' in frame;
}

function without(actions: LiveState['actions'], sessionId: string): LiveState['actions'] {
  return new Map([...actions].filter(([, action]) => action.sessionId !== sessionId));
}
