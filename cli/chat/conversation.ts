import type { ParleyClient } from '../../client/parley-client.ts';
import {
  applyFrame,
  fromSnapshot,
  isBusy,
  type QueueEntry,
  type SessionState,
  shownMessages,
} from '../../client/session-state.ts';
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

  private constructor(client: ParleyClient, state: SessionState) {
    this.client = client;
    this.sessionId = state.sessionId;
    this.#state = state;
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

  get messages(): Message[] {
    return shownMessages(this.#state);
  }

  get lastTurn(): Turn | undefined {
    return [...this.#state.turns.values()].sort((a, b) => a.createdAt.localeCompare(b.createdAt)).at(-1);
  }

  /** True for a message that was sent from here, which need not be shown again. */
  isOwn(message: Message): boolean {
    return this.#own.has(message.id);
  }

  /** Follows the session until `leave`. */
  async follow(audience: Audience): Promise<void> {
    const { signal } = this.#ending;
    const after = this.#state.lastSeq;
    const onConnection = (state: 'open' | 'lost') => audience.connection(state);
    for await (const frame of this.client.sessionEvents(this.sessionId, { after, signal, onConnection })) {
      this.#state = applyFrame(this.#state, frame);
      if (frame.type === 'turn.settled') this.#unanswered.delete(frame.turn.messageId);
      if (frame.type === 'session.cleared' || frame.type === 'session.deleted') this.#unanswered.clear();
      if (this.#state.stale) await this.#reload();
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
    const { live } = this.#state;
    if (live) await this.client.cancelTurn(live.turnId);
    else await this.client.cancelSession(this.sessionId);
  }

  async retry(): Promise<boolean> {
    const last = this.lastTurn;
    if (!last) return false;
    const { message } = await this.client.retryTurn(last.id);
    this.#own.add(message.id);
    return true;
  }

  async #reload(): Promise<void> {
    this.#state = await load(this.client, this.sessionId);
    const open = new Set(
      [...this.#state.turns.values()].filter(({ endedAt }) => !endedAt).map((turn) => turn.messageId),
    );
    for (const id of this.#unanswered) if (!open.has(id)) this.#unanswered.delete(id);
  }
}

/** The session first: what happens while the rest is read comes again as events. */
async function load(client: ParleyClient, sessionId: string): Promise<SessionState> {
  const session = await client.getSession(sessionId);
  const [{ messages }, { queue }, { turns }] = await Promise.all([
    client.listMessages(sessionId, { limit: 50 }),
    client.listQueue(sessionId),
    client.listTurns(sessionId, { limit: 20 }),
  ]);
  return fromSnapshot({ session, messages, queue, turns });
}
