import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { z } from 'zod';
import { ERROR_STATUS, type ErrorCode, type Problem } from '../../contract/errors.ts';
import type { Message } from '../../contract/messages.ts';
import { ROUTES, type Route, type RouteName } from '../../contract/routes.ts';
import type { CreateSession, Session } from '../../contract/sessions.ts';
import type { Receipt, SendMessageInput, Turn } from '../../contract/turns.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { type Answer, Parley, until } from '../harness/parley.ts';
import { type RecordedRequest, ScriptedProvider } from '../harness/scripted-provider.ts';

export interface Given {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  body?: unknown;
  headers?: Record<string, string>;
}

type Body<N extends RouteName> = (typeof ROUTES)[N] extends { response: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

export interface TestServerOptions {
  /** By name, or with more of their own. */
  agents?: (string | { agentId: string; [field: string]: unknown })[];
  /** More of `parley.json`. */
  config?: object;
  /** More of every agent. */
  agent?: object;
  env?: Record<string, string>;
  /** A data folder that is there already; it goes with the server all the same. */
  home?: string;
}

/** A server, a provider that says what a test wants, and a client that holds every answer against the contract. */
export class TestServer {
  readonly provider: ScriptedProvider;
  readonly parley: Parley;

  private constructor(provider: ScriptedProvider, parley: Parley) {
    this.provider = provider;
    this.parley = parley;
  }

  static async start({
    agents = ['ada', 'bob', 'wisp/eve'],
    config = {},
    agent = {},
    env,
    home,
  }: TestServerOptions = {}) {
    const provider = await ScriptedProvider.start();
    const configured = agents.map((one) => {
      const { agentId, ...own } = typeof one === 'string' ? { agentId: one } : one;
      return scriptedAgent(provider.url, agentId, { ...agent, ...own });
    });
    const place = { ...(env && { env }), ...(home !== undefined && { home }) };
    const parley = await Parley.start({ config: { agents: configured, ...config }, ...place });
    return new TestServer(provider, parley);
  }

  async close(): Promise<void> {
    await this.parley.close();
    await this.provider.close();
  }

  ask(name: RouteName, { params = {}, query = {}, body, headers }: Given = {}): Promise<Answer> {
    const { method, path }: Route = ROUTES[name];
    const search = new URLSearchParams(query as Record<string, string>).toString();
    return this.parley.request(method, fill(path, params) + (search && `?${search}`), body, headers);
  }

  /** What must succeed: with the status, and nothing but the fields, that the contract names. */
  async call<N extends RouteName>(name: N, given: Given = {}): Promise<Body<N>> {
    const route: Route = ROUTES[name];
    const answer = await this.ask(name, given);
    if (answer.status !== route.status) throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    if (route.response && answer.headers.get('content-type')?.includes('json')) matches(route.response, answer.body);
    return (route.status === 204 ? undefined : answer.body) as Body<N>;
  }

  /** What must be refused: a problem document with this code and its status. */
  async refused(code: ErrorCode, name: RouteName, given: Given = {}): Promise<Problem> {
    return asProblem(await this.ask(name, given), code);
  }

  create(wanted: CreateSession = {}): Promise<Session> {
    return this.call('createSession', { body: wanted });
  }

  /** A new session of an agent, and what it is called. */
  async open(agentId = 'ada'): Promise<string> {
    return (await this.create({ agentId })).id;
  }

  session(sessionId: string): Promise<Session> {
    return this.call('getSession', { params: { sessionId } });
  }

  send(sessionId: string, message: SendMessageInput | string): Promise<Receipt> {
    return this.call('sendMessage', { params: { sessionId }, body: toBody(message) });
  }

  /** Sends, and waits until the turn has settled. */
  say(sessionId: string, message: SendMessageInput | string): Promise<Receipt> {
    return this.call('sendMessage', { params: { sessionId }, query: { wait: 15 }, body: toBody(message) });
  }

  /** Has a turn taken once more, and waits until that has settled. */
  retry(turnId: string, body: object = {}) {
    return this.call('retryTurn', { params: { turnId }, query: { wait: 15 }, body });
  }

  async messages(sessionId: string): Promise<Message[]> {
    return (await this.call('listMessages', { params: { sessionId }, query: { limit: 500 } })).messages;
  }

  /** `speaker: text` of everything said, in order. */
  async transcript(sessionId: string): Promise<string[]> {
    return (await this.messages(sessionId)).map((message) => `${message.agent ?? message.role}: ${message.text}`);
  }

  async turn(turnId: string): Promise<Turn> {
    return (await this.call('getTurn', { params: { turnId } })).turn;
  }

  async turns(sessionId: string): Promise<Turn[]> {
    return (await this.call('listTurns', { params: { sessionId }, query: { limit: 500 } })).turns;
  }

  async queue(sessionId: string): Promise<string[]> {
    const { queue } = await this.call('listQueue', { params: { sessionId } });
    return queue.map(({ message }) => message.text);
  }

  settled(turnId: string): Promise<Turn> {
    return until(
      () => this.turn(turnId),
      (turn) => turn.endedAt !== null,
    );
  }

  cancelTurn(turnId: string) {
    return this.call('cancelTurn', { params: { turnId } });
  }

  /** Waits until the provider has been asked something by an agent's model. */
  asked(holds: (request: RecordedRequest) => boolean): Promise<RecordedRequest> {
    return until(
      async () => this.provider.requests.findLast(holds)!,
      (request) => request !== undefined,
    );
  }

  /** Waits until a running turn has said something that others can see. */
  async speaking(sessionId: string, words = ''): Promise<void> {
    const leave = new AbortController();
    let heard = '';
    for await (const { type, data } of this.parley.events(`/api/sessions/${sessionId}/events`, {}, leave.signal)) {
      if (type === 'turn.partial') heard = data.parts.map((part: { text: string }) => part.text).join('');
      if (type === 'delta') heard += data.text;
      if (heard !== '' && heard.includes(words)) break;
    }
    leave.abort();
  }

  /** What an agent was sent last, as role and text, the system prompt first. */
  prompt(agentId: string): { role: string; content: string }[] {
    const request = this.provider.requests.findLast(({ body }) => body.model === `model-of-${agentId}`);
    if (!request) throw new Error(`${agentId} was never asked`);
    return request.body.messages as { role: string; content: string }[];
  }
}

function toBody(message: SendMessageInput | string): SendMessageInput {
  return typeof message === 'string' ? { content: message } : message;
}

export function fill(path: string, params: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) =>
    (params[name] ?? 'x').split('/').map(encodeURIComponent).join('/'),
  );
}

/** Parsing drops what a schema does not name: an answer that loses nothing holds nothing more. */
export function matches(schema: z.ZodType, body: unknown): void {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new Error(`against the contract: ${parsed.error.message} in ${JSON.stringify(body)}`);
  if (!isDeepStrictEqual(parsed.data, body)) expect(body).toEqual(parsed.data);
}

export function asProblem(answer: Answer, code: ErrorCode): Problem {
  const problem = answer.body as Problem;
  expect(problem, JSON.stringify(problem)).toMatchObject({ code, status: ERROR_STATUS[code] });
  expect(answer.status).toBe(ERROR_STATUS[code]);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(problem.detail).not.toBe('');
  expect(problem.requestId).toBe(answer.headers.get('x-request-id'));
  return problem;
}

/** Everything of a kind of stream up to a frame, that one included. */
export async function framesUntil<T extends { type: string }>(stream: AsyncIterable<T>, last: (frame: T) => boolean) {
  const frames: T[] = [];
  for await (const frame of stream) {
    frames.push(frame);
    if (last(frame)) break;
  }
  return frames;
}
