import type { ConfigurationState } from '../../contract/agents.ts';
import { AppError } from '../../contract/errors.ts';
import type { PartialSource, StoredEvent } from '../events/bus.ts';
import type { FeedListener, GatheredDelta, SharedFeed } from '../events/shared-feed.ts';
import { eventsAfterPosition, eventsAfterSeq, newestPosition, prunedPosition } from '../events/store.ts';
import { loadSession } from '../sessions/store.ts';
import type { Db } from '../storage/sqlite.ts';
import type { SseConnection } from './sse.ts';

/** What of the log one stream shows, and how it counts it. */
export interface StreamView {
  wants(sessionId: string): boolean;
  /** The number a client resumes from. */
  idOf(stored: StoredEvent): number;
  /** Events after a number, one page, oldest first. */
  read(after: number): Promise<StoredEvent[]>;
  /** Where a stream without a cursor begins, and the oldest cursor that can be resumed. */
  bounds(): Promise<{ newest: number; oldest: number }>;
}

export function allSessionsView(db: Db, owner: string, only: ReadonlySet<string> | null): StreamView {
  return {
    wants: (sessionId) => only === null || only.has(sessionId),
    idOf: (stored) => stored.event.position,
    read: (after) => eventsAfterPosition(db, owner, after),
    bounds: async () => ({ newest: await newestPosition(db), oldest: await prunedPosition(db) }),
  };
}

export async function oneSessionView(db: Db, owner: string, sessionId: string): Promise<StreamView> {
  await loadSession(db, owner, sessionId);
  return {
    wants: (id) => id === sessionId,
    idOf: (stored) => stored.event.seq,
    read: (after) => eventsAfterSeq(db, sessionId, after),
    bounds: async () => {
      const session = await loadSession(db, owner, sessionId);
      return { newest: session.event_seq, oldest: session.event_floor };
    },
  };
}

const MOST_HELD_BACK = 5000;

/**
 * One client's view of what happens: durable events after its cursor, then what running turns have said so far, then
 * everything live. Live events that arrive during the replay are held back, and read from the log if they are too many.
 */
export class SharedStream implements FeedListener {
  readonly #connection: SseConnection;
  readonly #owner: string;
  readonly #view: StreamView;
  readonly #deltas: boolean;
  #heldBack: StoredEvent[] | null = [];
  #cursor = 0;

  constructor(connection: SseConnection, owner: string, view: StreamView, deltas: boolean) {
    this.#connection = connection;
    this.#owner = owner;
    this.#view = view;
    this.#deltas = deltas;
  }

  async begin(feed: SharedFeed, partials: PartialSource, after: number | undefined): Promise<() => void> {
    const unsubscribe = feed.subscribe(this);
    try {
      await this.#catchUp(after);
      this.#goLive(partials);
    } catch (error) {
      unsubscribe();
      this.#connection.end();
      if (!(error instanceof AppError)) throw error;
    }
    return unsubscribe;
  }

  async #catchUp(after: number | undefined): Promise<void> {
    const { newest, oldest } = await this.#view.bounds();
    this.#cursor = after ?? newest;
    if (this.#cursor > newest || this.#cursor < oldest) {
      this.#cursor = newest;
      this.#connection.sendObject({ type: 'reset', position: newest } as { type: string }, newest);
    }
    while (!this.#connection.isClosed) {
      if (this.#heldBack!.length > MOST_HELD_BACK) this.#heldBack = [];
      const page = await this.#view.read(this.#cursor);
      for (const stored of page) this.#deliver(stored);
      if (page.length === 0 && this.#heldBack!.length <= MOST_HELD_BACK) return;
      // The past is as long as it is; the client sets the pace at which it is told.
      await this.#connection.drained();
    }
  }

  /** Nothing is awaited here, so nothing can slip in between the last held-back event and the first live one. */
  #goLive(partials: PartialSource): void {
    const heldBack = this.#heldBack ?? [];
    this.#heldBack = null;
    for (const stored of heldBack) this.event(stored);
    if (!this.#deltas) return;
    for (const partial of partials.partials(this.#owner, this.#view.wants)) this.#connection.sendObject(partial);
  }

  event(stored: StoredEvent): void {
    if (stored.owner !== this.#owner || !this.#view.wants(stored.event.sessionId)) return;
    if (this.#heldBack) this.#holdBack(this.#heldBack, stored);
    else this.#deliver(stored);
  }

  /** One too many says that they are to be read from the log. */
  #holdBack(heldBack: StoredEvent[], stored: StoredEvent): void {
    if (heldBack.length <= MOST_HELD_BACK) heldBack.push(stored);
  }

  #deliver(stored: StoredEvent): void {
    const id = this.#view.idOf(stored);
    if (id <= this.#cursor) return;
    this.#cursor = id;
    if (this.#view.wants(stored.event.sessionId)) this.#connection.send(stored.event.type, stored.json, id);
  }

  deltas(batch: readonly GatheredDelta[]): void {
    if (this.#heldBack || !this.#deltas) return;
    for (const { owner, sessionId, type, json } of batch) {
      if (owner === this.#owner && this.#view.wants(sessionId)) this.#connection.send(type, json);
    }
  }

  configurationChanged(configuration: ConfigurationState): void {
    this.#connection.sendObject({ type: 'configuration.changed', configuration } as { type: string });
  }

  templatesChanged(owner: string): void {
    if (owner === this.#owner) this.#connection.sendObject({ type: 'templates.changed' });
  }

  stopping(): void {
    this.#connection.sendObject({ type: 'server.stopping' });
    this.#connection.end();
  }
}
