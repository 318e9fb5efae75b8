import { noteAction } from '../../client/open-actions.ts';
import { applyFrame } from '../../client/session-state.ts';
import type { SessionEvent, StreamFrame } from '../../contract/events.ts';
import type { Message } from '../../contract/messages.ts';
import type { Session } from '../../contract/sessions.ts';
import { speakerOf } from '../../contract/speakers.ts';
import { type Activity, afterFrame } from './activity.ts';
import type { LiveState } from './live-state.ts';

export type SessionFrame = Exclude<Extract<StreamFrame, { sessionId: string }>, { type: 'panel.command' }>;

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

/** What a line in a list says of a session, after an event; undefined when the session is gone. */
export function afterEvent(session: Session | undefined, event: SessionEvent): Session | undefined {
  // What the server answered to a question may know more than the events that are still on their way.
  if (session && event.seq <= session.lastSeq) return session;
  if (event.type === 'session.created' || event.type === 'session.updated' || event.type === 'message.deleted')
    return event.session;
  if (event.type === 'session.deleted' || !session) return undefined;
  const moved = { ...session, lastSeq: event.seq };
  switch (event.type) {
    case 'session.cleared':
      return {
        ...moved,
        status: 'idle',
        messageCount: 0,
        queuedCount: 0,
        unreadCount: 0,
        lastSnippet: '',
        lastSpeaker: null,
        headId: null,
      };
    case 'turn.queued':
      return { ...moved, status: event.status, queuedCount: session.queuedCount + 1, lastActivityAt: event.at };
    case 'turn.removed':
      return { ...moved, status: event.status, queuedCount: Math.max(0, session.queuedCount - 1) };
    case 'turn.started':
      return {
        ...said(moved, event.message),
        status: event.status,
        queuedCount: Math.max(0, session.queuedCount - 1),
        lastActivityAt: event.at,
      };
    case 'turn.settled':
      return {
        ...(event.message ? said(moved, event.message) : moved),
        status: event.status,
        lastActivityAt: event.at,
      };
    case 'turn.updated':
    case 'turn.waiting':
    case 'turn.resumed':
      return { ...moved, status: event.status };
    case 'message.created':
      return { ...said(moved, event.message), unreadCount: session.unreadCount + 1, lastActivityAt: event.at };
    default:
      return moved;
  }
}

/**
 * Without what the person looked at. The server says exactly what belongs to it when the session is read; what stands in
 * the list until then needs no more than this.
 */
function withoutContext(text: string): string {
  return text.startsWith('<context panel-id="') ? text.slice(text.indexOf('\n') + 1) : text;
}

function said(session: Session, message: Message): Session {
  const agents =
    message.role === 'assistant' && message.agent && !session.agents.includes(message.agent)
      ? [...session.agents, message.agent]
      : session.agents;
  const lastSnippet = withoutContext(message.text).replace(/\s+/g, ' ').trim().slice(0, 160);
  return {
    ...session,
    agents,
    headId: message.id,
    messageCount: session.headId === message.id ? session.messageCount : session.messageCount + 1,
    ...(lastSnippet && { lastSnippet, lastSpeaker: speakerOf(message) }),
  };
}
