import type { Receipt } from '../../contract/turns.ts';
import type { LiveDelta, StoredEvent } from '../events/bus.ts';
import type { TurnEngine } from '../turns/engine.ts';
import type { SseConnection } from './sse.ts';

/** Streams one turn to the client that asked for it, token by token, and ends with it. */
export class TurnStream {
  readonly #connection: () => SseConnection;
  readonly #before: (StoredEvent | LiveDelta)[] = [];
  readonly #over = Promise.withResolvers<void>();
  #turnId: string | null = null;
  #opened: SseConnection | undefined;

  /** The connection is opened only once the message is accepted: before that, an error is an ordinary answer. */
  constructor(connection: () => SseConnection) {
    this.#connection = connection;
  }

  /** Listens before the message is accepted, so that not even the first word is missed. */
  async begin(engine: TurnEngine, sessionId: string, owner: string, accept: () => Promise<Receipt>): Promise<void> {
    const unsubscribe = engine.log.bus.subscribeSession(sessionId, {
      event: (stored) => this.#receive(stored),
      delta: (live) => this.#receive(live),
    });
    try {
      const receipt = await accept();
      this.#opened = this.#connection();
      if (receipt.duplicate) await this.#sendAgain(engine, owner, receipt);
      this.#turnId = receipt.turn.id;
      for (const item of this.#before.splice(0)) this.#receive(item);
      await this.#over.promise;
    } finally {
      unsubscribe();
      this.#opened?.end();
    }
  }

  /** A repeated send of a message that is already being answered, or has been. */
  async #sendAgain(engine: TurnEngine, owner: string, { turn, message }: Receipt): Promise<void> {
    const known = await engine.get(owner, turn.id);
    this.#opened?.sendObject({ type: 'turn.started', turn: known.turn, message } as { type: string });
    const [partial] = engine.partials(owner, (id) => id === turn.sessionId);
    if (partial?.turnId === turn.id) this.#opened?.sendObject(partial);
    if (known.turn.endedAt === null) return;
    if (known.answer) this.#opened?.sendObject({ type: 'message.created', message: known.answer } as { type: string });
    this.#opened?.sendObject({ type: 'turn.settled', turn: known.turn, message: null } as { type: string });
    this.#over.resolve();
  }

  #receive(item: StoredEvent | LiveDelta): void {
    if (this.#turnId === null) {
      this.#before.push(item);
      return;
    }
    if ('delta' in item) {
      if (item.delta.turnId === this.#turnId) this.#opened?.send('delta', JSON.stringify(item.delta));
    } else if (isAbout(item, this.#turnId)) {
      this.#opened?.send(item.event.type, item.json, item.event.seq);
      if (ENDINGS.has(item.event.type)) this.#over.resolve();
    }
  }
}

const ENDINGS = new Set(['turn.settled', 'turn.removed', 'session.cleared', 'session.deleted']);

function isAbout({ event }: StoredEvent, turnId: string): boolean {
  if (event.type === 'message.created') return event.message.turnId === turnId;
  if (event.type === 'turn.removed') return event.turnId === turnId;
  if (event.type === 'session.deleted' || event.type === 'session.cleared') return true;
  return 'turn' in event && event.turn.id === turnId;
}
