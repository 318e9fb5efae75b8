import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { AppError, ERROR_STATUS, type ErrorCode, type Problem } from '../../contract/errors.ts';
import { newId } from '../../contract/ids.ts';
import { ROUTES, type Route } from '../../contract/routes.ts';
import { say, type TextRef } from '../../contract/texts.ts';
import type { Metrics } from '../metrics.ts';
import { describeStorageFailure } from '../storage/failure.ts';
import type { RunningTurn } from '../turns/running-turn.ts';
import { entranceTo } from './access.ts';
import type { WrongAttempts } from './credentials.ts';
import { bearerIn, type Credentials, type Identity } from './credentials.ts';
import { unanswered } from './known-paths.ts';
import type { App, Ctx } from './mount.ts';
import type { HostCheck } from './origin.ts';

export interface Guards {
  hosts: HostCheck;
  credentials: Credentials;
  attempts: WrongAttempts;
  log: Logger;
  metrics: Metrics;
  /** The running turn whose token a request shows at a path. Throws when the turn is over. */
  turnOf(authorization: string | undefined, path: string): Promise<RunningTurn | undefined>;
  /** Tells the audit about a request that was turned away. */
  onRefusal(code: string, requestId: string): void;
  /** A failure in the shape that clients at that path expect; undefined where that is a problem (RFC 9457). */
  failureAt(path: string, problem: Problem): unknown;
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
  app.notFound((c) => answerFailure(c, guards, unanswered(c.req.path)));
  app.onError((error, c) => answerFailure(c, guards, error));
}

/** On Node's own answer, once for pages, errors and streams alike; a web-standard one would copy them twice. */
function setHeaders(c: Ctx): void {
  const { outgoing } = c.env;
  for (const [name, value] of SECURITY_HEADERS) outgoing.setHeader(name, value);
  outgoing.setHeader('X-Request-Id', c.get('requestId'));
  // Pages and files of the web app say themselves how long they may be kept.
  outgoing.setHeader('Cache-Control', 'no-store');
}

/** Host, then origin, then credential. Objects are checked later, by loading them through their owner. */
async function refuse(c: Ctx, guards: Guards): Promise<Response | null> {
  try {
    const { headers } = c.env.incoming;
    assertOneHost(c.env.incoming.rawHeaders);
    guards.hosts.assertHost(headers.host);
    assertOwnTarget(c.env.incoming.url ?? '', guards.hosts);
    const { access, isPage } = entranceTo(c.req.method, c.req.path);
    if (!isPage) guards.hosts.assertOrigin(headers.origin, headers['sec-fetch-site']?.toString());
    if (access === 'member' || access === 'turn') await identify(c, guards, access === 'turn');
    return null;
  } catch (error) {
    return answerFailure(c, guards, error);
  }
}

/** Node keeps the first of several Host headers; a proxy in front may have gone by the last. */
function assertOneHost(rawHeaders: readonly string[]): void {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === 'host') count += 1;
  if (count > 1) throw new AppError('invalid_request', say('invalid_request.hosts'));
}

/** `GET http://host/path`, as to a proxy: that host counts, not the header. */
function assertOwnTarget(target: string, hosts: HostCheck): void {
  if (target.startsWith('/') || !URL.canParse(target)) return;
  hosts.assertHost(new URL(target).host);
}

/** The owner, or a running turn of theirs: that may do what its agent may, and nothing else. */
async function identify(c: Ctx, guards: Guards, takesTurns: boolean): Promise<void> {
  const { owner, signInId } = await authenticate(c, guards, takesTurns);
  c.set('owner', owner);
  c.set('signInId', signInId);
  if (signInId !== null) guards.credentials.signIns.track(signInId, c.env.outgoing as ServerResponse);
}

/**
 * Only wrong tokens count as attempts, those of turns included: a browser whose sign-in is over sends its cookie without
 * meaning to.
 */
async function authenticate(c: Ctx, guards: Guards, takesTurns: boolean): Promise<Identity> {
  const { credentials, attempts } = guards;
  const { headers, socket } = c.env.incoming;
  try {
    const turn = takesTurns ? await guards.turnOf(headers.authorization, c.req.path) : undefined;
    c.set('turn', turn);
    return turn ? { owner: turn.owner, signInId: null } : await credentials.authenticate(headers);
  } catch (error) {
    const isGuess = bearerIn(headers) !== undefined && error instanceof AppError && ERROR_STATUS[error.code] === 401;
    throw isGuess ? attempts.failed(socket.remoteAddress, error) : error;
  }
}

function answerFailure(c: Ctx, { log, metrics, onRefusal, failureAt }: Guards, error: unknown): Response {
  const { problem, known, headers } = toProblem(error, c.get('requestId'));
  if (!known) log.error({ err: error, requestId: c.get('requestId') }, 'request failed');
  if (problem.status === 401 || problem.status === 403 || problem.code === 'too_many_attempts') {
    metrics.refusals.add(1, { code: problem.code });
    onRefusal(problem.code, c.get('requestId'));
  }
  return problemResponse(problem, headers, failureAt(c.req.path, problem));
}

/** The access log: what was asked for and how it went, never what was said. */
function note(c: Ctx, began: number, { log, metrics }: Guards): void {
  const { status } = c.res;
  metrics.requests.add(1, { method: c.req.method, status: String(status) });
  const ms = Math.round((performance.now() - began) * 10) / 10;
  const path = withoutToken(c.req.path);
  const address = c.env.incoming.socket.remoteAddress;
  log.info({ requestId: c.get('requestId'), address, method: c.req.method, path, status, ms }, 'request');
}

/** The token at the end of such a path gives access to what it leads to, so the log leaves it out. */
function withoutToken(path: string): string {
  const begin = BEFORE_TOKENS.find((each) => path.startsWith(each));
  return begin === undefined ? path : `${begin}…`;
}

const BEFORE_TOKENS = Object.values<Route>(ROUTES).flatMap(({ path }) =>
  path.includes('{token}') ? [path.slice(0, path.indexOf('{token}'))] : [],
);

/** The one place where an error becomes an answer. An error that is no `AppError` is a 500 without details. */
function toProblem(
  error: unknown,
  requestId: string,
): { problem: Problem; known: boolean; headers: Record<string, string> } {
  const described = describeStorageFailure(error);
  if (!(described instanceof AppError)) {
    return {
      problem: problemOf('internal_error', say('internal_error').message, requestId),
      known: false,
      headers: {},
    };
  }
  const problem = problemOf(described.code, shorten(described.message), requestId);
  if (described.text) problem.text = { key: described.text.key, values: shortened(described.text.values) };
  if (described.issues) problem.issues = described.issues.map(shorten);
  if (described.conflicts) problem.conflicts = described.conflicts;
  const { retryAfterSeconds } = described;
  return { problem, known: true, headers: retryAfterSeconds ? { 'Retry-After': String(retryAfterSeconds) } : {} };
}

const MOST_CHARACTERS = 1000;

/** A message may quote what the client sent; a name of a megabyte is not sent back. */
function shorten(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…`;
}

function shortened(values: TextRef['values']): TextRef['values'] {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? shorten(value) : value]),
  );
}

function problemOf(code: ErrorCode, detail: string, requestId: string): Problem {
  const title = code.replaceAll('_', ' ');
  return { type: `urn:parley:problem:${code}`, title, status: ERROR_STATUS[code], code, detail, requestId };
}

function problemResponse(problem: Problem, headers: Record<string, string>, otherShape: unknown): Response {
  const type = otherShape === undefined ? 'application/problem+json' : 'application/json';
  return new Response(JSON.stringify(otherShape ?? problem), {
    status: problem.status,
    headers: { 'Content-Type': type, 'Cache-Control': 'no-store', ...headers },
  });
}
