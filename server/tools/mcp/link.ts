import type { McpServerInfo } from '../../../contract/tools.ts';
import { describeFailure, ServerFailure } from './failure.ts';

/** What can be opened and closed again. */
export interface Closable {
  close(): Promise<void>;
}

export interface LinkDeps<Connection extends Closable> {
  /** Stops when the signal aborts. `onLost` says that what was opened has ended by itself. */
  open(signal: AbortSignal, onLost: (reason: string) => void): Promise<Connection>;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  onTrouble(problem: string, error: unknown): void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A connection that was open this long did not fail at the start. */
const STEADY_MS = 60_000;

/**
 * The way to one server: opened when it is first needed, and again when it is needed after it was lost; then, after every
 * failure, with a longer pause before.
 */
export class Link<Connection extends Closable> {
  readonly #deps: LinkDeps<Connection>;
  readonly #life = new AbortController();
  #hurry = new AbortController();
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #state: McpServerInfo['state'] = 'idle';
  #error: string | null = null;
  #attempts = 0;
  #failures = 0;
  #openedAt = 0;
  #notBefore = 0;

  constructor(deps: LinkDeps<Connection>) {
    this.#deps = deps;
  }

  get state(): McpServerInfo['state'] {
    return this.#state;
  }

  get error(): string | null {
    return this.#error;
  }

  get restarts(): number {
    return Math.max(0, this.#attempts - 1);
  }

  /** It has failed, and it is too early to try again. */
  get isResting(): boolean {
    return this.#pauseMs() > 0;
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Rejects with `ServerFailure`. */
  async get(): Promise<Connection> {
    if (this.#life.signal.aborted) throw new ServerFailure('It was stopped.');
    if (this.#connection) return this.#connection;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Closes the open connection, so that the next caller opens a new one at once. */
  async drop(which: unknown = this.#connection): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || connection !== which) return;
    this.#connection = undefined;
    this.#state = 'idle';
    await connection.close();
  }

  /** Without a pause, whatever has happened before. */
  async restart(): Promise<Connection> {
    this.#failures = 0;
    this.#notBefore = 0;
    this.#hurry.abort();
    if (!this.#opening) await this.drop();
    return this.get();
  }

  async stop(): Promise<void> {
    this.#life.abort(new ServerFailure('It was stopped.'));
    this.#state = 'stopped';
    await this.#opening?.catch(() => undefined);
    await this.#connection?.close();
    this.#connection = undefined;
    this.#state = 'stopped';
  }

  async #open(): Promise<Connection> {
    const { signal } = this.#life;
    try {
      await this.#rest(signal);
      this.#state = 'starting';
      this.#attempts++;
      return await this.#keep(signal);
    } catch (error) {
      const reason = describeFailure(error);
      if (!signal.aborted) this.#fail(reason, error);
      throw new ServerFailure(reason);
    }
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const pause = this.#pauseMs();
    if (pause === 0) return;
    this.#hurry = new AbortController();
    await this.#deps.wait(pause, AbortSignal.any([signal, this.#hurry.signal])).catch(() => undefined);
    signal.throwIfAborted();
  }

  async #keep(signal: AbortSignal): Promise<Connection> {
    let opened: Connection | undefined;
    opened = await this.#deps.open(signal, (reason) => this.#noteLoss(opened, reason));
    if (signal.aborted) {
      await opened.close();
      throw signal.reason;
    }
    this.#connection = opened;
    this.#openedAt = performance.now();
    this.#state = 'ready';
    this.#error = null;
    return opened;
  }

  #noteLoss(connection: Connection | undefined, reason: string): void {
    if (connection === undefined || connection !== this.#connection) return;
    this.#connection = undefined;
    if (performance.now() - this.#openedAt > STEADY_MS) this.#failures = 0;
    this.#fail(reason, new ServerFailure(reason));
  }

  #fail(reason: string, error: unknown): void {
    this.#state = 'failed';
    this.#error = reason;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures++;
    this.#notBefore = performance.now() + pause;
    this.#deps.onTrouble('failed', error);
  }

  #pauseMs(): number {
    return Math.max(0, this.#notBefore - performance.now());
  }
}
