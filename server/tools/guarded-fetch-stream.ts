import { ReadableStream as NodeStream } from 'node:stream/web';
import { parseAddress } from './guarded-fetch.ts';
import { type BodyLimits, decodedHeaders, discardBody, limitedBody, tooSlow } from './guarded-fetch-body.ts';
import { FetchFailure, networkFailure } from './guarded-fetch-failure.ts';
import { type FetchGuard, type Outgoing, sendOnce } from './guarded-fetch-hop.ts';
import { type Arrival, isRedirect, sendAndFollow } from './guarded-fetch-redirects.ts';

export interface GuardedFetchSettings extends FetchGuard {
  /** Until an answer begins. */
  readonly headersMs?: number;
  /** Between two pieces of an answer. */
  readonly idleMs?: number;
  /** The same for an event stream; null: it may be silent for as long as it likes. */
  readonly eventIdleMs?: number | null;
  /** Of an answer that is no event stream, decompressed. */
  readonly maxBytes?: number;
  /** Of one event in a stream of them. */
  readonly maxEventBytes?: number;
}

const HEADERS_MS = 60_000;
const IDLE_MS = 60_000;
const MAX_BYTES = 10_000_000;
const MAX_EVENT_BYTES = 8_000_000;

/** The guard in the shape of `fetch`, for libraries that want one. Bodies come as they arrive. */
export function createGuardedFetch(settings: GuardedFetchSettings): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const url = parseAddress(request.url);
    const headersMs = settings.headersMs ?? HEADERS_MS;
    const outgoing = await toOutgoing(request);
    const begun = await withinTime(headersMs, request.signal, url.host, (signal) =>
      arrive(settings, url, { ...outgoing, signal }, request.redirect),
    );
    return toResponse(settings, begun);
  };
}

async function toOutgoing(request: Request): Promise<Omit<Outgoing, 'signal'>> {
  const body = request.body ? new Uint8Array(await request.arrayBuffer()) : null;
  return { method: request.method, headers: request.headers, body };
}

async function arrive(
  guard: FetchGuard,
  url: URL,
  outgoing: Outgoing,
  redirect: Request['redirect'],
): Promise<Arrival> {
  if (redirect === 'follow') return sendAndFollow(guard, url, outgoing);
  const response = await sendOnce(guard, url, outgoing);
  if (redirect === 'manual' || !isRedirect(response.status)) {
    return { url, method: outgoing.method, response, redirected: false };
  }
  await discardBody(response);
  throw new FetchFailure(`${url.host} redirects, which is not allowed here.`, 'redirect_refused');
}

/** The clock runs until the answer begins; the caller's own signal counts to its end. */
async function withinTime<T>(
  timeoutMs: number,
  own: AbortSignal,
  host: string,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(), timeoutMs);
  try {
    return await act(AbortSignal.any([own, clock.signal]));
  } catch (error) {
    own.throwIfAborted();
    throw clock.signal.aborted ? tooSlow(timeoutMs) : networkFailure(host, error);
  } finally {
    clearTimeout(timer);
  }
}

function toResponse(settings: GuardedFetchSettings, { url, response: received, redirected }: Arrival): Response {
  const headers = decodedHeaders(received);
  const { status, statusText } = received;
  const pieces = limitedBody(received, limitsFor(settings, headers, status));
  const body = received.body && (NodeStream.from(pieces) as ReadableStream<Uint8Array<ArrayBuffer>>);
  const response = new Response(body, { status, statusText, headers });
  return Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } });
}

/** Only a stream that was asked for may go on for ever: an error in the shape of one is read as a whole. */
function limitsFor(settings: GuardedFetchSettings, headers: Headers, status: number): BodyLimits {
  if (status === 200 && headers.get('content-type')?.toLowerCase().startsWith('text/event-stream')) {
    return {
      perEvent: true,
      maxBytes: settings.maxEventBytes ?? MAX_EVENT_BYTES,
      idleMs: settings.eventIdleMs ?? null,
    };
  }
  return { perEvent: false, maxBytes: settings.maxBytes ?? MAX_BYTES, idleMs: settings.idleMs ?? IDLE_MS };
}
