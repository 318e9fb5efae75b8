import type { SessionEvent, StreamFrame } from '../../contract/events.ts';
import type { Message, Part } from '../../contract/messages.ts';
import type { Session, SessionStatus } from '../../contract/sessions.ts';
import type { Turn } from '../../contract/turns.ts';

export type Deed =
  | { do: 'send'; text: string }
  | { do: 'speak'; text: string; reasoning: boolean }
  | { do: 'start' | 'complete' | 'fail' | 'steer' | 'remove' | 'reorder' | 'reconnect' }
  | { do: 'retry' | 'branch' | 'compact' | 'rename' | 'clear' };

type Draft<E> = E extends SessionEvent ? Omit<E, 'sessionId' | 'seq' | 'position' | 'at'> : never;
type Waiting = { turn: Turn; message: Message };
type Spoken = { kind: 'text' | 'reasoning'; text: string };

const AT = '2026-11-15T12:00:00.000Z';

/** A session that behaves as the server's do, and writes down every frame that a watching client would get. */
export class ScriptedSession {
  readonly frames: StreamFrame[] = [];
  readonly #messages: Message[] = [];
  #queue: Waiting[] = [];
  #running: Turn | null = null;
  #speech: Spoken[] = [];
  #lastTurn: Turn | null = null;
  #headId: string | null = null;
  #seq = 0;
  #messageSeq = 0;
  #ids = 0;

  constructor() {
    this.#append({ type: 'session.created', session: this.#session() });
  }

  get spokenText(): string {
    return this.#speech.flatMap(({ kind, text }) => (kind === 'text' ? [text] : [])).join('\n\n');
  }

  perform(deed: Deed): void {
    if (deed.do === 'send') this.#send(deed.text);
    else if (deed.do === 'speak') this.#speak(deed.reasoning ? 'reasoning' : 'text', deed.text);
    else if (deed.do === 'reconnect') this.#reconnect();
    else this.#change(deed.do);
  }

  #change(what: Exclude<Deed['do'], 'send' | 'speak' | 'reconnect'>): void {
    const idle = !this.#running && this.#queue.length === 0;
    if (what === 'start' && !this.#running) this.#startNext();
    if (what === 'complete' && this.#running) this.#settle('complete');
    if (what === 'fail' && this.#running) this.#settle('failed');
    if (what === 'steer' && this.#running && this.#queue[0]) this.#steer(this.#queue[0]);
    if (what === 'remove' && this.#queue[0]) this.#remove(this.#queue[0]);
    if (what === 'reorder' && this.#queue.length > 1) this.#reorder();
    if (what === 'retry' && idle && this.#lastTurn) this.#retry(this.#lastTurn);
    if (what === 'branch' && idle && this.#messages[0]) this.#branch(this.#messages[0]);
    if (what === 'compact' && idle) this.#compact();
    if (what === 'rename') this.#append({ type: 'session.updated', session: this.#session() });
    if (what === 'clear') this.#clear();
  }

  #send(text: string): void {
    const turn = this.#newTurn(this.#id('m'), null);
    const message = this.#newMessage({ id: turn.messageId, turnId: turn.id, role: 'user', text, status: 'queued' });
    this.#queue.push({ turn, message });
    this.#append({ type: 'turn.queued', turn, status: 'working', message });
    if (!this.#running) this.#startNext();
  }

  #startNext(): void {
    const next = this.#queue.shift();
    if (!next) return;
    const message = next.turn.retryOf === null ? this.#place(next.message) : next.message;
    this.#headId = message.id;
    this.#running = { ...next.turn, state: 'running', startedAt: AT };
    this.#speech = [];
    this.#append({ type: 'turn.started', turn: this.#running, status: 'working', message });
  }

  #speak(kind: Spoken['kind'], text: string): void {
    if (!this.#running) return;
    const last = this.#speech.at(-1);
    const current = last?.kind === kind ? last : { kind, text: '' };
    if (current !== last) this.#speech.push(current);
    const { id: turnId, agentId } = this.#running;
    const place = { part: this.#speech.length - 1, kind, offset: current.text.length };
    current.text += text;
    this.frames.push({ type: 'delta', sessionId: 's', turnId, agentId, ...place, text });
  }

  /** What was said so far comes as one piece, and a delta that was on its way comes again. */
  #reconnect(): void {
    if (!this.#running) return;
    const { id: turnId, agentId, guest } = this.#running;
    const parts = this.#speech.map((spoken, part) => ({ part, ...spoken }));
    this.frames.push({ type: 'turn.partial', sessionId: 's', turnId, agentId, guest, parts });
    const last = parts.at(-1);
    if (!last) return;
    const offset = Math.floor(last.text.length / 2);
    const again = { part: last.part, kind: last.kind, offset, text: last.text.slice(offset, offset + 1) };
    this.frames.push({ type: 'delta', sessionId: 's', turnId, agentId, ...again });
  }

  #settle(state: 'complete' | 'failed'): void {
    const turn = { ...this.#running!, state, endedAt: AT } as Turn;
    this.#storeSpeech(turn, state === 'complete' ? 'complete' : 'interrupted');
    this.#running = null;
    this.#lastTurn = turn;
    const status: SessionStatus = this.#queue.length > 0 ? 'working' : state === 'failed' ? 'error' : 'active';
    this.#append({ type: 'turn.settled', turn, status, message: null });
    this.#startNext();
  }

  #storeSpeech(turn: Turn, status: Message['status']): void {
    if (this.#speech.length === 0) return;
    const parts: Part[] = this.#speech.map(({ kind, text }) => ({ type: kind, text }));
    const said = { id: this.#id('m'), turnId: turn.id, role: 'assistant' as const, text: this.spokenText, status };
    const message = this.#place({ ...this.#newMessage(said), agent: turn.agentId, parts });
    this.#speech = [];
    this.#append({ type: 'message.created', message });
  }

  #steer({ turn, message }: Waiting): void {
    if (turn.retryOf !== null) return;
    this.#storeSpeech(this.#running!, 'complete');
    this.#queue.shift();
    const settled: Turn = { ...turn, state: 'complete', steeredInto: this.#running!.id, endedAt: AT };
    this.#append({ type: 'turn.settled', turn: settled, status: 'working', message: this.#place(message) });
  }

  #remove({ turn, message }: Waiting): void {
    this.#queue.shift();
    const status = this.#running || this.#queue.length > 0 ? 'working' : 'active';
    this.#append({ type: 'turn.removed', turnId: turn.id, messageId: message.id, status });
  }

  #reorder(): void {
    this.#queue.reverse();
    const [first] = this.#queue;
    const queue = this.#queue.map(({ turn }) => turn.id);
    this.#append({ type: 'turn.updated', ...first!, status: 'working', queue });
  }

  #retry(original: Turn): void {
    const message = this.#messages.find(({ id }) => id === original.messageId);
    if (!message) return;
    const turn = this.#newTurn(message.id, original.id);
    this.#append({ type: 'turn.queued', turn, status: 'working', message });
    this.#queue.push({ turn, message });
    this.#append({ type: 'session.branched', afterSeq: message.seq!, headId: message.id });
    this.#startNext();
  }

  #branch(message: Message): void {
    this.#headId = message.id;
    this.#append({ type: 'session.branched', afterSeq: message.seq!, headId: message.id });
  }

  #compact(): void {
    const base = {
      id: this.#id('c'),
      sessionId: 's',
      agentId: 'a',
      summary: 'in short',
      archivedCount: 1,
      createdAt: AT,
    };
    this.#append({ type: 'session.compacted', compaction: { ...base, uptoSeq: Math.floor(this.#messageSeq / 2) } });
  }

  #clear(): void {
    this.#messages.length = 0;
    this.#queue = [];
    this.#running = null;
    this.#lastTurn = null;
    this.#speech = [];
    this.#headId = null;
    this.#append({ type: 'session.cleared' });
  }

  #place(message: Message): Message {
    this.#messageSeq += 1;
    const status = message.status === 'queued' ? 'complete' : message.status;
    const placed: Message = { ...message, seq: this.#messageSeq, parentId: this.#headId, status };
    this.#messages.push(placed);
    this.#headId = placed.id;
    return placed;
  }

  #append(draft: Draft<SessionEvent>): void {
    this.#seq += 1;
    this.frames.push({ ...draft, sessionId: 's', seq: this.#seq, position: this.#seq, at: AT } as SessionEvent);
  }

  #id(kind: string): string {
    this.#ids += 1;
    return `${kind}${this.#ids}`;
  }

  #newTurn(messageId: string, retryOf: string | null): Turn {
    const nothing = {
      answerId: null,
      parentTurnId: null,
      steeredInto: null,
      stopReason: null,
      error: null,
      usage: null,
    };
    const times = { createdAt: AT, startedAt: null, endedAt: null };
    return {
      id: this.#id('t'),
      sessionId: 's',
      agentId: 'a',
      guest: false,
      state: 'queued',
      messageId,
      retryOf,
      ...nothing,
      ...times,
    };
  }

  #newMessage(known: Pick<Message, 'id' | 'turnId' | 'role' | 'text' | 'status'>): Message {
    const parts: Part[] = [{ type: 'text', text: known.text }];
    return {
      ...known,
      sessionId: 's',
      seq: null,
      parentId: null,
      agent: null,
      guest: false,
      parts,
      archived: false,
      createdAt: AT,
    };
  }

  #session(): Session {
    const counts = { messageCount: 0, queuedCount: 0, unreadCount: 0, lastSnippet: '', lastSeq: this.#seq + 1 };
    const nothing = {
      name: null,
      folder: null,
      parentSessionId: null,
      forkedFrom: null,
      pinnedAt: null,
      archivedAt: null,
    };
    const times = { createdAt: AT, updatedAt: AT, lastActivityAt: AT };
    const status: SessionStatus = this.#running || this.#queue.length > 0 ? 'working' : 'active';
    const known = {
      id: 's',
      type: 'conversation' as const,
      status,
      agentId: 'a',
      sender: 'user',
      title: 'New session',
    };
    return { ...known, headId: this.#headId, agents: [], attributes: {}, ...counts, ...nothing, ...times };
  }
}
