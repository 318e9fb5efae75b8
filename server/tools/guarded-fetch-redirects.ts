import { discardBody } from './guarded-fetch-body.ts';
import { FetchFailure } from './guarded-fetch-failure.ts';
import { type FetchGuard, type Outgoing, sendOnce } from './guarded-fetch-hop.ts';

const MOST_REDIRECTS = 5;

export interface Arrival {
  readonly url: URL;
  readonly method: string;
  readonly response: Response;
  readonly redirected: boolean;
}

/** Follows redirects as far as they may lead; every one of them is checked like the first address. */
export async function sendAndFollow(guard: FetchGuard, start: URL, first: Outgoing): Promise<Arrival> {
  let [url, request] = [start, first];
  for (let hops = 0; ; hops++) {
    const response = await sendOnce(guard, url, request);
    const target = redirectTarget(url, response);
    if (!target) return { url, method: request.method, response, redirected: hops > 0 };
    await discardBody(response);
    if (hops === MOST_REDIRECTS) throw refusal(`${start.host} redirects more than ${MOST_REDIRECTS} times.`);
    request = redirected(request, response.status, url, target);
    url = target;
  }
}

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function redirectTarget(url: URL, { status, headers }: Response): URL | undefined {
  const location = headers.get('location');
  if (!isRedirect(status) || location === null) return undefined;
  const target = URL.parse(location, url.href);
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
