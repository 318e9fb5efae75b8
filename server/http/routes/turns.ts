import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { AppError } from '../../../contract/errors.ts';
import { toStreamedEvent } from '../../../contract/streamed-messages.ts';
import { say } from '../../../contract/texts.ts';
import type { Receipt } from '../../../contract/turns.ts';
import { readDelegations, readTree } from '../../delegation/tree.ts';
import { whoAnswers } from '../../delegation/who-answers.ts';
import { readMessage } from '../../sessions/transcript.ts';
import { assertSize } from '../../turns/accept.ts';
import { receiveCallback } from '../../turns/callbacks.ts';
import { editQueued, readQueue, removeQueued } from '../../turns/queue.ts';
import { listTurns, readTurn, waitUntilSettled } from '../../turns/read.ts';
import { retryTurn, reviseMessage } from '../../turns/retry.ts';
import { readSeen } from '../../turns/seen.ts';
import { reportUsage } from '../../turns/usage.ts';
import { followTurns, type TurnListener } from '../follow-turns.ts';
import type { Ctx, Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';
import type { SseConnection } from '../sse.ts';

type TurnDeps = Pick<RouteDeps, 'agents' | 'configuration' | 'log' | 'sessions' | 'streams' | 'turns'>;

export function turnRoutes(router: Router, deps: TurnDeps): void {
  const { turns, log } = deps;
  router.on('sendMessage', ({ c, owner, params, query, body }) => {
    const accept = () =>
      turns.accept({
        owner,
        sessionId: params.sessionId,
        messageId: body.id,
        content: body.content,
        files: body.files,
        agent: body.agent,
        guest: body.guest,
        busy: body.busy,
      });
    if (wantsStream(c)) return streamTurn(deps, c, owner, params.sessionId, accept);
    return answer(deps, owner, accept, query.wait);
  });
  router.on('reviseMessage', ({ owner, params, query, body }) =>
    answer(deps, owner, () => reviseMessage(turns.deps, owner, params.messageId, body), query.wait),
  );
  router.on('retryTurn', ({ owner, params, query, body }) =>
    answer(deps, owner, () => retryTurn(turns.deps, owner, params.turnId, body.agent), query.wait),
  );
  router.on('getTurn', ({ owner, params }) => readTurn(log, owner, params.turnId));
  router.on('seenByTurn', ({ owner, params }) => readSeen(turns.deps, owner, params.turnId));
  router.on('listTurns', ({ owner, params, query }) => listTurns(log, owner, params.sessionId, query));
  router.on('externalCallback', ({ c, params, body }) => {
    const running = c.get('turn');
    if (running?.id !== params.turnId) throw new AppError('callback_refused', say('callback_refused'));
    return receiveCallback(turns.deps, running, body);
  });
  router.on('cancelTurn', async ({ owner, params }) => ({ cancelled: await turns.cancel(owner, params.turnId) }));
  router.on('cancelSession', async ({ owner, params }) => ({
    cancelled: await turns.cancelSession(owner, params.sessionId),
  }));
  router.on('compactSession', ({ owner, params, body }) =>
    turns.compact(owner, params.sessionId, body.agent, body.keep),
  );
  queueRoutes(router, deps);
  keyedRoutes(router, deps);
}

function queueRoutes(router: Router, { turns, log }: TurnDeps): void {
  router.on('listQueue', async ({ owner, params }) => ({ queue: await readQueue(log, owner, params.sessionId) }));
  router.on('editQueued', async ({ owner, params, body }) => {
    const { turn } = await editQueued(turns.deps, owner, params.turnId, body);
    return { turn, answer: null };
  });
  router.on('removeQueued', async ({ owner, params }) => {
    await removeQueued(turns.deps, owner, params.turnId);
    return undefined;
  });
}

/** The session is addressed by agent and sender. Nothing is written when the guest is unknown. */
function keyedRoutes(router: Router, deps: TurnDeps): void {
  const { turns, agents, sessions, configuration } = deps;
  router.on('stream', async ({ c, owner, body }) => {
    agents.require(body.agent);
    if (body.guest) agents.require(body.guest);
    assertSize(body.content, configuration.current.limits.messageBytes);
    const session = await sessions.openByKey(owner, body.agent, body.sender);
    // The address names whose session it is, also when another agent has become its primary since.
    const speaker = body.guest ? { guest: body.guest } : { otherwise: body.agent };
    const accept = () =>
      turns.accept({ owner, sessionId: session.id, content: body.content, busy: 'queue', ...speaker });
    return streamTurn(deps, c, owner, session.id, accept);
  });
  router.on('kill', async ({ owner, body }) => {
    const ids = await sessions.busyIdsOf(owner, body.agent, body.sender);
    const cancelled = await Promise.all(ids.map((id) => turns.cancelSession(owner, id)));
    return { cancelled: [...new Set(cancelled.flat())] };
  });
}

function wantsStream(c: Ctx): boolean {
  return c.env.incoming.headers.accept?.includes('text/event-stream') ?? false;
}

/** Made once: an abort without a reason of its own makes one with a stack each time. */
const CLOSED = new DOMException('The stream was closed.', 'AbortError');

async function streamTurn(
  deps: TurnDeps,
  c: Ctx,
  owner: string,
  sessionId: string,
  accept: () => Promise<Receipt>,
): Promise<Response> {
  const closed = new AbortController();
  let isOver = false;
  let connection: SseConnection | undefined;
  const listener: TurnListener = {
    accepted: () => {
      connection = deps.streams.open(c.env.outgoing as ServerResponse, () => isOver || closed.abort(CLOSED));
    },
    stored: ({ frame, seq }) => connection?.send(frame, seq),
    live: (frame) => connection?.sendObject(frame),
    known: (event) => connection?.sendObject(toStreamedEvent(event)),
  };
  try {
    await followTurns(deps, { owner, sessionId }, accept, listener, closed.signal);
  } finally {
    isOver = true;
    connection?.end();
  }
  return RESPONSE_ALREADY_SENT;
}

async function answer(
  deps: TurnDeps,
  owner: string,
  accept: () => Promise<Receipt>,
  waitSeconds: number | undefined,
): Promise<Receipt> {
  const receipt = await accept();
  if (waitSeconds === undefined) return receipt;
  const until = performance.now() + waitSeconds * 1000;
  for (const { id } of receipt.turns) await waitUntilSettled(deps.log, id, Math.max(0, until - performance.now()));
  const settled = await readTurn(deps.log, owner, receipt.turn.id);
  const others = await Promise.all(receipt.turns.slice(1).map(({ id }) => readTurn(deps.log, owner, id)));
  const turns = [settled.turn, ...others.map(({ turn }) => turn)];
  // It may have had no place yet when it was accepted.
  return { ...receipt, ...settled, turns, message: await readMessage(deps.log.db, owner, receipt.message.id) };
}

export function delegationRoutes(router: Router, { agents, log, sessions, configuration }: TurnDeps): void {
  router.on('listDelegations', ({ owner, params, query }) =>
    readDelegations(log, owner, params.sessionId, query.limit),
  );
  router.on('turnTree', ({ owner, params }) => readTree(log, owner, params.turnId));
  router.on('usage', ({ owner, query }) => reportUsage(log, owner, query, configuration.current.currency));
  router.on('previewMentions', async ({ owner, params, body }) => {
    const session = await sessions.get(owner, params.sessionId);
    return whoAnswers(session, body.content, agents.seenBy(session.agentId));
  });
}
