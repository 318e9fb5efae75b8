import { FetchFailure } from '../tools/guarded-fetch-failure.ts';
import type { FetchGuard } from '../tools/guarded-fetch-hop.ts';
import { sendOnce } from '../tools/guarded-fetch-hop.ts';

/** How much of an answer is kept. */
const MOST_RESPONSE = 1000;
const READ_BYTES = 4 * MOST_RESPONSE;

export interface CallOutcome {
  /** Null when there was no answer. */
  readonly status: number | null;
  /** The beginning of the answer. */
  readonly response: string | null;
  /** Why it was not taken, in words; null when it was. */
  readonly error: string | null;
  /** How long the receiver wants to be left alone. */
  readonly retryAfterMs: number | null;
  readonly durationMs: number;
}

export interface Call extends FetchGuard {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  /** Rejects with its reason once it aborts. */
  readonly stopped: AbortSignal;
}

/** One POST, without following redirects. What an answer says counts by its status alone. */
export async function call(wanted: Call): Promise<CallOutcome> {
  const began = performance.now();
  const timeout = AbortSignal.timeout(wanted.timeoutMs);
  const signal = AbortSignal.any([timeout, wanted.stopped]);
  const past = () => Math.round(performance.now() - began);
  try {
    const { headers, body } = wanted;
    const request = { method: 'POST', headers: new Headers(headers), body: Buffer.from(body), signal };
    const answer = await sendOnce(wanted, new URL(wanted.url), request);
    const { status } = answer;
    const retryAfterMs = secondsIn(answer.headers.get('retry-after'));
    const response = await beginningOf(answer);
    return { status, response, error: problemOf(status), retryAfterMs, durationMs: past() };
  } catch (error) {
    wanted.stopped.throwIfAborted();
    const reason = timeout.aborted ? `No answer within ${wanted.timeoutMs / 1000} seconds.` : wordsOf(error);
    return { status: null, response: null, error: reason, retryAfterMs: null, durationMs: past() };
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof FetchFailure) return error.message;
  throw error;
}

function problemOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `HTTP ${status}: redirects are not followed.` : `HTTP ${status}`;
}

/** An answer that breaks off or never ends has been given all the same. */
async function beginningOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const reader = answer.body?.getReader();
  try {
    while (reader && bytes < READ_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      bytes += value.byteLength;
    }
  } catch {
    // Its status is known.
  }
  await reader?.cancel().catch(() => {});
  const text = Buffer.concat(pieces).toString('utf8').replaceAll('\0', '');
  return text.slice(0, MOST_RESPONSE).toWellFormed();
}

function secondsIn(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null;
}
