import { decodedHeaders, discardBody, readBody, tooLarge, tooSlow } from './guarded-fetch-body.ts';
import { FetchFailure, networkFailure } from './guarded-fetch-failure.ts';
import type { FetchGuard } from './guarded-fetch-hop.ts';
import { type Arrival, sendAndFollow } from './guarded-fetch-redirects.ts';

export interface GuardedRequest extends FetchGuard {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal | undefined;
  /** Of the answer, decompressed. */
  readonly maxBytes: number;
  /** From the beginning to the last byte. */
  readonly timeoutMs: number;
}

export interface GuardedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** After redirects. */
  readonly url: string;
}

/**
 * Fetches what is in the internet, and nothing that only this machine can reach unless its host was allowed. Rejects
 * with `FetchFailure`, or with the signal's own reason.
 */
export async function guardedFetch(address: string | URL, request: GuardedRequest): Promise<GuardedAnswer> {
  const url = parseAddress(address);
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  try {
    const arrival = await sendAndFollow(request, url, toOutgoing(request, signal));
    return await readAnswer(arrival, request.maxBytes);
  } catch (error) {
    request.signal?.throwIfAborted();
    if (timeout.aborted) throw tooSlow(request.timeoutMs);
    throw networkFailure(url.host, error);
  }
}

export function parseAddress(address: string | URL): URL {
  const url = URL.parse(String(address));
  if (!url) throw new FetchFailure('This is not a valid URL.', 'url_invalid');
  return url;
}

function toOutgoing({ method = 'GET', headers, body }: GuardedRequest, signal: AbortSignal) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? null);
  return { method, headers: new Headers(headers), body: bytes, signal };
}

async function readAnswer({ url, method, response }: Arrival, maxBytes: number): Promise<GuardedAnswer> {
  const headers = decodedHeaders(response);
  if (Number(headers.get('content-length') ?? 0) > maxBytes && method !== 'HEAD') {
    await discardBody(response);
    throw tooLarge(maxBytes);
  }
  return { status: response.status, headers, body: await readBody(response, maxBytes), url: url.href };
}
