import type { ServerResponse } from 'node:http';
import { type Frame, toFrame } from '../events/bus.ts';

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  Connection: 'keep-alive',
};

export interface SseOptions {
  /** How much may wait for a client. A single frame that is larger is sent when nothing else waits. */
  bufferBytes: number;
  heartbeatMs: number;
  onClose: () => void;
}

/** A client that takes nothing for so many heartbeats is disconnected; it can resume from its cursor. */
const STALLED_HEARTBEATS = 8;

/**
 * One client of an event stream. Frames written in one turn of the event loop leave in one system call. What waits for
 * the client is counted before a frame is added, and bounded.
 */
export class SseConnection {
  readonly #response: ServerResponse;
  readonly #bufferBytes: number;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #pending: (string | Buffer)[] = [];
  #pendingBytes = 0;
  #isScheduled = false;
  #isClosed = false;
  #stalledFor = 0;
  /** The largest batch since the client was last up to date. */
  #largest = 0;

  constructor(response: ServerResponse, options: SseOptions) {
    this.#response = response;
    this.#bufferBytes = options.bufferBytes;
    response.writeHead(200, HEADERS);
    response.socket?.setNoDelay(true);
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs);
    response.on('error', () => this.#response.destroy());
    response.on('drain', () => {
      this.#stalledFor = 0;
    });
    response.on('close', () => {
      this.#isClosed = true;
      clearInterval(this.#heartbeat);
      options.onClose();
    });
    this.#add(': parley\nretry: 1000\n\n');
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Sends a frame, unless more would wait for the client than may: then it says false, and the stream goes on from the
   * log once the client has caught up. `id` only on durable events: a client's cursor never points at something live.
   */
  offer({ content, bytes }: Frame, id?: number | string): boolean {
    if (this.#isClosed) return true;
    if (!this.#isUpToDate && this.#waitingBytes + bytes > this.#bufferBytes) return false;
    if (id !== undefined) this.#add(`id: ${id}\n`);
    this.#add(content, bytes);
    return true;
  }

  /**
   * For a stream that cannot go on from the log: a client is disconnected when more waits for it than may, beside the
   * largest batch of frames that it was sent at once.
   */
  send(frame: Frame, id?: number | string): void {
    if (this.offer(frame, id)) return;
    if (this.#response.writableLength > this.#bufferBytes + this.#largest) return void this.#response.destroy();
    if (id !== undefined) this.#add(`id: ${id}\n`);
    this.#add(frame.content, frame.bytes);
  }

  /** Tells the client where it is, without an event. */
  sendId(id: string): void {
    this.#add(`id: ${id}\n\n`);
  }

  sendObject(frame: { type: string }, id?: number | string): void {
    this.send(toFrame(frame.type, JSON.stringify(frame)), id);
  }

  end(): void {
    this.#flush();
    if (!this.#isClosed) this.#response.end();
  }

  /** Resolves when the client has taken what was sent, or has left. From then on any one frame fits. */
  async drained(): Promise<void> {
    this.#flush();
    if (this.#isClosed || !this.#response.writableNeedDrain) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.once('drain', resolve);
    this.#response.once('close', resolve);
    await promise;
    this.#response.off('drain', resolve).off('close', resolve);
  }

  get #isUpToDate(): boolean {
    return this.#pendingBytes === 0 && !this.#response.writableNeedDrain;
  }

  get #waitingBytes(): number {
    return this.#pendingBytes + this.#response.writableLength;
  }

  #beat(): void {
    if (this.#response.writableNeedDrain) this.#stalledFor += 1;
    else this.#add(': ping\n\n');
    if (this.#stalledFor >= STALLED_HEARTBEATS) this.#response.destroy();
  }

  /** Small frames are gathered into one text; large ones are bytes that all clients share. */
  #add(content: string | Buffer, bytes = content.length): void {
    if (this.#isClosed) return;
    const last = this.#pending.length - 1;
    if (typeof content === 'string' && typeof this.#pending[last] === 'string') this.#pending[last] += content;
    else this.#pending.push(content);
    this.#pendingBytes += bytes;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    if (this.#isClosed || this.#pending.length === 0) return;
    const pending = this.#pending.splice(0);
    this.#largest = Math.max(this.#response.writableNeedDrain ? this.#largest : 0, this.#pendingBytes);
    this.#pendingBytes = 0;
    if (pending.length === 1) return void this.#response.write(pending[0]!);
    this.#response.cork();
    for (const content of pending) this.#response.write(content);
    this.#response.uncork();
  }
}
