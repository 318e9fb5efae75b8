import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import type { Agent } from '../../../contract/agents.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Message } from '../../../contract/messages.ts';
import { ROUTES } from '../../../contract/routes.ts';
import { say } from '../../../contract/texts.ts';
import type { Turn } from '../../../contract/turns.ts';
import { type Ctx, type Env, originOf, toPattern } from '../../http/mount.ts';
import { hopsOf } from '../hops.ts';
import type { ProtocolDeps } from '../protocol.ts';
import { type AnswerEvent, answerEvents } from './answer.ts';
import { ChatCompletion } from './chat.ts';
import { isUnlisted, openConversation } from './conversation.ts';
import { turnFailure } from './errors.ts';
import { inputItems, readItemsQuery } from './input-items.ts';
import { type ChatMessage, messagesOf, readChatRequest, readResponsesRequest, readSessionId } from './requests.ts';
import { ResponseEvents, toResponse, turnIdOf } from './responses.ts';
import { readSaid } from './said.ts';
import { DataStream } from './stream.ts';

/** Exposed agents as models of the OpenAI API: chat completions and responses. */
export function openAiRoutes(deps: ProtocolDeps): Hono<Env> {
  const app = new Hono<Env>();
  app.get(ROUTES.openAiModels.path, (c) => c.json({ object: 'list', data: deps.exposedAgents().map(toModel) }));
  app.get(toPattern(ROUTES.openAiModel.path), (c) => c.json(toModel(deps.exposedAgent(c.req.param('model') ?? ''))));
  app.post(ROUTES.openAiChat.path, (c) => completeChat(deps, c));
  app.post(ROUTES.openAiResponses.path, (c) => respond(deps, c));
  app.get(toPattern(ROUTES.openAiResponse.path), async (c) => {
    const { turn, answer } = await readResponse(deps, c);
    return c.json(toResponse(turn, answer?.text ?? ''));
  });
  app.get(toPattern(ROUTES.openAiInputItems.path), async (c) => {
    const { turn } = await readResponse(deps, c);
    const messages = await deps.readLineTo(c.get('owner'), turn.messageId);
    const origin = deps.publicOrigin() ?? originOf(c);
    return c.json(inputItems(messages, origin, readItemsQuery(c.req.query())));
  });
  app.post(toPattern(ROUTES.openAiCancel.path), async (c) => {
    const { turn } = await readResponse(deps, c);
    if (turn.endedAt === null) await deps.cancelTurn(c.get('owner'), turn.id);
    const { turn: stopped, answer } = await readResponse(deps, c);
    return c.json(toResponse(stopped, answer?.text ?? ''));
  });
  app.delete(toPattern(ROUTES.openAiDelete.path), (c) => deleteResponse(deps, c));
  return app;
}

/** With the message that it answers. A session that holds nothing else goes with it, unless people see it. */
async function deleteResponse(deps: ProtocolDeps, c: Ctx): Promise<Response> {
  const owner = c.get('owner');
  const { turn } = await readResponse(deps, c);
  const session = await deps.deleteMessage(owner, turn.messageId);
  if (session.messageCount === 0 && isUnlisted(session)) await deps.deleteSession(owner, session.id);
  return c.json({ id: c.req.param('id'), object: 'response', deleted: true });
}

function toModel({ agentId, displayName, description }: Agent): object {
  return { id: agentId, object: 'model', created: 0, owned_by: 'parley', parley: { name: displayName, description } };
}

async function completeChat(deps: ProtocolDeps, c: Ctx): Promise<Response> {
  const request = readChatRequest(await deps.readJson(c));
  const sessionId = sessionOf(c) ?? request.metadata?.parley_session ?? null;
  const events = await ask(deps, c, request.model, request.messages, sessionId);
  if (request.stream) return streamChat(deps, c, events, request.stream_options?.include_usage ?? false);
  const { turn, text, ended } = await wholeAnswer(events);
  const failure = turnFailure(ended);
  return failure ? failed(c, failure) : c.json(new ChatCompletion(turn).whole(text, ended));
}

/** What was accepted is not sent again by the client, which would repeat after a status like this one. */
function failed(c: Ctx, failure: object): Response {
  return c.json(failure, 502, { 'x-should-retry': 'false' });
}

function sessionOf(c: Ctx): string | null {
  const given = c.req.header('x-parley-session');
  return given ? readSessionId(given) : null;
}

async function ask(
  deps: ProtocolDeps,
  c: Ctx,
  agentId: string,
  messages: readonly ChatMessage[],
  sessionId: string | null,
  after: Message | null = null,
): Promise<Events> {
  deps.exposedAgent(agentId);
  const said = readSaid(messages, agentId);
  const hops = hopsOf(deps, c);
  const asking = { owner: c.get('owner'), agentId, said, sessionId, after, hops };
  const message = await openConversation(deps, asking);
  const events = answerEvents(deps.send(message));
  const first = await events.next();
  if (first.done || first.value.type !== 'accepted') throw new AppError('internal_error', say('internal_error'));
  return { turn: first.value.turn, rest: events };
}

interface Events {
  turn: Turn;
  rest: AsyncGenerator<AnswerEvent>;
}

async function wholeAnswer({ turn, rest }: Events): Promise<{ turn: Turn; text: string; ended: Turn }> {
  let text = '';
  let ended = turn;
  for await (const event of rest) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'ended') ended = event.turn;
  }
  return { turn, text, ended };
}

function streamChat(deps: ProtocolDeps, c: Ctx, { turn, rest }: Events, includeUsage: boolean): Response {
  const completion = new ChatCompletion(turn);
  const stream = new DataStream(deps, c, rest);
  stream.send(completion.opening());
  stream.follow((event) => {
    if (event.type === 'text') stream.send(completion.chunk({ content: event.text }));
    if (event.type !== 'ended') return;
    const failure = turnFailure(event.turn);
    stream.send(failure ?? completion.closing(event.turn));
    if (includeUsage && !failure) stream.send(completion.usage(event.turn));
    stream.done();
  });
  return RESPONSE_ALREADY_SENT;
}

async function respond(deps: ProtocolDeps, c: Ctx): Promise<Response> {
  const request = readResponsesRequest(await deps.readJson(c));
  const previous = request.previous_response_id ?? null;
  const before = previous === null ? null : await turnOf(deps, c, previous);
  const sessionId = before?.turn.sessionId ?? request.conversation ?? sessionOf(c) ?? request.metadata?.parley_session;
  const events = await ask(deps, c, request.model, messagesOf(request), sessionId ?? null, before?.answer);
  if (request.stream) return streamResponse(deps, c, events, previous);
  if (request.background) {
    await events.rest.return(undefined);
    return c.json(toResponse(events.turn, '', previous));
  }
  const { text, ended } = await wholeAnswer(events);
  const failure = turnFailure(ended);
  return failure ? failed(c, failure) : c.json(toResponse(ended, text, previous));
}

function streamResponse(deps: ProtocolDeps, c: Ctx, { turn, rest }: Events, previous: string | null): Response {
  const events = new ResponseEvents(turn, previous);
  const stream = new DataStream(deps, c, rest);
  let text = '';
  for (const event of events.opening()) stream.send(event);
  stream.follow((event) => {
    if (event.type === 'text') {
      text += event.text;
      stream.send(events.text(event.text));
    }
    if (event.type !== 'ended') return;
    for (const last of events.closing(event.turn, text)) stream.send(last);
    stream.end();
  });
  return RESPONSE_ALREADY_SENT;
}

function readResponse(deps: ProtocolDeps, c: Ctx) {
  return turnOf(deps, c, c.req.param('id') ?? '');
}

function turnOf(deps: ProtocolDeps, c: Ctx, id: string) {
  const turnId = turnIdOf(id);
  if (turnId === null) throw new AppError('turn_not_found', say('turn_not_found', { id }));
  return deps.exposedTurn(c.get('owner'), turnId);
}
