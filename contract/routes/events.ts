import { EventStreamQuery, StreamFrame } from '../events.ts';
import { type Route, session } from './route.ts';

export const EVENTS_ROUTES = {
  sessionEvents: {
    method: 'GET',
    path: '/api/sessions/{sessionId}/events',
    access: 'member',
    summary: "One session's events; ids are its event numbers",
    ...session,
    query: EventStreamQuery.omit({ sessions: true }),
    status: 200,
    response: StreamFrame,
    media: 'text/event-stream',
  },
  events: {
    method: 'GET',
    path: '/api/events',
    access: 'member',
    summary: "Everything that happens, in all of one's sessions",
    query: EventStreamQuery,
    status: 200,
    response: StreamFrame,
    media: 'text/event-stream',
  },
} as const satisfies Record<string, Route>;
