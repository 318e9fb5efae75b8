import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Tally, TokenReader } from './tally.ts';

export interface WireRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Heard {
  status: number;
  tokens: number;
  calls: number;
  /** From sending to the first token, and to the end. */
  firstMs: number;
  wholeMs: number;
}

/** A server closes a kept connection after a few seconds of silence; well before that, a new one is made. */
const KEPT_MS = 2000;

/** One connection that reads streamed answers, one after the other. Cheaper than an HTTP client, and the same for all. */
export class Connection {
  readonly #port: number;
  #socket: Socket;
  #usedAt = performance.now();
  #reader: TokenReader | undefined;
  #done: ((error?: Error) => void) | undefined;

  constructor(port: number) {
    this.#port = port;
    this.#socket = this.#connect();
  }

  /** Says something and listens until the answer has ended. */
  async stream(request: WireRequest, tally: Tally): Promise<Heard> {
    if (performance.now() - this.#usedAt > KEPT_MS || this.#socket.destroyed) await this.#renew();
    const reader = new TokenReader(tally);
    this.#reader = reader;
    const startedAt = performance.now();
    const ended = new Promise<void>((resolve, reject) => {
      this.#done = (error) => (error ? reject(error) : resolve());
    });
    this.#socket.write(toBytes(`127.0.0.1:${this.#port}`, request));
    await ended;
    this.#done = undefined;
    this.#usedAt = performance.now();
    const { status, tokens, calls } = reader;
    const firstMs = reader.firstAt - startedAt;
    return { status, tokens, calls, firstMs, wholeMs: this.#usedAt - startedAt };
  }

  close(): void {
    this.#done = undefined;
    this.#socket.destroy();
  }

  #connect(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('error', (error) => this.#fail(socket, error));
    socket.on('close', () => this.#fail(socket, new Error('the connection was closed')));
    return socket;
  }

  async #renew(): Promise<void> {
    this.#socket.destroy();
    this.#socket = this.#connect();
    await once(this.#socket, 'connect');
  }

  #fail(socket: Socket, error: Error): void {
    if (socket === this.#socket) this.#done?.(error);
  }

  #receive(bytes: Buffer): void {
    const reader = this.#reader;
    if (!reader) return;
    reader.feed(bytes);
    if (reader.status >= 400) this.#done?.(new Error(`answered ${reader.status}: ${bytes.toString().slice(0, 500)}`));
    else if (reader.ended) this.#done?.();
  }
}

function toBytes(host: string, { method, path, headers = {}, body }: WireRequest): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const all: Record<string, string> = { host, ...headers };
  if (text)
    Object.assign(all, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) });
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
}
