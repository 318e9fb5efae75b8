import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '../../contract/errors.ts';
import { type SessionEvent, type StreamFrame, WireFrame } from '../../contract/events.ts';
import { ROUTES, type Route, type RouteName } from '../../contract/routes.ts';
import { serverProof } from '../../contract/server-proof.ts';
import { AT, aSession } from '../harness/shapes.ts';
import { type Ended, type How, parley } from './parley.ts';

export interface FakeRequest {
  route: RouteName;
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
  authorization: string | undefined;
}

const TOKEN = 'the-person';

type Answer = (request: FakeRequest) => unknown;
type Draft<E> = E extends SessionEvent
  ? Omit<E, 'sessionId' | 'seq' | 'position' | 'at'> & { sessionId?: string }
  : never;

interface Listener {
  response: ServerResponse;
  wants(frame: StreamFrame): boolean;
}

/** Refused as the server refuses. */
export class Refusal extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, detail: string) {
    super(detail);
    this.code = code;
  }
}

/**
 * A server with nothing behind it: it says what a test tells it to, and only what the contract allows. What it is asked
 * is held against the contract, too.
 */
export class FakeServer {
  readonly requests: FakeRequest[] = [];
  readonly session = aSession({ name: 'default', title: 'default' });
  readonly answers: Partial<Record<RouteName, Answer>>;
  /** What happens when somebody says something. */
  play: (request: FakeRequest) => void | Promise<void> = () => undefined;
  readonly #events: SessionEvent[] = [];
  readonly #listeners = new Set<Listener>();
  readonly #server: Server;

  private constructor() {
    this.answers = this.#defaults();
    this.#server = createServer((request, response) => void this.#receive(request, response));
  }

  static async start(): Promise<FakeServer> {
    const fake = new FakeServer();
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void fake.#server.close());
    onTestFinished(() => fake.#server.closeAllConnections());
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get env(): Record<string, string> {
    return { PARLEY_URL: this.url, PARLEY_TOKEN: TOKEN };
  }

  /** The command line, with this as its server. */
  parley(args: readonly string[], how: How = {}): Promise<Ended> {
    return parley('/nonexistent/parley', args, { ...how, env: { ...this.env, ...how.env } });
  }

  /** What a command prints that has to work. */
  async output(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.parley(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  }

  /** Everything it was asked by that name, in order. */
  asked(route: RouteName): FakeRequest[] {
    return this.requests.filter((request) => request.route === route);
  }

  /** A durable event, of the default session unless it says otherwise. */
  append(draft: Draft<SessionEvent>): void {
    const sessionId = draft.sessionId ?? this.session.id;
    const seq = this.#events.filter((event) => event.sessionId === sessionId).length + 1;
    this.live({ ...draft, sessionId, seq, position: this.#events.length + 1, at: AT } as SessionEvent);
  }

  live(frame: StreamFrame): void {
    WireFrame.parse(frame);
    if ('seq' in frame) this.#events.push(frame);
    for (const { response, wants } of this.#listeners) if (wants(frame)) send(response, frame);
  }

  #defaults(): Partial<Record<RouteName, Answer>> {
    return {
      health: () => ({ status: 'ok' }),
      proveServer: ({ body }) => ({ proof: serverProof(TOKEN, new URL(this.url).host, String(body.nonce)) }),
      listAgents: () => ({ agents: [], configuration: { valid: true, issues: [], loadedAt: AT } }),
      listSessions: () => ({ sessions: [this.session], next: null, position: this.#events.length }),
      getSession: () => ({ ...this.session, lastSeq: this.#events.length }),
      patchSession: () => this.session,
      previewMentions: () => ({ answering: [], unknown: [] }),
      listMessages: () => ({ messages: [], before: null, after: null }),
      listQueue: () => ({ queue: [] }),
      listTurns: () => ({ turns: [], next: null }),
      listActions: () => ({ actions: [] }),
      listTools: () => ({ tools: [] }),
    };
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const asked = await read(request);
      this.requests.push(asked);
      if (isStream(asked, request)) this.#stream(asked, response);
      else answer(response, asked, await this.#ask(asked));
    } catch (error) {
      refuse(response, error);
    }
  }

  async #ask(asked: FakeRequest): Promise<unknown> {
    const answering = this.answers[asked.route];
    if (!answering) throw new Error(`Nobody said how to answer ${asked.route}.`);
    return answering(asked);
  }

  #stream(asked: FakeRequest, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    const listener = { response, wants: (frame: StreamFrame) => isFor(asked, frame) };
    this.#listeners.add(listener);
    response.on('close', () => this.#listeners.delete(listener));
    const after = Number(asked.query.after ?? Number.POSITIVE_INFINITY);
    const number = (event: SessionEvent) => (asked.route === 'events' ? event.position : event.seq);
    for (const event of this.#events) if (listener.wants(event) && number(event) > after) send(response, event);
    if (asked.route === 'sendMessage') void this.play(asked);
  }
}

function isStream({ route }: FakeRequest, request: IncomingMessage): boolean {
  if (route === 'sendMessage') return request.headers.accept === 'text/event-stream';
  return route === 'sessionEvents' || route === 'events';
}

function isFor({ route, params, query }: FakeRequest, frame: StreamFrame): boolean {
  if (query.deltas === 'false' && !('seq' in frame)) return false;
  if (route === 'events' || frame.type === 'reset') return true;
  return 'sessionId' in frame && frame.sessionId === params.sessionId;
}

function send(response: ServerResponse, frame: StreamFrame): void {
  response.write(`${'seq' in frame ? `id: ${frame.seq}\n` : ''}data: ${JSON.stringify(frame)}\n\n`);
}

async function read(request: IncomingMessage): Promise<FakeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const url = new URL(request.url ?? '/', 'http://fake');
  const { name, params } = findRoute(request.method ?? 'GET', url.pathname);
  const route: Route = ROUTES[name];
  const query = Object.fromEntries(url.searchParams);
  route.query?.parse(query);
  const body = text === '' ? {} : JSON.parse(text);
  route.body?.parse(body);
  return { route: name, params, query, body, authorization: request.headers.authorization };
}

function findRoute(method: string, pathname: string): { name: RouteName; params: Record<string, string> } {
  for (const [name, route] of Object.entries(ROUTES) as [RouteName, Route][]) {
    if (route.web) continue;
    const pattern = route.path.replace(/\{(\w+)\+\}/g, '(?<$1>.+)').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    const found = route.method === method ? new RegExp(`^${pattern}$`).exec(pathname) : null;
    if (found) return { name, params: mapped(found.groups ?? {}) };
  }
  throw new Refusal('route_not_found', `There is no ${method} ${pathname}.`);
}

function mapped(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
}

function answer(response: ServerResponse, { route }: FakeRequest, value: unknown): void {
  const { status, response: shape }: Route = ROUTES[route];
  if (value === undefined) response.writeHead(204).end();
  else if (typeof value === 'string') response.writeHead(status, { 'content-type': 'text/plain' }).end(value);
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(shape?.parse(value)));
}

function refuse(response: ServerResponse, error: unknown): void {
  const code = error instanceof Refusal ? error.code : 'internal_error';
  const status = ERROR_STATUS[code];
  const problem = { type: 'about:blank', title: code, status, code, detail: (error as Error).message };
  response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
}
