import type { TurnPartial } from '../../contract/events.ts';
import type { Message } from '../../contract/messages.ts';
import type { TurnError, Usage } from '../../contract/turns.ts';
import type { AgentAdapter } from '../agents/adapter.ts';
import type { TurnRequestRow, TurnRow } from '../storage/tables.ts';
import type { Unflushed } from './flusher.ts';
import type { Outcome, Said, SettledState } from './settle.ts';
import { Speech } from './speech.ts';
import type { StartedTurn } from './start.ts';

/** Why a turn was stopped from outside, and what that makes of it. */
export interface Stop {
  state: SettledState;
  stopReason: string;
  error: TurnError | null;
}

/** A turn that is being taken in this process. */
export class RunningTurn {
  readonly turn: TurnRow;
  readonly input: Message;
  readonly owner: string;
  readonly done: Promise<void>;
  readonly #controller = new AbortController();
  readonly #finish: () => void;
  adapter: AgentAdapter | undefined;
  speech = new Speech();
  stop: Stop | undefined;
  /** The person has added something that it has not taken yet. */
  hasSteering = false;
  usage: Usage | null = null;
  /** What was thrown while it was taken: a defect, for the log. */
  defect: unknown;
  #steps = 0;
  #requests: TurnRequestRow[] = [];

  constructor({ turn, message, owner }: StartedTurn) {
    this.turn = turn;
    this.input = message;
    this.owner = owner;
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
    this.#controller.abort();
  }

  finish(): void {
    this.#finish();
  }

  outcome(state: SettledState, stopReason: string, error: TurnError | null): Outcome {
    return { state, stopReason, error, usage: this.usage };
  }

  said(): Said {
    return { parts: this.speech.toParts(), isFlushed: this.speech.isFlushed };
  }

  noteRequest(request: object): void {
    this.#requests.push({ turn_id: this.id, step: this.#steps++, at: Date.now(), request: JSON.stringify(request) });
  }

  get unflushedLength(): number {
    return this.speech.unflushedLength;
  }

  /** For a transaction that may have to be tried again: what is looked at is not taken. */
  peekUnflushed(): { requests: TurnRequestRow[] } {
    return { requests: this.#requests };
  }

  /** A guest's words are never on disk before they are complete. */
  takeUnflushed(): Unflushed {
    const requests = this.#requests;
    this.#requests = [];
    const partials = this.speech.takeUnflushed(this.id);
    return { requests, partials: this.turn.guest === 1 ? [] : partials };
  }

  putBack({ requests, partials }: Unflushed): void {
    this.#requests.unshift(...requests);
    this.speech.putBack(partials);
  }

  addUsage(usage: Usage): void {
    this.usage = this.usage ? addUp(this.usage, usage) : usage;
  }

  partial(): TurnPartial {
    return {
      type: 'turn.partial',
      sessionId: this.turn.session_id,
      turnId: this.id,
      agentId: this.turn.agent_id,
      guest: this.turn.guest === 1,
      parts: this.speech.snapshot(),
    };
  }
}

function addUp(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0),
    reasoningTokens: (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0),
  };
}
