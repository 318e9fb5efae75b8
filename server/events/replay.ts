import type { SessionEvent } from '../../contract/events.ts';
import { toStreamedEvent } from '../../contract/streamed-messages.ts';
import type { Db } from '../storage/tables.ts';
import { type Bus, type EventFrame, toFrame } from './bus.ts';
import { type EventPositionsPage, eventsAt, positionsAfter, positionsAfterSeq } from './store.ts';

const KEPT_BYTES = 8_000_000;

export interface EventPage {
  events: EventFrame[];
  /** Nothing newer was there when it was read. */
  isLast: boolean;
}

/** Events after which the words of earlier events are others, or gone. */
const CHANGES_WORDS: ReadonlySet<SessionEvent['type']> = new Set([
  'turn.updated',
  'message.deleted',
  'session.cleared',
  'session.deleted',
]);

/**
 * Reads the log for streams that are behind, a page at a time and one page per turn of the event loop, so that any number
 * of streams can catch up while the server answers. Frames are kept for a while, because clients that lost their
 * connection together ask for the same events.
 */
export class EventReplay {
  readonly #db: Db;
  readonly #pace = new OnePerLoopTurn();
  readonly #kept = new Map<number, EventFrame>();
  #bytes = 0;

  constructor(db: Db, bus: Bus) {
    this.#db = db;
    bus.subscribe({ event: ({ event }) => CHANGES_WORDS.has(event.type) && this.#forgetAll() });
  }

  /** Events of all of an owner's sessions after a position, oldest first, one page. */
  async ofOwner(owner: string, position: number): Promise<EventPage> {
    await this.#pace.next();
    return this.#read(await positionsAfter(this.#db, owner, position));
  }

  /** Events of one session after a number, oldest first, one page. */
  async ofSession(sessionId: string, seq: number): Promise<EventPage> {
    await this.#pace.next();
    return this.#read(await positionsAfterSeq(this.#db, sessionId, seq));
  }

  async #read({ places, isLast }: EventPositionsPage): Promise<EventPage> {
    const found = new Map<number, EventFrame>();
    for (const { position } of places) {
      const kept = this.#kept.get(position);
      if (kept) found.set(position, kept);
    }
    const missing = places.filter(({ position }) => !found.has(position)).map(({ position }) => position);
    for (const event of missing.length > 0 ? await eventsAt(this.#db, missing) : [])
      found.set(event.position, this.#keep(event));
    return { events: places.flatMap(({ position }) => found.get(position) ?? []), isLast };
  }

  #keep(event: SessionEvent): EventFrame {
    const { sessionId, seq, position } = event;
    const made = { sessionId, seq, position, frame: toFrame(event.type, JSON.stringify(toStreamedEvent(event))) };
    this.#kept.set(position, made);
    this.#bytes += made.frame.bytes;
    for (const [oldest, { frame }] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= frame.bytes;
    }
    return made;
  }

  #forgetAll(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}

/** Lets pieces of work pass in the order of their arrival, one in each turn of the event loop. */
class OnePerLoopTurn {
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#waiting.shift()?.();
      this.#schedule();
    });
  }
}

/** Where a client is in a stream. Without an epoch it is a bare number, from an older client or a list. */
export interface EventCursor {
  readonly number: number;
  readonly epoch: string | null;
}

const CURSOR = /^(\d{1,15})(?:\.([0-9a-f]{16}))?$/;

export function writeEventCursor({ number, epoch }: EventCursor): string {
  return epoch === null ? String(number) : `${number}.${epoch}`;
}

export function readEventCursor(text: string): EventCursor | null {
  const [, number, epoch = null] = CURSOR.exec(text) ?? [];
  return number === undefined ? null : { number: Number(number), epoch };
}
