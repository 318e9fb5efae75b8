import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { AppError } from '../../../contract/errors.ts';
import { HOPS_HEADER } from '../../../contract/hops.ts';
import { ROUTES } from '../../../contract/routes.ts';
import { say } from '../../../contract/texts.ts';
import { type Ctx, type Env, toPattern } from '../../http/mount.ts';
import type { SseConnection } from '../../http/sse.ts';
import { readHops } from '../hops.ts';
import type { ProtocolDeps } from '../protocol.ts';
import type { Caller, TurnRequestHandler } from './request-handler.ts';

const CARD = '.well-known/agent-card.json';

/** Exposed agents for clients of A2A: a card each, JSON-RPC and HTTP+JSON, both in the versions 1.0 and 0.3, at one address. */
export function a2aRoutes(deps: ProtocolDeps): Hono<Env> {
  return new Hono<Env>()
    .get('/a2a/agents', async (c) => c.json({ agents: await directory(deps, c) }))
    .post('/a2a/:agentId/', async (c) => answerCall(deps, c, c.req.param('agentId')))
    .get(REST, (c) => answerOther(deps, c, restTarget(c)))
    .post(REST, (c) => answerOther(deps, c, restTarget(c)))
    .delete(REST, (c) => answerOther(deps, c, restTarget(c)));
}

const REST = toPattern(ROUTES.a2aRead.path);

function restTarget(c: Ctx): { agentId: string; operation: string } {
  const [agentId = '', ...operation] = c.req.path.slice('/a2a/'.length).split('/');
  return { agentId: decoded(agentId), operation: operation.map(decoded).join('/') };
}

/** What isn't encoded correctly stays as it is, and names nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function directory(deps: ProtocolDeps, c: Ctx): Promise<object[]> {
  const { baseUrl } = await import('./card.ts');
  return deps.exposedAgents().map(({ agentId, displayName, description }) => {
    const url = baseUrl(originOf(deps, c), agentId);
    return { agentId, name: displayName, description, url, card: url + CARD };
  });
}

/** The protocol's library is large: it is loaded with the first request. */
async function open(deps: ProtocolDeps, c: Ctx, agentId: string, version: Caller['version']) {
  const agent = deps.exposedAgent(agentId);
  const [{ cardOf, legacyFields }, { TurnRequestHandler }, sdk] = await Promise.all([
    import('./card.ts'),
    import('./request-handler.ts'),
    import('@a2a-js/sdk'),
  ]);
  const card = cardOf(agent, originOf(deps, c), deps.version);
  const caller: Caller = {
    owner: c.get('owner'),
    agentId,
    requestId: c.get('requestId'),
    hops: readHops(c.req.header(HOPS_HEADER)),
    card,
    origin: originOf(deps, c),
    version,
  };
  const shown = { ...(sdk.AgentCard.toJSON(card) as object), ...legacyFields(agent, originOf(deps, c)) };
  return { handler: new TurnRequestHandler(deps, caller), shown };
}

async function answerCall(deps: ProtocolDeps, c: Ctx, agentId: string): Promise<Response> {
  const body = ((await deps.readJson(c)) ?? {}) as Record<string, unknown>;
  const requestedVersion = c.req.header('A2A-Version') ?? '0.3';
  const version = requestedVersion.startsWith('0.3') ? '0.3' : '1.0';
  const { handler } = await open(deps, c, agentId, version);
  const { answerRpc } = await import('./rpc.ts');
  const answer = await answerRpc(handler, body, requestedVersion);
  return Symbol.asyncIterator in answer ? stream(deps, c, answer as AsyncGenerator<object>) : c.json(answer);
}

async function answerOther(
  deps: ProtocolDeps,
  c: Ctx,
  { agentId, operation }: { agentId: string; operation: string },
): Promise<Response> {
  if (operation === '') throw new AppError('method_not_allowed', say('method_not_allowed'));
  const version = operation.startsWith('v1/') ? '0.3' : '1.0';
  const { handler, shown: card } = await open(deps, c, agentId, version);
  if (c.req.method === 'GET' && operation === CARD) return c.json(card);
  const { answerRest } = await import('./rest.ts');
  const body = c.req.method === 'POST' ? await deps.readJson(c) : undefined;
  const answer = await answerRest(handler as TurnRequestHandler, {
    method: c.req.method,
    operation,
    query: c.req.query(),
    body,
    card,
  });
  if (answer === null) throw new AppError('route_not_found', say('route_not_found'));
  if (Symbol.asyncIterator in answer) return stream(deps, c, answer as AsyncGenerator<object>);
  if (answer.body === null) return c.body(null, answer.status as 204);
  return c.json(answer.body as object, answer.status as 200);
}

/** A request that is refused before its first event is answered without a stream. A client that leaves stops nothing. */
async function stream(deps: ProtocolDeps, c: Ctx, events: AsyncGenerator<object>): Promise<Response> {
  const first = await events.next();
  const connection = deps.openStream(c, () => void events.return(undefined));
  const write = (event: object) => {
    const content = `data: ${JSON.stringify(event)}\n\n`;
    connection.send({ content, bytes: Buffer.byteLength(content) });
  };
  if (!first.done) write(first.value);
  void pump(events, write, connection);
  return RESPONSE_ALREADY_SENT;
}

/** Once a stream has begun, its end is all that can say of a failure. A client that reads slowly is waited for. */
async function pump(
  events: AsyncGenerator<object>,
  write: (event: object) => void,
  connection: SseConnection,
): Promise<void> {
  try {
    for await (const event of events) {
      if (connection.isClosed) return;
      write(event);
      await connection.drained();
    }
  } catch {
  } finally {
    connection.end();
  }
}

/** As it is configured, otherwise as the client has addressed it: behind a proxy that speaks TLS, the addresses are those of the proxy. */
function originOf(deps: ProtocolDeps, c: Ctx): string {
  const configured = deps.publicOrigin();
  if (configured !== undefined) return configured;
  const scheme = c.req.header('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase();
  return `${scheme === 'https' ? 'https' : 'http'}://${c.req.header('host')}`;
}
