import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { AppError } from '../../../contract/errors.ts';
import type { SessionSnapshot } from '../../../contract/snapshot.ts';
import { say } from '../../../contract/texts.ts';
import { readDelegations } from '../../delegation/tree.ts';
import { type EventCursor, readEventCursor } from '../../events/replay.ts';
import { readMessages } from '../../sessions/transcript.ts';
import { readQueue } from '../../turns/queue.ts';
import { listTurns } from '../../turns/read.ts';
import type { Ctx, Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';
import { allSessionsView, oneSessionView, SharedStream, type StreamView } from '../shared-stream.ts';

type EventDeps = Pick<
  RouteDeps,
  'actions' | 'artifacts' | 'feed' | 'log' | 'replay' | 'sessions' | 'streams' | 'turns'
>;

export function eventRoutes(router: Router, deps: EventDeps): void {
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
  deps: EventDeps,
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
  const stream = new SharedStream({
    connection,
    log,
    owner,
    view,
    partials,
    deltas: query.deltas !== 'false',
    hasArtifacts: () => deps.artifacts.any(owner),
  });
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

const ATTEMPTS = 3;
const MOST_ACTIONS = 500;
const MOST_DELEGATIONS = 100;

interface Pages {
  messages: number;
  turns: number;
}

/**
 * Reads a session as it stood at one moment: when an event was stored meanwhile, everything is read again. In a session
 * where that happens every time, the rest is newer than `lastSeq`; its events then tell what is known already.
 */
async function readSnapshot(deps: EventDeps, owner: string, sessionId: string, pages: Pages): Promise<SessionSnapshot> {
  for (let attempt = 1; ; attempt++) {
    const session = await deps.sessions.get(owner, sessionId);
    const rest = await readRest(deps, owner, sessionId, pages);
    const { lastSeq } = await deps.sessions.get(owner, sessionId);
    if (lastSeq !== session.lastSeq && attempt < ATTEMPTS) continue;
    return { session, ...rest, partials: deps.turns.partials(owner, (id) => id === sessionId) };
  }
}

async function readRest({ log, actions }: EventDeps, owner: string, sessionId: string, pages: Pages) {
  const [messages, queue, turnPage, waiting, given] = await Promise.all([
    readMessages(log.db, owner, sessionId, { limit: pages.messages }),
    readQueue(log, owner, sessionId),
    listTurns(log, owner, sessionId, { limit: pages.turns }),
    actions.list(owner, { state: 'open', session: sessionId, limit: MOST_ACTIONS }),
    readDelegations(log, owner, sessionId, MOST_DELEGATIONS),
  ]);
  return { messages, queue, turns: turnPage, actions: waiting.actions, delegations: given.delegations };
}
