import type { Delta, SessionEvent, StreamFrame, TurnPartial } from '../../contract/events.ts';
import type { Receipt, Turn } from '../../contract/turns.ts';
import type { LiveDelta, StoredEvent } from '../events/bus.ts';
import { loadSession } from '../sessions/store.ts';
import { readMessage } from '../sessions/transcript.ts';
import { toSession } from '../sessions/views.ts';
import { readTurn } from '../turns/read.ts';
import type { RouteDeps } from './route-deps.ts';

/** What a follower of turns is told, in the order in which it happens. */
export interface TurnListener {
  /** The message is accepted. Before that nothing is told, and an error is an ordinary answer. */
  accepted(receipt: Receipt): void;
  /** Something was stored. */
  stored(event: StoredEvent): void;
  /** Something is under way, which is not stored. */
  live(frame: LiveDelta['delta'] | TurnPartial): void;
  /** Something was so before the following began: an event numbered 0, made up for the listener. */
  known(event: SessionEvent): void;
}

type FollowDeps = Pick<RouteDeps, 'log' | 'turns'>;

/**
 * Tells a listener about the turns that a message begins, and about the turns nested in them, until they are over or the
 * signal aborts. Following does not keep a turn running, and its end does not stop one.
 */
export async function followTurns(
  deps: FollowDeps,
  { owner, sessionId }: { owner: string; sessionId: string },
  accept: () => Promise<Receipt>,
  listener: TurnListener,
  signal?: AbortSignal,
): Promise<void> {
  const follower = new TurnFollower(listener);
  // Before the message is accepted, so that not even the first word is missed.
  const unsubscribe = deps.log.bus.subscribeSession(sessionId, {
    event: (stored) => follower.receive(stored),
    delta: (live) => follower.receive(live),
  });
  const leave = () => follower.end();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    const receipt = await accept();
    listener.accepted(receipt);
    await follower.follow(receipt.duplicate ? await tellAgain(deps, owner, receipt, follower) : receipt.turns);
  } finally {
    signal?.removeEventListener('abort', leave);
    unsubscribe();
  }
}

/** The receipt of a turn that exists, as if its message had just been sent a second time. */
export async function receiptOf(deps: FollowDeps, owner: string, turnId: string): Promise<Receipt> {
  const { turn, answer } = await readTurn(deps.log, owner, turnId);
  const message = await readMessage(deps.log.db, owner, turn.messageId);
  return { turn, turns: [turn], message, answer, duplicate: true };
}

/**
 * A repeated send of a message that is already being answered, or has been. These frames tell what is so, not what
 * happens: they are numbered 0, so that a client that follows the numbers skips them. Gives the turns that go on.
 */
async function tellAgain(
  deps: FollowDeps,
  owner: string,
  { turns, message }: Receipt,
  follower: TurnFollower,
): Promise<Turn[]> {
  const { sessionId } = message;
  const { status } = toSession(await loadSession(deps.log.db, owner, sessionId));
  const tell = (type: SessionEvent['type'], at: string, facts: object) =>
    follower.tell({ type, sessionId, seq: 0, position: 0, at, ...facts } as SessionEvent);
  const open: Turn[] = [];
  for (const { id } of turns) {
    const { turn, answer } = await readTurn(deps.log, owner, id);
    if (turn.startedAt === null) tell('turn.queued', turn.createdAt, { turn, status, message });
    else tell('turn.started', turn.startedAt, { turn, status, message });
    if (turn.endedAt === null) {
      if (turn.startedAt !== null) follower.tellPartials(deps.turns.partials(owner, (wanted) => wanted === sessionId));
      open.push(turn);
      continue;
    }
    if (answer) tell('message.created', answer.createdAt, { message: answer });
    tell('turn.settled', turn.endedAt, { turn, status, message: null });
  }
  return open;
}

class TurnFollower {
  readonly #listener: TurnListener;
  readonly #before: (StoredEvent | LiveDelta)[] = [];
  readonly #over = Promise.withResolvers<void>();
  /** The turns it ends with; null until they are known. */
  #awaited: Set<string> | null = null;
  readonly #followed = new Set<string>();

  constructor(listener: TurnListener) {
    this.#listener = listener;
  }

  async follow(turns: readonly Turn[]): Promise<void> {
    this.#awaited = new Set(turns.map(({ id }) => id));
    for (const id of this.#awaited) this.#followed.add(id);
    if (turns.length === 0) this.end();
    for (const item of this.#before.splice(0)) this.receive(item);
    await this.#over.promise;
  }

  end(): void {
    this.#over.resolve();
  }

  tell(event: SessionEvent): void {
    this.#listener.known(event);
  }

  /** While a turn runs, every partial of its session belongs to that turn or to a turn nested in it. */
  tellPartials(partials: readonly TurnPartial[]): void {
    for (const partial of partials) {
      this.#followed.add(partial.turnId);
      this.#listener.live(partial);
    }
  }

  receive(item: StoredEvent | LiveDelta): void {
    if (this.#awaited === null) return void this.#before.push(item);
    if ('delta' in item) {
      if (this.#followed.has(item.delta.turnId)) this.#listener.live(item.delta);
      return;
    }
    this.#noteNested(item.event);
    const turnId = turnOf(item.event);
    if (turnId !== null && !this.#followed.has(turnId)) return;
    this.#listener.stored(item);
    if (turnId === null) this.end();
    else if (ENDINGS.has(item.event.type) && this.#awaited.delete(turnId) && this.#awaited.size === 0) this.end();
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

/**
 * The same as frames to iterate over. What the reader has not taken yet waits: text that goes on where the waiting text
 * ends is added to it, so that no more waits than the turns have said. Leaving the loop ends the following.
 */
export async function* turnFrames(
  deps: FollowDeps,
  session: { owner: string; sessionId: string },
  accept: () => Promise<Receipt>,
): AsyncGenerator<StreamFrame> {
  const queue = new FrameQueue();
  const left = new AbortController();
  const listener: TurnListener = {
    accepted: () => undefined,
    stored: ({ event }) => queue.add(event),
    live: (frame) => queue.add(frame),
    known: (event) => queue.add(event),
  };
  const following = followTurns(deps, session, accept, listener, left.signal).finally(() => queue.close());
  // Awaited below, once the reader has taken everything.
  following.catch(() => undefined);
  try {
    yield* queue.frames();
    await following;
  } finally {
    left.abort();
  }
}

class FrameQueue {
  readonly #waiting: StreamFrame[] = [];
  #more = Promise.withResolvers<void>();
  #isClosed = false;

  add(frame: StreamFrame): void {
    const last = this.#waiting.at(-1);
    if (last?.type === 'delta' && frame.type === 'delta' && continues(last, frame))
      this.#waiting[this.#waiting.length - 1] = { ...last, text: last.text + frame.text };
    else this.#waiting.push(frame);
    this.#more.resolve();
  }

  close(): void {
    this.#isClosed = true;
    this.#more.resolve();
  }

  async *frames(): AsyncGenerator<StreamFrame> {
    for (;;) {
      const frame = this.#waiting.shift();
      if (frame) yield frame;
      else if (this.#isClosed) return;
      else {
        await this.#more.promise;
        this.#more = Promise.withResolvers();
      }
    }
  }
}

function continues(before: Delta, next: Delta): boolean {
  const isSamePart = before.turnId === next.turnId && before.after === next.after && before.part === next.part;
  return isSamePart && before.kind === next.kind && before.offset + before.text.length === next.offset;
}
