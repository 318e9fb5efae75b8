import type { SessionEvent } from '../../contract/events.ts';
import { toStreamedEvent } from '../../contract/streamed-messages.ts';
import type { Receipt, Turn } from '../../contract/turns.ts';
import type { LiveDelta, StoredEvent } from '../events/bus.ts';
import { loadSession } from '../sessions/store.ts';
import { toSession } from '../sessions/views.ts';
import type { TurnEngine } from '../turns/engine.ts';
import { readTurn } from '../turns/read.ts';
import type { SseConnection } from './sse.ts';

/** Streams the turns a message began, and those inside them, to the client that sent it; ends when they are over. */
export class TurnStream {
  readonly #connection: () => SseConnection;
  readonly #before: (StoredEvent | LiveDelta)[] = [];
  readonly #over = Promise.withResolvers<void>();
  /** Those it ends with; null until the message is accepted. */
  #awaited: Set<string> | null = null;
  readonly #followed = new Set<string>();
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
      const awaited = receipt.duplicate ? await this.#sendAgain(engine, owner, receipt) : receipt.turns;
      this.#awaited = new Set(awaited.map(({ id }) => id));
      for (const id of this.#awaited) this.#followed.add(id);
      if (awaited.length === 0) this.#over.resolve();
      for (const item of this.#before.splice(0)) this.#receive(item);
      await this.#over.promise;
    } finally {
      unsubscribe();
      this.#opened?.end();
    }
  }

  /**
   * A repeated send of a message that is already being answered, or has been. These frames tell what is so, not what
   * happens: they are numbered 0, so that a client that follows the numbers skips them. Gives the turns that go on.
   */
  async #sendAgain(engine: TurnEngine, owner: string, { turns, message }: Receipt): Promise<Turn[]> {
    const { sessionId } = message;
    const { status } = toSession(await loadSession(engine.log.db, owner, sessionId));
    const tell = (type: SessionEvent['type'], at: string, facts: object) =>
      this.#opened?.sendObject(toStreamedEvent({ type, sessionId, seq: 0, position: 0, at, ...facts } as SessionEvent));
    const open: Turn[] = [];
    for (const { id } of turns) {
      const { turn, answer } = await readTurn(engine.log, owner, id);
      if (turn.startedAt === null) tell('turn.queued', turn.createdAt, { turn, status, message });
      else tell('turn.started', turn.startedAt, { turn, status, message });
      if (turn.endedAt === null) {
        this.#sendPartials(engine, owner, turn);
        open.push(turn);
        continue;
      }
      if (answer) tell('message.created', answer.createdAt, { message: answer });
      tell('turn.settled', turn.endedAt, { turn, status, message: null });
    }
    return open;
  }

  /** While a turn runs, every partial of its session belongs to that turn or to a turn nested in it. */
  #sendPartials(engine: TurnEngine, owner: string, { startedAt, sessionId }: Turn): void {
    if (startedAt === null) return;
    for (const partial of engine.partials(owner, (wanted) => wanted === sessionId)) {
      this.#followed.add(partial.turnId);
      this.#opened?.sendObject(partial);
    }
  }

  #receive(item: StoredEvent | LiveDelta): void {
    if (this.#awaited === null) {
      this.#before.push(item);
      return;
    }
    if ('delta' in item) {
      if (this.#followed.has(item.delta.turnId)) this.#opened?.sendObject(item.delta);
      return;
    }
    this.#noteNested(item.event);
    const turnId = turnOf(item.event);
    if (turnId !== null && !this.#followed.has(turnId)) return;
    this.#opened?.send(item.frame, item.seq);
    if (turnId === null) this.#over.resolve();
    else if (ENDINGS.has(item.event.type) && this.#awaited.delete(turnId) && this.#awaited.size === 0)
      this.#over.resolve();
  }

  /** A delegate that answers in the same session belongs to what the message began. */
  #noteNested(event: SessionEvent): void {
    if (event.type !== 'turn.started' || !event.turn.parentTurnId) return;
    if (this.#followed.has(event.turn.parentTurnId)) this.#followed.add(event.turn.id);
  }
}

const ENDINGS = new Set(['turn.settled', 'turn.removed']);

/** The turn an event is about. Null: the session is wiped or gone, and every turn with it; '' when it is about none. */
function turnOf(event: SessionEvent): string | null {
  if (event.type === 'session.deleted' || event.type === 'session.cleared') return null;
  if ('turn' in event) return event.turn.id;
  if ('call' in event) return event.call.turnId;
  if ('action' in event) return event.action.turnId;
  if ('delegation' in event) return event.delegation.parentTurnId;
  if (event.type === 'message.created') return event.message.turnId ?? '';
  return event.type === 'turn.removed' ? event.turnId : '';
}
