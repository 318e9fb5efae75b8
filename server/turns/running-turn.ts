import { hash } from 'node:crypto';
import type { ChainLink } from '../../contract/actions.ts';
import type { TurnPartial, TurnRetry } from '../../contract/events.ts';
import type { Message } from '../../contract/messages.ts';
import type { SessionMode, SessionType } from '../../contract/sessions.ts';
import type { TurnError, Usage } from '../../contract/turns.ts';
import { type Agent, type SeenRequest, ServerStopping, type TurnTools } from '../agents/agent.ts';
import { storedClock } from '../events/clock.ts';
import type { AgentStateRow, ToolCallRow, TurnRow } from '../storage/tables.ts';
import type { Toolset } from '../tools/toolset.ts';
import { leaveOff, toToolCall, type Wanted } from './call-rows.ts';
import { Ending } from './ending.ts';
import type { Unflushed } from './flusher.ts';
import { type Outcome, type Said, type SettledState, SHUTDOWN, type Stop } from './outcome.ts';
import { TurnOutput } from './output.ts';
import type { StartedTurn } from './start.ts';
import type { NotedRequest } from './store.ts';
import { addUp } from './usage.ts';

/** Why what belongs to a turn ends with it. Made once: to make one for each turn takes longer than most of its statements. */
export const OVER = new DOMException('The turn is over.', 'AbortError');

/** The tools of a turn, for its agent and for programs that it starts. */
export interface ScopedTools extends TurnTools {
  /** What the agent may use, as of its latest call. */
  readonly scoped: Toolset;
  /** A call that a program makes while the turn runs. `gone` when the program no longer waits for it. */
  carryOutFor(via: 'skill' | 'mcp', wanted: Wanted, gone: AbortSignal): Promise<ToolCallRow>;
}

/** A turn that is being taken in this process. */
export class RunningTurn {
  readonly turn: TurnRow;
  readonly input: Message;
  readonly owner: string;
  readonly mode: SessionMode;
  readonly sessionType: SessionType;
  readonly team: StartedTurn['team'];
  readonly done: Promise<void>;
  readonly #controller = new AbortController();
  readonly #finish: () => void;
  agent: Agent | undefined;
  output = new TurnOutput();
  stop: Stop | undefined;
  /** The person has added something that it has not taken yet. */
  hasSteering = false;
  usage: Usage | null = null;
  /** What was thrown while it was taken: a defect, for the log. */
  defect: unknown;
  /** The delegating turns, the one that the person started first, this one last. */
  chain: readonly ChainLink[];
  /** The calls that wait for a person, and limits that do. */
  readonly waitsFor = new Set<string>();
  hasWaited = false;
  /** Something was asked without a tool call: it may be left open. */
  hasAsked = false;
  /** How many turns it waits for without needing a slot of its own. */
  idle = 0;
  /** It takes up room among the turns that run at once. */
  holdsSlot = false;
  /** The turn that speaks in its place at the moment. */
  inner: RunningTurn | undefined;
  /** The server stops while it waits for a person: it stays as it is on disk, and is taken up again. */
  isSuspended = false;
  /** It had begun before the server stopped. */
  isResumed = false;
  /** How many servers the message that began all this has passed through. */
  hops = 0;
  toolset: ScopedTools | undefined;
  /** Once the agent has ended, however it ended: no program of the turn calls its tools after that. */
  readonly over = new Ending(OVER);
  /** What the agent says of its work at the moment. */
  progress: TurnPartial['progress'];
  /** A failed request that is about to be sent again; null once the agent goes on. */
  #retry: { readonly code: string; readonly at: number } | null = null;
  #steps = 0;
  #requests: NotedRequest[] = [];
  /** What the agent has said of its state in this turn; undefined: nothing yet. */
  #token: string | null | undefined;
  /** The newest message that the agent was shown. */
  #shownSeq = 0;
  #isStateUnflushed = false;

  constructor({ turn, message, owner, mode, sessionType, team }: StartedTurn) {
    this.turn = turn;
    this.input = message;
    this.owner = owner;
    this.mode = mode;
    this.sessionType = sessionType;
    this.team = team;
    this.chain = [{ agentId: turn.agent_id, turnId: turn.id, sessionId: turn.session_id }];
    const { promise, resolve } = Promise.withResolvers<void>();
    this.done = promise;
    this.#finish = resolve;
  }

  get id(): string {
    return this.turn.id;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first reason counts. */
  halt(stop: Stop): void {
    this.stop ??= stop;
    this.#controller.abort(stop === SHUTDOWN ? new ServerStopping() : undefined);
  }

  suspend(stop: Stop): void {
    this.isSuspended = true;
    this.halt(stop);
  }

  /** Its agent can go on after a restart: it has given what it needs for that. */
  get reattaches(): boolean {
    const isGiven = this.#token === undefined ? this.isResumed : this.#token !== null;
    return isGiven && this.agent?.traits.reattaches === true;
  }

  get isNested(): boolean {
    return this.turn.nested_in !== '';
  }

  /** The turn itself works: it waits neither for a person nor for another turn. */
  get works(): boolean {
    return this.waitsFor.size === 0 && this.idle === 0 && this.inner === undefined;
  }

  /** The turn works, or a turn nested in it does. */
  get needsSlot(): boolean {
    return this.waitsFor.size === 0 && this.idle === 0 && (this.inner?.needsSlot ?? true);
  }

  get rootTurnId(): string {
    return this.turn.root_turn_id ?? this.id;
  }

  /** The number of the step that is being taken. */
  get stepNumber(): number {
    return Math.max(0, this.#steps - 1);
  }

  finish(): void {
    this.#finish();
  }

  outcome(state: SettledState, stopReason: string, error: TurnError | null): Outcome {
    return { state, stopReason, error, usage: this.usage };
  }

  /** What a stopped turn was doing with tools ends with it. */
  said(outcome: Outcome, now: number): Said {
    const { calls } = this.output;
    for (const call of calls) if (call.ended_at === null) leaveOff(call, outcome.state, now);
    return {
      parts: this.output.toParts(),
      isFlushed: this.output.isFlushed,
      hasCalls: calls.length > 0 || this.hasAsked,
    };
  }

  /** After a restart: what had been said and done, and how many requests that took. */
  restore(output: TurnOutput, steps: number): void {
    this.output = output;
    this.#steps = steps;
    this.usage = this.turn.usage && JSON.parse(this.turn.usage);
    for (const call of output.calls) if (call.state === 'waiting') this.waitsFor.add(call.id);
    this.hasWaited = true;
    this.hasAsked = true;
    this.isResumed = true;
    // A message may have been added before the server stopped; the next step looks for it.
    this.hasSteering = true;
  }

  noteRequest({ system, tools, ...rest }: SeenRequest): void {
    const text = JSON.stringify({ system, tools });
    const row = { turn_id: this.id, step: this.#steps++, at: storedClock.now(), request: JSON.stringify(rest) };
    this.#requests.push({ ...row, text, text_hash: hashOf(text) });
  }

  /** The agent has been shown messages up to this place. */
  noteShown(seq: number): void {
    if (seq <= this.#shownSeq) return;
    this.#shownSeq = seq;
    this.#isStateUnflushed = this.#token !== undefined;
  }

  noteState(token: string | null): void {
    this.#token = token;
    this.#isStateUnflushed = true;
  }

  get unflushedLength(): number {
    return this.output.unflushedLength;
  }

  /** For a transaction that may have to be tried again: what is looked at is not taken. */
  peekUnflushed(): Pick<Unflushed, 'requests' | 'states'> {
    return { requests: this.#requests, states: this.#unflushedStates() };
  }

  /** A guest's words are never on disk before they are complete. */
  takeUnflushed(): Unflushed {
    const requests = this.#requests;
    this.#requests = [];
    const partials = this.output.takeUnflushed(this.id);
    const states = this.#unflushedStates();
    this.#isStateUnflushed = false;
    return { requests, partials: this.turn.guest === 1 ? [] : partials, states };
  }

  putBack({ requests, partials, states }: Unflushed): void {
    this.#requests.unshift(...requests);
    this.output.putBack(partials);
    if (states.length > 0) this.#isStateUnflushed = true;
  }

  #unflushedStates(): AgentStateRow[] {
    if (!this.#isStateUnflushed || this.#token === undefined) return [];
    const { id: turn_id, session_id, agent_id } = this.turn;
    return [{ session_id, agent_id, turn_id, token: this.#token, seen_seq: this.#shownSeq }];
  }

  addUsage(usage: Usage): void {
    this.usage = this.usage ? addUp(this.usage, usage) : usage;
  }

  /** Whether a stream that begins now has to be told anything about it. */
  get hasPartial(): boolean {
    return !this.output.isEmpty || this.progress !== undefined || this.retry !== null;
  }

  noteRetry(code: string, waitMs: number): void {
    this.#retry = { code, at: Date.now() + waitMs };
  }

  /** The retry that the turn waits for; null when it waits for none. */
  get retry(): TurnRetry | null {
    const waitMs = this.#retry ? this.#retry.at - Date.now() : 0;
    return this.#retry && waitMs > 0 ? { code: this.#retry.code, waitMs } : null;
  }

  partial(): TurnPartial {
    return {
      type: 'turn.partial',
      sessionId: this.turn.session_id,
      turnId: this.id,
      agentId: this.turn.agent_id,
      after: this.output.after,
      guest: this.turn.guest === 1,
      parts: this.output.snapshot(),
      calls: this.output.calls.map(toToolCall),
      ...(this.progress && { progress: this.progress }),
      retry: this.retry,
    };
  }
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64url');
}
