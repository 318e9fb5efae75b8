import type { ServerResponse } from 'node:http';
import { setTimeout as sleep, setImmediate as tick } from 'node:timers/promises';
import type { Script, Step } from './scripted-script.ts';
import type { Wire } from './scripted-wire.ts';

/** Plays a script to a client. Stops quietly when the client leaves. */
export async function play(script: Script, wire: Wire, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    await new Player(script, wire, response, gone.signal).play();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

class Player {
  readonly #script: Script;
  readonly #wire: Wire;
  readonly #response: ServerResponse;
  readonly #signal: AbortSignal;

  constructor(script: Script, wire: Wire, response: ServerResponse, signal: AbortSignal) {
    this.#script = script;
    this.#wire = wire;
    this.#response = response;
    this.#signal = signal;
  }

  async play(): Promise<void> {
    const { status, headers = {}, body = '', delayMs, steps = [] } = this.#script;
    if (delayMs) await this.#sleep(delayMs);
    if (status !== undefined) return void this.#response.writeHead(status, headers).end(body);
    this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
    await this.#write(this.#wire.open());
    for (const step of steps) if (!this.#signal.aborted) await this.#step(step);
    await this.#write(this.#ending());
    this.#response.end();
  }

  #ending(): string {
    const { finish, done = 1, steps = [], usage = { input: 10, output: 5 } } = this.#script;
    if (finish === null) return this.#wire.done().repeat(done);
    const called = steps.some(({ kind }) => kind === 'toolCall');
    const end = this.#wire.finish(finish ?? (called ? 'tool_calls' : 'stop'), usage);
    return end + this.#wire.done().repeat(done);
  }

  #step(step: Step): Promise<void> | void {
    switch (step.kind) {
      case 'text':
        return this.#write(this.#wire.text(step.text));
      case 'reasoning':
        return this.#write(this.#wire.reasoning(step.text));
      case 'toolCall':
        return this.#write(this.#wire.toolCall(step.id ?? 'call_1', step.name, cut(step.input, step.pieces ?? 2)));
      case 'repeat':
        return this.#repeat(step);
      case 'wait':
        return this.#sleep(step.ms);
      case 'gate':
        return this.#hold(step.until);
      case 'ping':
        return this.#write(this.#wire.ping());
      case 'stall':
        return this.#stall(step.pingMs);
      case 'raw':
        return this.#write(step.bytes);
      case 'error':
        return this.#write(this.#wire.error(step.message, step.type, step.code));
      case 'reset':
        return this.#reset();
    }
  }

  async #repeat({ text, count, delayMs = 0, perWrite = 1 }: Extract<Step, { kind: 'repeat' }>): Promise<void> {
    await this.#write(this.#wire.text(text));
    const bytes = Buffer.from(this.#wire.text(text).repeat(perWrite));
    for (let left = count - 1; left > 0 && !this.#signal.aborted; left -= perWrite) {
      if (delayMs > 0) await this.#sleep(delayMs);
      await this.#write(left >= perWrite ? bytes : this.#wire.text(text).repeat(left));
    }
  }

  async #stall(pingMs: number | undefined): Promise<void> {
    while (!this.#signal.aborted) {
      await this.#sleep(pingMs ?? 2 ** 31 - 1);
      await this.#write(this.#wire.ping());
    }
  }

  async #hold(until: Promise<unknown>): Promise<void> {
    const left = Promise.withResolvers<void>();
    const leave = () => left.resolve();
    this.#signal.addEventListener('abort', leave);
    await Promise.race([until, left.promise]);
    this.#signal.removeEventListener('abort', leave);
  }

  /** What was written must have left before the connection breaks, or the client never sees it. */
  async #reset(): Promise<void> {
    await this.#sleep(20);
    this.#response.socket?.resetAndDestroy();
    this.#signal.throwIfAborted();
    await this.#stall(undefined);
  }

  #sleep(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#signal });
  }

  #write(data: string | Uint8Array): Promise<void> | void {
    if (this.#signal.aborted || data.length === 0) return;
    const { chunkBytes, crlf } = this.#script;
    const bytes = crlf && typeof data === 'string' ? data.replaceAll('\n', '\r\n') : data;
    if (chunkBytes) return this.#writeInPieces(Buffer.from(bytes as string), chunkBytes);
    if (!this.#response.write(bytes)) return this.#drained();
  }

  async #writeInPieces(bytes: Buffer, size: number): Promise<void> {
    for (let at = 0; at < bytes.length; at += size) {
      this.#response.write(bytes.subarray(at, at + size));
      await tick();
    }
  }

  async #drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.once('drain', resolve);
    this.#response.once('close', resolve);
    await promise;
    this.#response.off('drain', resolve).off('close', resolve);
  }
}

function cut(text: string, pieces: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}
