import { AppError } from '../contract/errors.ts';
import type { StreamFrame } from '../contract/events.ts';
import { readFrame } from '../contract/streamed-messages.ts';
import { backoffMs, pause } from './backoff.ts';
import { ConnectionError } from './connection-error.ts';
import { readSse } from './sse.ts';
import type { Query, Transport } from './transport.ts';

export interface FollowOptions {
  /** The last event that is known already; default: from now on. */
  after?: number | string | undefined;
  /** false leaves out live text. */
  deltas?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Ends the pause before the next attempt to connect when it fires; asked for anew before each pause. */
  hurry?: (() => AbortSignal) | undefined;
  /** Is told where the stream can be resumed. */
  onCursor?: ((cursor: string) => void) | undefined;
  /** For a light that shows whether we are connected. */
  onConnection?: ((state: 'open' | 'lost') => void) | undefined;
}

export interface EventSource extends FollowOptions {
  path: string;
  query: Query;
  /** Where "from now on" begins, so that a connection lost before its first event loses nothing. */
  now: () => Promise<number>;
}

/** The server sends a heartbeat every 15 s; three missing heartbeats mean that the connection is dead. */
const SILENCE_MS = 45_000;

/**
 * Frames for as long as the caller iterates, over as many connections as it takes. Each connection goes on after the
 * last event that was seen. A cursor the server no longer keeps shows as a `reset` frame: load the state anew.
 */
export async function* followEvents(transport: Transport, source: EventSource): AsyncGenerator<StreamFrame> {
  const cursor = { after: source.after };
  for (let attempt = 0; ; attempt++) {
    try {
      cursor.after ??= await source.now();
      for await (const frame of connect(transport, source, cursor)) {
        attempt = -1;
        yield frame;
      }
    } catch (error) {
      if (source.signal?.aborted) return;
      if (!isPassing(error)) throw error;
    }
    if (source.signal?.aborted) return;
    source.onConnection?.('lost');
    await pause(backoffMs(Math.max(0, attempt)), endOfPause(source)).catch(() => undefined);
    if (source.signal?.aborted) return;
  }
}

function endOfPause({ signal, hurry }: FollowOptions): AbortSignal | undefined {
  const signals = [signal, hurry?.()].filter((one) => one !== undefined);
  return signals.length > 0 ? AbortSignal.any(signals) : undefined;
}

async function* connect(
  transport: Transport,
  source: EventSource,
  cursor: { after: number | string | undefined },
): AsyncGenerator<StreamFrame> {
  const silence = new SilenceAlarm(source.signal);
  try {
    const query = { ...source.query, after: cursor.after, deltas: source.deltas };
    const headers = { Accept: 'text/event-stream' };
    const response = await transport.send('GET', source.path, { query, headers, signal: silence.signal });
    source.onConnection?.('open');
    const noteId = (id: string) => {
      cursor.after = id;
      source.onCursor?.(id);
    };
    for await (const event of readSse(response.body!, () => silence.reset(), noteId)) {
      yield readFrame(event.data);
    }
  } catch (error) {
    throw error instanceof AppError || error instanceof ConnectionError
      ? error
      : transport.failure(error, source.signal);
  } finally {
    silence.clear();
  }
}

/** Ends a connection on which nothing arrives, not even a sign of life. */
class SilenceAlarm {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.signal = outer ? AbortSignal.any([outer, this.#controller.signal]) : this.#controller.signal;
    this.reset();
  }

  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(new Error('no response')), SILENCE_MS);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }
}

/** Worth another attempt: the network, or a server that is full or about to stop. */
function isPassing(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'too_many_streams' || isUnavailable(error);
  return error instanceof ConnectionError || (error instanceof Error && error.message === 'no response');
}

function isUnavailable({ code }: AppError): boolean {
  return code === 'overloaded' || code === 'shutting_down' || code === 'storage_unavailable';
}
