import type { ServerResponse } from 'node:http';

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  Connection: 'keep-alive',
};

export interface SseOptions {
  /** A client that falls this far behind is let go; it resumes from its cursor. */
  bufferBytes: number;
  heartbeatMs: number;
  onClose: () => void;
}

/**
 * One client of an event stream. Frames written in one turn of the event loop leave in one system call; what a slow
 * client does not read is bounded.
 */
export class SseConnection {
  readonly #response: ServerResponse;
  readonly #bufferBytes: number;
  readonly #heartbeat: NodeJS.Timeout;
  #pending = '';
  #scheduled = false;
  #closed = false;
  /** The largest batch since the client was last up to date: one may be as large as it is, a second one waits. */
  #largest = 0;

  constructor(response: ServerResponse, options: SseOptions) {
    this.#response = response;
    this.#bufferBytes = options.bufferBytes;
    response.writeHead(200, HEADERS);
    response.socket?.setNoDelay(true);
    this.#heartbeat = setInterval(() => this.#write(': ping\n\n'), options.heartbeatMs);
    response.on('error', () => this.#response.destroy());
    response.on('close', () => {
      this.#closed = true;
      clearInterval(this.#heartbeat);
      options.onClose();
    });
    this.#write(': parley\nretry: 1000\n\n');
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** `id` only on durable events: a client's cursor never points at something live. */
  send(type: string, json: string, id?: number): void {
    this.#write(
      id === undefined ? `event: ${type}\ndata: ${json}\n\n` : `id: ${id}\nevent: ${type}\ndata: ${json}\n\n`,
    );
  }

  sendObject(frame: { type: string }, id?: number): void {
    this.send(frame.type, JSON.stringify(frame), id);
  }

  end(): void {
    this.#flush();
    if (!this.#closed) this.#response.end();
  }

  /** For whoever has more to send than may wait: resolves when the client has taken what was sent, or has left. */
  async drained(): Promise<void> {
    this.#flush();
    if (this.#closed || !this.#response.writableNeedDrain) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.once('drain', resolve);
    this.#response.once('close', resolve);
    await promise;
    this.#response.off('drain', resolve).off('close', resolve);
  }

  #write(text: string): void {
    if (this.#closed) return;
    this.#pending += text;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#closed || this.#pending === '') return;
    const text = this.#pending;
    this.#pending = '';
    const waiting = this.#response.writableLength;
    if (waiting > this.#bufferBytes + this.#largest) return void this.#response.destroy();
    this.#largest = Math.max(waiting === 0 ? 0 : this.#largest, text.length);
    this.#response.write(text);
  }
}
