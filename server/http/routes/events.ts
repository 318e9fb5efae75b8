import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { AppError } from '../../../contract/errors.ts';
import type { Ctx, Router } from '../mount.ts';
import { allSessionsView, oneSessionView, SharedStream, type StreamView } from '../shared-stream.ts';
import type { World } from '../world.ts';

export function eventRoutes(router: Router, world: World): void {
  const { db } = world.log;
  router.on('events', ({ c, owner, query }) => {
    const only = query.sessions === undefined ? null : new Set(query.sessions.split(',').filter(Boolean));
    return follow(world, c, owner, allSessionsView(db, owner, only), query);
  });
  router.on('sessionEvents', async ({ c, owner, params, query }) =>
    follow(world, c, owner, await oneSessionView(db, owner, params.sessionId), query),
  );
}

async function follow(
  world: World,
  c: Ctx,
  owner: string,
  view: StreamView,
  query: { after?: number | undefined; deltas?: 'true' | 'false' | undefined },
): Promise<Response> {
  const after = cursorOf(c) ?? query.after;
  world.streams.assertRoom(owner);
  let stop: (() => void) | undefined;
  let closed = false;
  const connection = world.streams.open(c.env.outgoing as ServerResponse, () => {
    closed = true;
    stop?.();
    world.streams.leave(owner, stream);
  });
  const stream = new SharedStream(connection, owner, view, query.deltas !== 'false');
  world.streams.enter(owner, stream);
  stop = await stream.begin(world.feed, world.turns, after);
  if (closed) stop();
  return RESPONSE_ALREADY_SENT;
}

function cursorOf(c: Ctx): number | undefined {
  const header = c.req.header('last-event-id');
  if (header === undefined || header === '') return undefined;
  if (!/^\d{1,15}$/.test(header))
    throw new AppError('invalid_request', 'Last-Event-ID must be a number this server gave out.');
  return Number(header);
}
