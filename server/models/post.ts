import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';

/**
 * POSTs JSON and resolves with the response as soon as its headers are here. `node:http` rather than `fetch`: a web
 * stream costs several times more per network chunk than a listener does.
 */
export async function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  try {
    return await send(url, headers, body, signal);
  } catch (error) {
    // a kept connection that the server closed under us says nothing about the request: it never got there
    if (!(error instanceof StaleConnection) || signal.aborted) throw error;
    return await send(url, headers, body, signal);
  }
}

class StaleConnection extends Error {}

function send(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = String(Buffer.byteLength(body));
    const options = { method: 'POST', headers: { ...headers, 'content-length': length } };
    const request = (url.protocol === 'https:' ? https : http).request(url, options, resolve);
    destroyOnAbort(request, signal);
    request.on('error', (error: NodeJS.ErrnoException) => {
      const stale = request.reusedSocket && error.code === 'ECONNRESET';
      reject(stale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    request.end(body);
  });
}

/** What the option `signal` does, without its listeners for the end of the request and of the answer. */
function destroyOnAbort(request: http.ClientRequest, signal: AbortSignal): void {
  const destroy = () => void request.destroy(signal.reason as Error);
  if (signal.aborted) destroy();
  signal.addEventListener('abort', destroy);
  request.once('close', () => signal.removeEventListener('abort', destroy));
}

/** Far more than a consumer is ever behind, far less than would hurt. */
const HIGH_WATER = 256 * 1024;

interface Waiting {
  resolve(text: string | undefined): void;
  reject(error: Error): void;
}

/** The decoded text of a response, read in whatever pieces have arrived; a slow reader slows the sender down. */
export class ResponseText {
  readonly #response: IncomingMessage;
  #text = '';
  #over = false;
  #error: Error | undefined;
  #waiting: Waiting | undefined;

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (piece: string) => this.#onData(piece));
    response.on('end', () => this.#onOver(undefined));
    response.on('error', (error) => this.#onOver(error));
    response.on('close', () => this.#onOver(new Error('the connection was closed')));
  }

  /** All text that is there, waiting for some if need be; undefined at the end. Rejects when the connection broke. */
  next(): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#text !== '' || this.#over) this.#answer();
    });
  }

  /** All that comes until the end, or the first `limit` characters of it. */
  async rest(limit: number): Promise<string> {
    let all = '';
    for (let piece = await this.next(); piece !== undefined; piece = await this.next()) {
      all += piece;
      if (all.length >= limit) break;
    }
    return all.slice(0, limit);
  }

  /** Like `next`, for a reader who already has what it came for: a broken connection or a long silence is the end. */
  async lastWords(patienceMs: number): Promise<string | undefined> {
    const timer = setTimeout(() => this.#onOver(undefined), patienceMs);
    try {
      return await this.next();
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whatever still comes is not wanted; a server that soon says "end" gets its connection kept. */
  dismiss(graceMs = 1000): void {
    if (this.#response.closed) return;
    this.#response.removeAllListeners('data');
    this.#response.resume();
    const timer = setTimeout(() => this.#response.destroy(), graceMs).unref();
    this.#response.once('close', () => clearTimeout(timer));
  }

  /** Gives the waiting reader what there is: text, or else the end, or else the error. */
  #answer(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (this.#text === '' && this.#error) waiting?.reject(this.#error);
    else if (waiting) waiting.resolve(this.#text === '' ? undefined : this.#take());
  }

  #take(): string {
    const text = this.#text;
    this.#text = '';
    if (this.#response.isPaused()) this.#response.resume();
    return text;
  }

  #onData(piece: string): void {
    this.#text = this.#text === '' ? piece : this.#text + piece;
    if (this.#text.length > HIGH_WATER) this.#response.pause();
    this.#answer();
  }

  #onOver(error: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#error = error;
    this.#answer();
  }
}
