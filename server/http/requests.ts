import type { Logger } from 'pino';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import { ROUTES, type Route } from '../../contract/routes.ts';
import type { Metrics } from '../metrics.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import { entranceTo } from './access.ts';
import type { Credentials } from './credentials.ts';
import type { App, Ctx } from './mount.ts';
import type { HostCheck } from './origin.ts';
import { problemResponse, toProblem } from './problems.ts';

export interface Guards {
  hosts: HostCheck;
  credentials: Credentials;
  log: Logger;
  metrics: Metrics;
  /** The running turn whose token a request shows. Throws when the turn is over. */
  turnOf(authorization: string | undefined): RunningTurn | undefined;
  /** Tells the audit about a request that was turned away. */
  onRefusal(code: string, requestId: string): void;
}

const SECURITY_HEADERS = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
});

/** Everything that happens to every request, streams included: checks, headers, access log, errors. */
export function guardRequests(app: App, guards: Guards): void {
  app.use(async (c, next) => {
    const began = performance.now();
    c.set('requestId', newId());
    setHeaders(c);
    const refusal = await refuse(c, guards);
    if (refusal) c.res = refusal;
    else await next();
    note(c, began, guards);
  });
  app.notFound((c) =>
    answerFailure(
      c,
      guards,
      new AppError('route_not_found', 'There is nothing here. /api/openapi.json lists what there is.'),
    ),
  );
  app.onError((error, c) => answerFailure(c, guards, error));
}

/** On Node's own answer, once for pages, errors and streams alike; a web-standard one would copy them twice. */
function setHeaders(c: Ctx): void {
  const { outgoing } = c.env;
  for (const [name, value] of SECURITY_HEADERS) outgoing.setHeader(name, value);
  outgoing.setHeader('X-Request-Id', c.get('requestId'));
}

/** Host, then origin, then credential. Objects are checked later, by loading them through their owner. */
async function refuse(c: Ctx, guards: Guards): Promise<Response | null> {
  try {
    const { headers } = c.env.incoming;
    guards.hosts.assertHost(headers.host);
    const { access, isPage } = entranceTo(c.req.method, c.req.path);
    if (!isPage) guards.hosts.assertOrigin(headers.origin, headers['sec-fetch-site']?.toString());
    if (access !== 'open') await identify(c, guards, access === 'turn');
    return null;
  } catch (error) {
    return answerFailure(c, guards, error);
  }
}

/** The owner, or a running turn of theirs: that may do what its agent may, and nothing else. */
async function identify(c: Ctx, { credentials, turnOf }: Guards, takesTurns: boolean): Promise<void> {
  const { headers } = c.env.incoming;
  const turn = takesTurns ? turnOf(headers.authorization) : undefined;
  c.set('turn', turn);
  c.set('owner', turn?.owner ?? (await credentials.authenticate(headers.authorization, headers.cookie)));
}

function answerFailure(c: Ctx, { log, metrics, onRefusal }: Guards, error: unknown): Response {
  const { problem, known, headers } = toProblem(error, c.get('requestId'));
  if (!known) log.error({ err: error, requestId: c.get('requestId') }, 'request failed');
  if (problem.status === 401 || problem.status === 403) {
    metrics.refusals.add(1, { code: problem.code });
    onRefusal(problem.code, c.get('requestId'));
  }
  return problemResponse(problem, headers);
}

/** The access log: what was asked for and how it went, never what was said. */
function note(c: Ctx, began: number, { log, metrics }: Guards): void {
  const { status } = c.res;
  metrics.requests.add(1, { method: c.req.method, status: String(status) });
  const ms = Math.round((performance.now() - began) * 10) / 10;
  const path = withoutToken(c.req.path);
  log.info({ requestId: c.get('requestId'), method: c.req.method, path, status, ms }, 'request');
}

/** Whoever knows such a path can read what it leads to, so its end is for nobody who reads the log. */
function withoutToken(path: string): string {
  const begin = BEFORE_TOKENS.find((each) => path.startsWith(each));
  return begin === undefined ? path : `${begin}…`;
}

const BEFORE_TOKENS = Object.values<Route>(ROUTES).flatMap(({ path }) =>
  path.includes('{token}') ? [path.slice(0, path.indexOf('{token}'))] : [],
);
