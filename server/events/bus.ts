import type {
  Delta,
  SessionEvent,
  ToolProgress,
  TurnPartial,
  TurnProgress,
  TurnRetrying,
} from '../../contract/events.ts';
import { toStreamedEvent } from '../../contract/streamed-messages.ts';

/** A durable event that has just been stored. All streams share its frame, which is made when the first one needs it. */
export class StoredEvent implements EventFrame {
  readonly owner: string;
  readonly event: SessionEvent;
  #frame: Frame | undefined;

  constructor(owner: string, event: SessionEvent) {
    this.owner = owner;
    this.event = event;
  }

  get sessionId(): string {
    return this.event.sessionId;
  }

  get seq(): number {
    return this.event.seq;
  }

  get position(): number {
    return this.event.position;
  }

  get frame(): Frame {
    this.#frame ??= toFrame(this.event.type, JSON.stringify(toStreamedEvent(this.event)));
    return this.#frame;
  }
}

export interface LiveDelta {
  readonly owner: string;
  readonly delta: Delta | ToolProgress | TurnProgress | TurnRetrying;
}

export interface BusListener {
  event(stored: StoredEvent): void;
  delta?(live: LiveDelta): void;
}

/**
 * Live delivery inside one process: at most once, in the order of publication. What must not be missed is in the log;
 * a listener that throws is a defect of the listener and must not stop the others.
 */
export class Bus {
  readonly #everywhere = new Set<BusListener>();
  readonly #bySession = new Map<string, Set<BusListener>>();
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  subscribe(listener: BusListener): () => void {
    this.#everywhere.add(listener);
    return () => this.#everywhere.delete(listener);
  }

  subscribeSession(sessionId: string, listener: BusListener): () => void {
    const listeners = this.#bySession.get(sessionId) ?? new Set();
    this.#bySession.set(sessionId, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#bySession.get(sessionId) === listeners) this.#bySession.delete(sessionId);
    };
  }

  publish(stored: StoredEvent): void {
    for (const listener of this.#everywhere) this.#guard(() => listener.event(stored));
    for (const listener of this.#bySession.get(stored.event.sessionId) ?? []) this.#guard(() => listener.event(stored));
  }

  publishDelta(live: LiveDelta): void {
    for (const listener of this.#everywhere) if (listener.delta) this.#guard(() => listener.delta?.(live));
    for (const listener of this.#bySession.get(live.delta.sessionId) ?? []) this.#guard(() => listener.delta?.(live));
  }

  #guard(deliver: () => void): void {
    try {
      deliver();
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

/** Where a stream that has just (re)connected learns what running turns have said so far. */
export interface PartialSource {
  partials(owner: string, wanted: (sessionId: string) => boolean): TurnPartial[];
  /** The sessions for which there are some. */
  speaking(owner: string, wanted: (sessionId: string) => boolean): Set<string>;
}

/** From this size on a frame is turned into bytes once, for all clients; smaller ones are cheaper to gather as text. */
const SHARED_BYTES = 16_384;

/** What is written to a stream: one event, or one piece of live text. */
export interface Frame {
  readonly content: string | Buffer;
  readonly bytes: number;
}

export function toFrame(type: string, json: string): Frame {
  const content = `event: ${type}\ndata: ${json}\n\n`;
  const bytes = Buffer.byteLength(content);
  return { content: bytes < SHARED_BYTES ? content : Buffer.from(content), bytes };
}

/** A durable event as streams need it. */
export interface EventFrame {
  readonly sessionId: string;
  readonly seq: number;
  readonly position: number;
  readonly frame: Frame;
}
