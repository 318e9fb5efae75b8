import type { SessionEvent } from '../../contract/events.ts';
import type { Message } from '../../contract/messages.ts';
import type { Session } from '../../contract/sessions.ts';
import { speakerOf } from '../../contract/speakers.ts';

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

function said(session: Session, message: Message): Session {
  const agents =
    message.role === 'assistant' && message.agent && !session.agents.includes(message.agent)
      ? [...session.agents, message.agent]
      : session.agents;
  const lastSnippet = message.text.replace(/\s+/g, ' ').trim().slice(0, 160);
  return {
    ...session,
    agents,
    headId: message.id,
    messageCount: session.headId === message.id ? session.messageCount : session.messageCount + 1,
    ...(lastSnippet && { lastSnippet, lastSpeaker: speakerOf(message) }),
  };
}
