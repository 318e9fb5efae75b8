import type { IncomingMessage } from 'node:http';
import { FetchFailure } from './guarded-fetch-failure.ts';
import { type FetchGuard, type Outgoing, sendOnce } from './guarded-fetch-hop.ts';

const MOST_REDIRECTS = 5;

export interface Arrival {
  readonly url: URL;
  readonly method: string;
  readonly message: IncomingMessage;
  readonly redirected: boolean;
}

/** Follows redirects as far as they may lead; every one of them is checked like the first address. */
export async function sendAndFollow(guard: FetchGuard, start: URL, first: Outgoing): Promise<Arrival> {
  let [url, request] = [start, first];
  for (let hops = 0; ; hops++) {
    const message = await sendOnce(guard, url, request);
    const target = redirectTarget(url, message);
    if (!target) return { url, method: request.method, message, redirected: hops > 0 };
    message.destroy();
    if (hops === MOST_REDIRECTS) throw refusal(`${start.host} redirects more than ${MOST_REDIRECTS} times.`);
    request = redirected(request, message.statusCode!, url, target);
    url = target;
  }
}

export function isRedirect(status: number | undefined): boolean {
  return status !== undefined && [301, 302, 303, 307, 308].includes(status);
}

function redirectTarget(url: URL, { statusCode, headers }: IncomingMessage): URL | undefined {
  if (!isRedirect(statusCode) || headers.location === undefined) return undefined;
  const target = URL.parse(headers.location, url.href);
  if (!target) throw refusal(`${url.host} redirects to something that is not a URL.`);
  return target;
}

/** To another origin goes nothing that was given for this one. */
function redirected(request: Outgoing, status: number, from: URL, to: URL): Outgoing {
  const isElsewhere = from.origin !== to.origin;
  const becomesGet = (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST');
  const next = becomesGet ? { ...request, method: 'GET', body: null } : request;
  if (isElsewhere && next.body)
    throw refusal(`${from.host} redirects the request body to another host, which is not allowed.`);
  return { ...next, headers: keptHeaders(request.headers, isElsewhere, next.body !== null) };
}

const HARMLESS = new Set(['accept', 'accept-language', 'user-agent']);

function keptHeaders(headers: Headers, isElsewhere: boolean, hasBody: boolean): Headers {
  const kept = [...headers].filter(([name]) => {
    if (isElsewhere) return HARMLESS.has(name);
    return hasBody || !name.startsWith('content-');
  });
  return new Headers(kept);
}

function refusal(message: string): FetchFailure {
  return new FetchFailure(message, 'redirect_refused');
}
