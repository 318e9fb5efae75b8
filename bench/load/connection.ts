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
  /** From sending to the first token, and to the end. */
  firstMs: number;
  wholeMs: number;
}

/** One kept connection that reads streamed answers, one after the other. Cheaper than an HTTP client, and the same for all. */
export class Connection {
  readonly #socket: Socket;
  readonly #host: string;
  #reader: TokenReader | undefined;
  #done: ((error?: Error) => void) | undefined;

  constructor(port: number) {
    this.#host = `127.0.0.1:${port}`;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (bytes) => this.#receive(bytes));
    this.#socket.on('error', (error) => this.#done?.(error));
    this.#socket.on('close', () => this.#done?.(new Error('the connection was closed')));
  }

  /** Says something and listens until the answer has ended. */
  async stream(request: WireRequest, tally: Tally): Promise<Heard> {
    const reader = new TokenReader(tally);
    this.#reader = reader;
    const startedAt = performance.now();
    this.#socket.write(toBytes(this.#host, request));
    await new Promise<void>((resolve, reject) => {
      this.#done = (error) => (error ? reject(error) : resolve());
    });
    this.#done = undefined;
    const firstMs = reader.firstAt - startedAt;
    return { status: reader.status, tokens: reader.tokens, firstMs, wholeMs: performance.now() - startedAt };
  }

  close(): void {
    this.#done = undefined;
    this.#socket.destroy();
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
