import { applyToActions, noteAction, type OpenActions } from '../../client/open-actions.ts';
import type { ParleyClient } from '../../client/parley-client.ts';
import {
  applyFrame,
  fromSnapshot,
  isBusy,
  type QueueEntry,
  type SessionState,
  shownMessages,
} from '../../client/session-state.ts';
import type { Action } from '../../contract/actions.ts';
import type { StreamFrame } from '../../contract/events.ts';
import { newId } from '../../contract/ids.ts';
import type { Message } from '../../contract/messages.ts';
import type { SendMessageInput, Turn } from '../../contract/turns.ts';

export interface Audience {
  /** Everything that happens, in order, after the state has taken it in. */
  frame(frame: StreamFrame): void;
  connection(state: 'open' | 'lost'): void;
}

/** A session as one person at a terminal takes part in it. Knows nothing of the terminal. */
export class Conversation {
  readonly client: ParleyClient;
  readonly sessionId: string;
  /** Messages from here whose turns are not over. */
  readonly #unanswered = new Set<string>();
  readonly #own = new Set<string>();
  readonly #ending = new AbortController();
  #state: SessionState;
  /** Asked here, or elsewhere on behalf of a turn here. */
  #actions: OpenActions;
  #isWatching = false;

  private constructor(client: ParleyClient, { state, actions }: Loaded) {
    this.client = client;
    this.sessionId = state.sessionId;
    this.#state = state;
    this.#actions = actions;
  }

  static async enter(client: ParleyClient, sessionId: string): Promise<Conversation> {
    return new Conversation(client, await load(client, sessionId));
  }

  get primary(): string | null {
    return this.#state.session?.agentId ?? null;
  }

  get isBusy(): boolean {
    return this.#unanswered.size > 0 || isBusy(this.#state);
  }

  get isDeleted(): boolean {
    return this.#state.deleted;
  }

  get queue(): readonly QueueEntry[] {
    return this.#state.queue;
  }

  /** What waits for the person, oldest first. */
  get actions(): Action[] {
    return [...this.#actions.values()];
  }

  get messages(): Message[] {
    return shownMessages(this.#state);
  }

  get lastTurn(): Turn | undefined {
    return [...this.#state.turns.values()].findLast((turn) => !this.isNested(turn));
  }

  /** False for a message that was sent from here or has been asked about before: it need not be shown again. */
  isNews(message: Message): boolean {
    if (this.#own.has(message.id)) return false;
    this.#own.add(message.id);
    return true;
  }

  /** A turn that works for another turn of this session, which reports how it ended. */
  isNested({ parentTurnId }: Turn): boolean {
    return parentTurnId !== null && this.#state.turns.has(parentTurnId);
  }

  /** Follows the session until `leave`. */
  async follow(audience: Audience): Promise<void> {
    const { signal } = this.#ending;
    const after = this.#state.lastSeq;
    const onConnection = (state: 'open' | 'lost') => audience.connection(state);
    // A delegate that started before this client connected may still ask.
    if (isBusy(this.#state)) this.#watchElsewhere(audience, undefined);
    for await (const frame of this.client.sessionEvents(this.sessionId, { after, signal, onConnection })) {
      await this.#takeIn(frame);
      audience.frame(frame);
      if (frame.type === 'delegation.started' && frame.delegation.sessionId !== this.sessionId)
        this.#watchElsewhere(audience, frame.position);
    }
  }

  async #takeIn(frame: StreamFrame): Promise<void> {
    this.#state = applyFrame(this.#state, frame);
    this.#actions = applyToActions(this.#actions, frame);
    if (frame.type === 'turn.settled') this.#unanswered.delete(frame.turn.messageId);
    if (frame.type === 'session.cleared' || frame.type === 'session.deleted') this.#unanswered.clear();
    if (this.#state.stale) await this.#reload();
  }

  /** Delegates in other sessions may ask the person something, too. */
  #watchElsewhere(audience: Audience, after: number | undefined): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const frames = this.client.events({ after, deltas: false, signal: this.#ending.signal });
    // What refuses this stream refuses the session's, which says so.
    this.#hearElsewhere(frames, audience).catch(() => undefined);
  }

  async #hearElsewhere(frames: AsyncIterable<StreamFrame>, audience: Audience): Promise<void> {
    for await (const frame of frames) {
      if (frame.type !== 'action.opened' && frame.type !== 'action.settled') continue;
      const isOurs = frame.action.chain.some(({ sessionId }) => sessionId === this.sessionId);
      if (!isOurs || frame.sessionId === this.sessionId) continue;
      this.#actions = noteAction(this.#actions, frame.action);
      audience.frame(frame);
    }
  }

  leave(): void {
    this.#ending.abort();
  }

  /** Says something; returns whether it has to wait its turn. */
  async say(message: Omit<SendMessageInput, 'id'>): Promise<boolean> {
    const id = newId();
    this.#own.add(id);
    this.#unanswered.add(id);
    try {
      const { turn } = await this.client.sendMessage(this.sessionId, { ...message, id });
      const waits = turn.state === 'queued';
      // By the time it is answered others have spoken: then it is shown again.
      if (waits) this.#own.delete(id);
      return waits;
    } catch (error) {
      this.#unanswered.delete(id);
      throw error;
    }
  }

  async stop(): Promise<void> {
    // Stopping the outermost turn also stops its delegates.
    const [outermost] = this.#state.open;
    if (outermost) await this.client.call('cancelTurn', { turnId: outermost.turnId });
    else await this.client.call('cancelSession', { sessionId: this.sessionId });
  }

  async retry(): Promise<boolean> {
    const last = this.lastTurn;
    if (!last) return false;
    const { message } = await this.client.call('retryTurn', { turnId: last.id });
    this.#own.add(message.id);
    return true;
  }

  async #reload(): Promise<void> {
    const { state, actions } = await load(this.client, this.sessionId);
    this.#state = state;
    this.#actions = actions;
    const open = new Set(
      [...this.#state.turns.values()].filter(({ endedAt }) => !endedAt).map((turn) => turn.messageId),
    );
    for (const id of this.#unanswered) if (!open.has(id)) this.#unanswered.delete(id);
  }
}

interface Loaded {
  state: SessionState;
  actions: OpenActions;
}

/** The session first: what happens while the rest is read comes again as events. */
async function load(client: ParleyClient, sessionId: string): Promise<Loaded> {
  const session = await client.call('getSession', { sessionId });
  const [{ messages }, { queue }, { turns }, { actions }] = await Promise.all([
    client.call('listMessages', { sessionId, query: { limit: 50 } }),
    client.call('listQueue', { sessionId }),
    client.call('listTurns', { sessionId, query: { limit: 20 } }),
    client.call('listActions', { query: { session: sessionId } }),
  ]);
  const state = fromSnapshot({ session, messages, queue, turns, actions });
  return { state, actions: new Map(actions.map((action) => [action.id, action])) };
}
