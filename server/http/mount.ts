import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { ROUTES, type Route, type RouteName } from '../../contract/routes.ts';
import { say } from '../../contract/texts.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import { check } from '../validation.ts';
import { assertUncompressed, readJsonBody } from './body.ts';
import { jsonBody } from './encoding.ts';

export interface Variables {
  requestId: string;
  owner: string;
  /** The browser's sign-in; null when the request showed a token. */
  signInId: string | null;
  /** Set when a program speaks for a running turn. */
  turn: RunningTurn | undefined;
  access: Route['access'];
}

export type Env = { Bindings: HttpBindings; Variables: Variables };
export type App = Hono<Env>;
export type Ctx = Context<Env>;

type Output<T> = T extends z.ZodType ? z.output<T> : Record<never, never>;
type Spec<N extends RouteName> = (typeof ROUTES)[N];
type Field<N extends RouteName, K extends string> =
  Spec<N> extends { [key in K]: infer S } ? Output<S> : Record<never, never>;

/** What a route gets: already parsed, already allowed. */
export interface Call<N extends RouteName> {
  c: Ctx;
  owner: string;
  params: Field<N, 'params'>;
  query: Field<N, 'query'>;
  body: Field<N, 'body'>;
}

type Answer<N extends RouteName> = Response | (Spec<N> extends { response: infer S } ? Output<S> : undefined);

export interface BodyLimits {
  bodyBytes: number;
  jsonDepth: number;
}

const NO_FIELDS = z.strictObject({});

/** Binds a route of the contract to the one verb that answers it. */
export class Router {
  readonly #app: App;
  readonly #limits: () => BodyLimits;
  readonly mounted = new Set<RouteName>();

  constructor(app: App, limits: () => BodyLimits) {
    this.#app = app;
    this.#limits = limits;
  }

  on<N extends RouteName>(name: N, answer: (call: Call<N>) => Answer<N> | Promise<Answer<N>>): void {
    const route: Route = ROUTES[name];
    this.mounted.add(name);
    this.#app.on(route.method, toPattern(route.path), async (c) => {
      const call = await this.#parse(c, route);
      const result = await answer(call as Call<N>);
      if (isResponse(result)) return result;
      if (result === undefined) return c.body(null, 204);
      const accepted = c.env.incoming.headers['accept-encoding']?.toString();
      const { body, headers } = await jsonBody(result, route.method, accepted);
      return c.body(body, route.status as 200, headers);
    });
  }

  async #parse(c: Ctx, route: Route): Promise<unknown> {
    return {
      c,
      owner: c.get('owner'),
      params: route.params ? parse(route.params, c.req.param()) : {},
      query: parseQuery(c, route),
      body: await this.#parseBody(c, route),
    };
  }

  async #parseBody(c: Ctx, route: Route): Promise<unknown> {
    assertUncompressed(c.env.incoming.headers);
    if (route.upload) return {};
    const schema = route.body ?? (route.bodyOptional ? NO_FIELDS : undefined);
    if (!schema) return {};
    const body = await readJsonBody(c.env.incoming as IncomingMessage, this.#limits());
    if (body === undefined && !route.bodyOptional) throw new AppError('invalid_request', say('invalid_request.body'));
    // An import has formats of its own; it says itself what is wrong with them.
    return route.path === ROUTES.importSession.path ? body : parse(schema, body === undefined ? {} : body);
  }
}

/** The adapter replaces the global Response, so what was made before that is no instance of it. */
function isResponse(result: unknown): result is Response {
  return result instanceof Response || result === RESPONSE_ALREADY_SENT;
}

/**
 * `{agentId+}` takes the rest of the path, since agents have slashes in their names. A path that is nothing else is
 * written as a star, and so are the operations of A2A, beside which there is `/a2a/agents`: names there would keep the
 * router from its fast way of matching.
 */
export function toPattern(path: string): string {
  return path
    .replace(/^\/\{\w+\+\}$/, '/*')
    .replace('/a2a/{agentId}/{operation+}', '/a2a/*')
    .replaceAll(/\{(\w+)\+\}/g, ':$1{.+}')
    .replaceAll(/\{(\w+)\}/g, ':$1');
}

function parseQuery(c: Ctx, route: Route): unknown {
  const given = c.req.query();
  if (route.web) return {};
  if (route.query) return parse(route.query, given);
  assertNoQuery(c);
  return {};
}

export function assertNoQuery(c: Ctx): void {
  const [unknown] = Object.keys(c.req.query());
  if (unknown === undefined) return;
  throw new AppError('invalid_request', say('invalid_request.parameter', { name: unknown }));
}

/** As the server was addressed, which has been checked; only a browser says by which scheme, and only when it changes something. */
export function originOf(c: Ctx): string {
  const { origin, host } = c.env.incoming.headers;
  return origin ?? `http://${host}`;
}

function parse(schema: z.ZodType, input: unknown): unknown {
  const checked = check(schema, input);
  if (checked.issues.length === 0) return checked.value;
  throw new AppError('invalid_request', checked.issues[0]!, { issues: [...checked.issues] });
}
