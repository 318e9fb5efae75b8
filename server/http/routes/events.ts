import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { AppError } from '../../../contract/errors.ts';
import { say } from '../../../contract/texts.ts';
import { type EventCursor, readEventCursor } from '../../events/replay.ts';
import type { Ctx, Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';
import { allSessionsView, oneSessionView, SharedStream, type StreamView } from '../shared-stream.ts';
import { readSnapshot } from '../snapshot.ts';

export function eventRoutes(router: Router, deps: RouteDeps): void {
  const { db } = deps.log;
  router.on('sessionSnapshot', ({ owner, params, query }) => readSnapshot(deps, owner, params.sessionId, query));
  router.on('events', ({ c, owner, query }) => {
    const only = query.sessions === undefined ? null : new Set(query.sessions.split(',').filter(Boolean));
    return follow(deps, c, owner, allSessionsView(db, deps.replay, owner, only), query);
  });
  router.on('sessionEvents', async ({ c, owner, params, query }) =>
    follow(deps, c, owner, await oneSessionView(db, deps.replay, owner, params.sessionId), query),
  );
}

async function follow(
  deps: RouteDeps,
  c: Ctx,
  owner: string,
  view: StreamView,
  query: { after?: string | undefined; deltas?: 'true' | 'false' | undefined },
): Promise<Response> {
  const after = cursorOf(c.req.header('last-event-id') || query.after);
  deps.streams.assertRoom(owner);
  let stop: (() => void) | undefined;
  let closed = false;
  const connection = deps.streams.open(c.env.outgoing as ServerResponse, () => {
    closed = true;
    stop?.();
    deps.streams.leave(owner, stream);
  });
  const { log, turns: partials } = deps;
  const stream = new SharedStream({ connection, log, owner, view, partials, deltas: query.deltas !== 'false' });
  deps.streams.enter(owner, stream);
  stop = await stream.begin(deps.feed, after);
  if (closed) stop();
  return RESPONSE_ALREADY_SENT;
}

function cursorOf(text: string | undefined): EventCursor | undefined {
  if (text === undefined) return undefined;
  const cursor = readEventCursor(text);
  if (!cursor) throw new AppError('invalid_request', say('invalid_request.eventId'));
  return cursor;
}
