import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { createGuardedFetch } from '../guarded-fetch-stream.ts';

export interface HttpTarget {
  readonly url: URL;
  readonly headers: Headers;
  readonly allowPrivateNetwork: boolean;
}

/** Calls are timed by themselves; an answer in one piece begins only when the tool is done. */
const HEADERS_MS = 60 * 60_000;
const CONNECTION_ENDED = -32000;
export const NO_ANSWER = 'The connection closed before the response.';

/**
 * The protocol's own transport over the guarded fetch: our headers go to the origin they were given for, because
 * redirects to another are not followed. Of each request it also knows when its answer will never come.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #waiting = new Map<RequestId, AbortController>();
  #reason: string | undefined;

  constructor({ url, headers, allowPrivateNetwork }: HttpTarget) {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    const allowHosts = allowPrivateNetwork ? [`${url.hostname}:${port}`] : [];
    super(url, {
      fetch: createGuardedFetch({ allowHosts, headersMs: HEADERS_MS }),
      requestInit: { headers },
      redirectPolicy: 'same-origin',
      onInsufficientScope: 'throw',
    });
    this.onmessage = (message) => this.#noteAnswer(message);
    this.onerror = (error) => this.#noteError(error);
  }

  override async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    if ('method' in message && 'id' in message) return this.#ask(message, options);
    await super.send(message, options);
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#stopWaiting(message.params?.requestId as RequestId);
  }

  async #ask(request: JSONRPCRequest, options: TransportSendOptions): Promise<void> {
    try {
      await super.send(request, this.#follow(request.id, options));
    } catch (error) {
      this.#waiting.delete(request.id);
      throw error;
    }
  }

  #follow(id: RequestId, options: TransportSendOptions): TransportSendOptions {
    const own = new AbortController();
    this.#waiting.set(id, own);
    const { requestSignal } = options;
    return {
      ...options,
      requestSignal: requestSignal ? AbortSignal.any([own.signal, requestSignal]) : own.signal,
      onRequestStreamEnd: () => {
        options.onRequestStreamEnd?.();
        this.#noteSilence(id);
      },
    };
  }

  #noteAnswer(message: JSONRPCMessage): void {
    if (!('method' in message) && message.id !== undefined) this.#waiting.delete(message.id);
  }

  /** The reason of a broken stream is reported just before the request that it belongs to. */
  #noteError(error: Error): void {
    this.#reason = error.message;
    queueMicrotask(() => {
      this.#reason = undefined;
    });
  }

  /** Reported as an error response, so that the caller that waits for one stops waiting. */
  #noteSilence(id: RequestId): void {
    if (!this.#waiting.delete(id) || typeof id !== 'number') return;
    const message = `${NO_ANSWER} ${this.#reason ?? ''}`.trim();
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: CONNECTION_ENDED, message } });
  }

  #stopWaiting(id: RequestId): void {
    this.#waiting.get(id)?.abort();
    this.#waiting.delete(id);
  }
}
