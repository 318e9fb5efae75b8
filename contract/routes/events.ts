import { EventStreamQuery, WireFrame } from '../events.ts';
import { SessionSnapshot, SnapshotQuery } from '../snapshot.ts';
import { type Route, session } from './route.ts';

export const EVENTS_ROUTES = {
  sessionSnapshot: {
    method: 'GET',
    path: '/api/sessions/{sessionId}/snapshot',
    access: 'member',
    summary: 'Get a session with everything needed to follow its events',
    ...session,
    query: SnapshotQuery,
    status: 200,
    response: SessionSnapshot,
  },
  sessionEvents: {
    method: 'GET',
    path: '/api/sessions/{sessionId}/events',
    access: 'member',
    summary: 'Stream the events of a session; ids are its event numbers',
    ...session,
    query: EventStreamQuery.omit({ sessions: true }),
    status: 200,
    response: WireFrame,
    media: 'text/event-stream',
  },
  events: {
    method: 'GET',
    path: '/api/events',
    access: 'member',
    summary: 'Stream the events of all your sessions',
    query: EventStreamQuery,
    status: 200,
    response: WireFrame,
    media: 'text/event-stream',
  },
} as const satisfies Record<string, Route>;
