import type { Action } from '../../contract/actions.ts';
import type { SessionEvent, StreamFrame } from '../../contract/events.ts';
import type { Message } from '../../contract/messages.ts';
import type { Session, SessionStatus } from '../../contract/sessions.ts';
import type { ToolCall } from '../../contract/tools.ts';
import type { Turn } from '../../contract/turns.ts';
import { AT, aCall, aCompaction, aDelegation, aMessage, anAction, aSession, aTurn } from '../harness/shapes.ts';
import { callsOf, type Done, isCall, isSpoken, reconnection, type Spoken, textOf, toPart } from './scripted-speech.ts';

export type Deed =
  | { do: 'send'; text: string }
  | { do: 'speak'; text: string; reasoning: boolean }
  | { do: 'start' | 'complete' | 'fail' | 'steer' | 'remove' | 'reorder' | 'reconnect' }
  | { do: 'retry' | 'branch' | 'compact' | 'rename' | 'clear' }
  | { do: 'call' | 'progress' | 'endCall' | 'ask' | 'answer' | 'handOver' | 'sendAway' };

type Draft<E> = E extends SessionEvent ? Omit<E, 'sessionId' | 'seq' | 'position' | 'at'> : never;
type Waiting = { turn: Turn; message: Message };

interface Open {
  turn: Turn;
  done: Done[];
  action: Action | null;
}

/** A session that behaves as the server's do, and writes down every frame that a watching client would get. */
export class ScriptedSession {
  readonly frames: StreamFrame[] = [];
  readonly #messages: Message[] = [];
  #queue: Waiting[] = [];
  /** The innermost speaks. */
  #open: Open[] = [];
  #lastTurn: Turn | null = null;
  #headId: string | null = null;
  #seq = 0;
  #messageSeq = 0;
  #ids = 0;

  constructor() {
    this.#append({ type: 'session.created', session: this.#session() });
  }

  get #speaking(): Open | undefined {
    return this.#open.at(-1);
  }

  get spokenText(): string {
    return textOf(this.#speaking?.done ?? []);
  }

  get calls(): ToolCall[] {
    return callsOf(this.#speaking?.done ?? []);
  }

  /** Who is under way, outermost first. */
  get openTurns(): string[] {
    return this.#open.map(({ turn }) => turn.id);
  }

  get openActions(): string[] {
    return this.#open.flatMap(({ action }) => action?.id ?? []);
  }

  perform(deed: Deed): void {
    if (deed.do === 'send') this.#send(deed.text);
    else if (deed.do === 'speak') this.#speak(deed.reasoning ? 'reasoning' : 'text', deed.text);
    else this.#change(deed.do);
  }

  #change(what: Exclude<Deed['do'], 'send' | 'speak'>): void {
    const idle = this.#open.length === 0 && this.#queue.length === 0;
    const speaking = this.#speaking;
    if (what === 'start' && !speaking) this.#startNext();
    if (what === 'remove' && this.#queue[0]) this.#remove(this.#queue[0]);
    if (what === 'reorder' && this.#queue.length > 1) this.#reorder();
    if (what === 'retry' && idle && this.#lastTurn) this.#retry(this.#lastTurn);
    if (what === 'branch' && idle && this.#messages[0]) this.#branch(this.#messages[0]);
    if (what === 'compact' && idle)
      this.#append({ type: 'session.compacted', compaction: aCompaction(this.#messageSeq / 2) });
    if (what === 'rename') this.#append({ type: 'session.updated', session: this.#session() });
    if (what === 'clear') this.#clear();
    if (what === 'reconnect') for (const { turn, done } of this.#open) this.frames.push(...reconnection(turn, done));
    if (speaking) this.#act(speaking, what);
  }

  #act(speaking: Open, what: Deed['do']): void {
    if (what === 'complete') this.#settle(speaking, 'complete');
    if (what === 'fail') this.#settle(speaking, 'failed');
    if (what === 'steer' && this.#queue[0]) this.#steer(speaking, this.#queue[0]);
    if (what === 'call') this.#call(speaking);
    if (what === 'progress') this.#progress(speaking);
    if (what === 'endCall') this.#endCall(speaking, 'complete');
    if (what === 'ask' && !speaking.action) this.#ask(speaking);
    if (what === 'answer' && speaking.action) this.#answer(speaking, speaking.action, 'answered');
    if (what === 'handOver') this.#handOver(speaking);
    if (what === 'sendAway') this.#sendAway(speaking);
  }

  #send(text: string): void {
    const turn = aTurn({ id: this.#id('t'), messageId: this.#id('m') });
    const message = aMessage({ id: turn.messageId, turnId: turn.id, text, status: 'queued' });
    this.#queue.push({ turn, message });
    this.#append({ type: 'turn.queued', turn, status: this.#status, message });
    if (!this.#speaking) this.#startNext();
  }

  #startNext(): void {
    const next = this.#queue.shift();
    if (next) this.#start(next.turn, next.turn.retryOf === null ? this.#place(next.message) : next.message);
  }

  #start(queued: Turn, message: Message): void {
    this.#headId = message.id;
    const turn: Turn = { ...queued, state: 'running', startedAt: AT };
    this.#open.push({ turn, done: [], action: null });
    this.#append({ type: 'turn.started', turn, status: this.#status, message });
  }

  #speak(kind: Spoken['kind'], text: string): void {
    const speaking = this.#speaking;
    if (!speaking || speaking.action) return;
    this.#endCalls(speaking, 'complete');
    const { turn, done } = speaking;
    const last = done.at(-1);
    const current = isSpoken(last) && last.kind === kind ? last : { kind, text: '' };
    if (current !== last) done.push(current);
    const place = { after: turn.answerId, part: done.length - 1, kind, offset: current.text.length };
    current.text += text;
    this.frames.push({ type: 'delta', sessionId: 's', turnId: turn.id, agentId: turn.agentId, ...place, text });
  }

  #call(speaking: Open): void {
    if (speaking.action) return;
    const { turn, done } = speaking;
    const call = aCall({ id: this.#id('c'), turnId: turn.id, agentId: turn.agentId, part: done.length });
    done.push({ call });
    this.#append({ type: 'tool.started', call });
  }

  #progress({ turn, done }: Open): void {
    const call = callsOf(done).find(({ endedAt }) => endedAt === null);
    if (!call) return;
    const how = { text: `${this.#ids} of many`, fraction: 0.5 };
    this.frames.push({ type: 'tool.progress', sessionId: 's', turnId: turn.id, callId: call.id, ...how });
  }

  #endCall(speaking: Open, state: ToolCall['state']): void {
    if (speaking.action) return;
    const at = speaking.done.findIndex((part) => isCall(part) && part.call.endedAt === null);
    const running = speaking.done[at];
    if (!isCall(running)) return;
    const call: ToolCall = { ...running.call, state, output: 'ok', outputBytes: 2, endedAt: AT };
    speaking.done[at] = { call };
    if (state === 'complete') speaking.done.push('result');
    this.#append({ type: 'tool.ended', call });
  }

  #endCalls(speaking: Open, state: ToolCall['state']): void {
    while (callsOf(speaking.done).some(({ endedAt }) => endedAt === null)) this.#endCall(speaking, state);
  }

  #ask(speaking: Open): void {
    const action = anAction({ id: this.#id('x'), turnId: speaking.turn.id, agentId: speaking.turn.agentId });
    speaking.turn = { ...speaking.turn, state: 'waiting' };
    this.#append({ type: 'action.opened', action });
    speaking.action = action;
    this.#append({ type: 'turn.waiting', turn: speaking.turn, status: this.#status });
  }

  #answer(speaking: Open, action: Action, state: Action['state']): void {
    speaking.action = null;
    this.#append({ type: 'action.settled', action: { ...action, state, settledAt: AT } });
    if (state !== 'answered') return;
    speaking.turn = { ...speaking.turn, state: 'running' };
    this.#append({ type: 'turn.resumed', turn: speaking.turn, status: this.#status });
  }

  /** A tag in the answer: what was said so far is stored, and the delegate speaks here. */
  #handOver(speaking: Open): void {
    if (speaking.action || this.#open.length > 3) return;
    this.#store(speaking, 'complete');
    const parent = speaking.turn;
    const turn = aTurn({ id: this.#id('t'), agentId: 'b', messageId: this.#id('m'), parentTurnId: parent.id });
    const asked = { id: turn.messageId, turnId: turn.id, role: 'delegation' as const, agent: 'b' };
    const delegation = aDelegation({ turnId: turn.id, parentTurnId: parent.id, from: parent.agentId });
    this.#append({ type: 'delegation.started', delegation });
    const part = { type: 'delegation' as const, from: parent.agentId, to: 'b', task: delegation.task };
    const parts = [{ ...part, turnId: turn.id, sessionId: 's', state: 'started' as const }];
    this.#start(turn, this.#place(aMessage({ ...asked, text: delegation.task, parts })));
  }

  /** By a tool: the delegate works elsewhere. */
  #sendAway({ turn }: Open): void {
    const given = { turnId: this.#id('t'), sessionId: 'elsewhere', parentTurnId: turn.id, via: 'tool' as const };
    this.#append({ type: 'delegation.started', delegation: aDelegation(given) });
    this.#append({ type: 'delegation.ended', delegation: aDelegation({ ...given, state: 'complete' }) });
    const refused = { ...given, turnId: null, state: 'refused' as const, reason: 'too deep' };
    this.#append({ type: 'delegation.ended', delegation: aDelegation(refused) });
  }

  #settle(speaking: Open, state: 'complete' | 'failed'): void {
    if (speaking.action) this.#answer(speaking, speaking.action, 'withdrawn');
    this.#store(speaking, state === 'complete' ? 'complete' : 'interrupted');
    this.#open.pop();
    const turn: Turn = { ...speaking.turn, state, endedAt: AT };
    const outer = this.#speaking;
    if (!outer) this.#lastTurn = turn;
    this.#append({ type: 'turn.settled', turn, status: this.#status, message: null });
    if (outer) this.#endDelegation(turn, outer.turn);
    else this.#startNext();
  }

  #endDelegation({ id: turnId, state }: Turn, { id: parentTurnId, agentId: from }: Turn): void {
    const ended = { turnId, parentTurnId, from, state: state as 'complete' | 'failed' };
    this.#append({ type: 'delegation.ended', delegation: aDelegation(ended) });
  }

  #store(speaking: Open, status: Message['status']): void {
    this.#endCalls(speaking, status === 'complete' ? 'complete' : 'interrupted');
    const { turn, done } = speaking;
    if (done.length === 0) return;
    const said = { id: this.#id('m'), turnId: turn.id, role: 'assistant' as const, agent: turn.agentId, status };
    const message = this.#place(aMessage({ ...said, text: textOf(done), parts: done.flatMap(toPart) }));
    speaking.done = [];
    speaking.turn = { ...turn, answerId: message.id };
    this.#append({ type: 'message.created', message });
  }

  #steer(speaking: Open, { turn, message }: Waiting): void {
    if (turn.retryOf !== null || speaking.action || this.#open.length > 1) return;
    this.#store(speaking, 'complete');
    this.#queue.shift();
    const settled: Turn = { ...turn, state: 'complete', steeredInto: speaking.turn.id, endedAt: AT };
    this.#append({ type: 'turn.settled', turn: settled, status: this.#status, message: this.#place(message) });
  }

  #remove({ turn, message }: Waiting): void {
    this.#queue.shift();
    this.#append({ type: 'turn.removed', turnId: turn.id, messageId: message.id, status: this.#status });
  }

  #reorder(): void {
    this.#queue.reverse();
    const [first] = this.#queue;
    const queue = this.#queue.map(({ turn }) => turn.id);
    this.#append({ type: 'turn.updated', ...first!, status: this.#status, queue });
  }

  #retry(original: Turn): void {
    const message = this.#messages.find(({ id }) => id === original.messageId);
    if (!message) return;
    const turn = aTurn({ id: this.#id('t'), messageId: message.id, retryOf: original.id });
    this.#queue.push({ turn, message });
    this.#append({ type: 'turn.queued', turn, status: this.#status, message });
    this.#append({ type: 'session.branched', afterSeq: message.seq!, headId: message.id });
    this.#startNext();
  }

  #branch(message: Message): void {
    this.#headId = message.id;
    this.#append({ type: 'session.branched', afterSeq: message.seq!, headId: message.id });
  }

  #clear(): void {
    this.#messages.length = 0;
    this.#queue = [];
    this.#open = [];
    this.#lastTurn = null;
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
    // As those of the server, they sort by the moment they were made.
    return `${kind}${String(this.#ids).padStart(4, '0')}`;
  }

  #session(): Session {
    return aSession({ status: this.#status, headId: this.#headId, lastSeq: this.#seq + 1 });
  }

  get #status(): SessionStatus {
    if (this.#open.some(({ action }) => action)) return 'waiting';
    if (this.#speaking || this.#queue.length > 0) return 'working';
    return this.#lastTurn?.state === 'failed' ? 'error' : 'active';
  }
}
