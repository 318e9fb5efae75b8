import type { Delta, ToolProgress, TurnProgress, TurnRetrying } from '../../contract/events.ts';
import { type Bus, type Frame, type LiveDelta, type StoredEvent, toFrame } from './bus.ts';

type Newest = ToolProgress | TurnProgress | TurnRetrying;

export interface GatheredDelta {
  readonly owner: string;
  readonly sessionId: string;
  /** Shared by all clients. */
  readonly frame: Frame;
}

export interface FeedListener {
  event(stored: StoredEvent): void;
  deltas(batch: readonly GatheredDelta[]): void;
}

/**
 * What the shared streams read: durable events at once, deltas gathered per session over a short window. Before an event
 * goes out, what its session has gathered does, so that no reader sees an ending before what led to it.
 */
export class SharedFeed {
  readonly #bus: Bus;
  readonly #windowMs: number;
  readonly #listeners = new Set<FeedListener>();
  /** One turn runs at a time in a session, so the session is key enough. */
  readonly #gathered = new Map<string, { owner: string; delta: Delta }>();
  /** Per session: of the progress of a call or a turn, and of a turn's retries, only the newest matters. */
  readonly #newest = new Map<string, Map<string, { owner: string; delta: Newest }>>();
  #unsubscribe: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(bus: Bus, windowMs: number) {
    this.#bus = bus;
    this.#windowMs = windowMs;
  }

  /** The feed costs nothing per token while it has no listener. */
  subscribe(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    this.#unsubscribe ??= this.#bus.subscribe({
      event: (stored) => this.#forward(stored),
      delta: (live) => this.#gather(live),
    });
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  #forward(stored: StoredEvent): void {
    this.#flushSession(stored.event.sessionId);
    for (const listener of this.#listeners) listener.event(stored);
  }

  #gather({ owner, delta }: LiveDelta): void {
    if (delta.type === 'delta') this.#gatherText(owner, delta);
    else this.#keepNewest(owner, delta);
    if (this.#windowMs === 0) this.#flushAll();
    else this.#timer ??= setTimeout(() => this.#flushAll(), this.#windowMs);
  }

  #keepNewest(owner: string, delta: Newest): void {
    const newest = this.#newest.get(delta.sessionId) ?? new Map();
    this.#newest.set(delta.sessionId, newest.set(newestKey(delta), { owner, delta }));
  }

  #gatherText(owner: string, delta: Delta): void {
    // A turn that speaks no longer waits for a retry.
    this.#newest.get(delta.sessionId)?.delete(`turn.retrying ${delta.turnId}`);
    const gathered = this.#gathered.get(delta.sessionId);
    if (gathered?.delta.turnId === delta.turnId && gathered.delta.part === delta.part) {
      gathered.delta.text += delta.text;
      return;
    }
    if (gathered) this.#flushText(gathered);
    this.#gathered.set(delta.sessionId, { owner, delta: { ...delta } });
  }

  #flushSession(sessionId: string): void {
    const gathered = this.#gathered.get(sessionId);
    if (gathered) this.#flushText(gathered);
    const newest = this.#newest.get(sessionId);
    if (!newest) return;
    this.#newest.delete(sessionId);
    if (newest.size > 0) this.#send([...newest.values()].map(toGathered));
  }

  #flushText(gathered: { owner: string; delta: Delta }): void {
    this.#gathered.delete(gathered.delta.sessionId);
    this.#send([toGathered(gathered)]);
  }

  #flushAll(): void {
    this.#timer = undefined;
    const newest = [...this.#newest.values()].flatMap((ofSession) => [...ofSession.values()]);
    const batch = [...this.#gathered.values(), ...newest].map(toGathered);
    this.#gathered.clear();
    this.#newest.clear();
    if (batch.length > 0) this.#send(batch);
  }

  #send(batch: readonly GatheredDelta[]): void {
    for (const listener of this.#listeners) listener.deltas(batch);
  }

  #stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#gathered.clear();
    this.#newest.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function toGathered({ owner, delta }: LiveDelta): GatheredDelta {
  return { owner, sessionId: delta.sessionId, frame: toFrame(delta.type, JSON.stringify(delta)) };
}

/** Of frames with the same key only the newest is sent. */
function newestKey(delta: Newest): string {
  return `${delta.type} ${delta.type === 'tool.progress' ? delta.callId : delta.turnId}`;
}
