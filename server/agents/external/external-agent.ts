import { AppError } from '../../../contract/errors.ts';
import type { ExternalCallback } from '../../../contract/external.ts';
import { ROUTES } from '../../../contract/routes.ts';
import { say } from '../../../contract/texts.ts';
import { toTurnError } from '../../../contract/turns.ts';
import {
  type Agent,
  type AgentDeps,
  type AgentEnd,
  type AgentEvent,
  type Callbacks,
  ServerStopping,
  type TurnHost,
  type TurnInput,
} from '../agent.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';
import type { Opening, TextAgent, TextConversation, TextEvent } from '../text-agent.ts';
import { runTextTurn } from '../text-turn.ts';
import { Inbox } from './inbox.ts';
import { callbackToken, isCallbackToken, sendInput } from './send-input.ts';
import type { ExternalSettings } from './settings.ts';

/** A program elsewhere that is sent its input and answers by calling back, at once or much later. */
export class ExternalAgent implements Agent, TextAgent {
  readonly traits = { steers: false, ownsContext: true, ownsTools: true, reattaches: true };
  readonly agent: ResolvedAgent<ExternalSettings>;
  readonly deps: AgentDeps;
  readonly #inboxes = new Map<string, Inbox>();

  constructor(agent: ResolvedAgent<ExternalSettings>, deps: AgentDeps) {
    this.agent = agent;
    this.deps = deps;
  }

  get attachments() {
    return this.deps.attachments;
  }

  run(turn: TurnInput, host: TurnHost, signal: AbortSignal): AsyncIterable<AgentEvent> {
    return runTextTurn(this, turn, host, signal);
  }

  async open(opening: Opening): Promise<TextConversation> {
    const { turnId } = opening.turn;
    const inbox = new Inbox();
    this.#inboxes.set(turnId, inbox);
    return new ExternalConversation(this, opening, inbox, () => this.#inboxes.delete(turnId));
  }

  get callbacks(): Callbacks {
    return {
      allow: (turnId, token) => isCallbackToken(this.agent.settings, turnId, token),
      receive: (turnId, piece) => this.#receive(turnId, piece),
    };
  }

  async #receive(turnId: string, piece: ExternalCallback): Promise<void> {
    const inbox = this.#inboxes.get(turnId);
    if (!inbox) throw new AppError('turn_not_ready', say('turn_not_ready'), { retryAfterSeconds: 1 });
    await inbox.push(piece);
  }
}

/** What is kept of a turn that was sent: the agent has it, and answers. */
interface Sent {
  turnId: string;
  /** How many prompts of the turn it was sent. */
  prompts: number;
}

class ExternalConversation implements TextConversation {
  readonly #external: ExternalAgent;
  readonly #opening: Opening;
  readonly #inbox: Inbox;
  readonly #forget: () => void;
  readonly #closed = new AbortController();
  #prompts = 0;
  #isToReattach: boolean;
  /** Of the answer to the current prompt, in UTF-16 units. */
  #length = 0;

  constructor(external: ExternalAgent, opening: Opening, inbox: Inbox, forget: () => void) {
    this.#external = external;
    this.#opening = opening;
    this.#inbox = inbox;
    this.#forget = forget;
    this.#isToReattach = opening.turn.resumed;
  }

  async *prompt(text: string): AsyncGenerator<TextEvent, AgentEnd, void> {
    const signal = AbortSignal.any([this.#opening.signal, this.#closed.signal]);
    this.#length = this.#isToReattach ? this.#opening.turn.said.length : 0;
    if (this.#isToReattach) this.#prompts = sentIn(this.#opening).prompts;
    else {
      await this.#send(text, signal);
      yield { type: 'state', token: JSON.stringify({ turnId: this.#opening.turn.turnId, prompts: this.#prompts }) };
    }
    this.#isToReattach = false;
    return yield* this.#listen(signal);
  }

  async interrupt(): Promise<void> {
    this.#closed.abort();
    if (this.#opening.signal.reason instanceof ServerStopping) return;
    const { agent, deps } = this.#external;
    const { turnId, sessionId } = this.#opening.turn;
    const input = { key: `${turnId}/cancel`, body: { event: 'cancel', turnId, sessionId, agentId: agent.agentId } };
    await sendInput(agent.settings, deps, agent.displayName, input, AbortSignal.timeout(1000)).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#forget();
    this.#inbox.close(new AppError('turn_ended', say('turn_ended')));
  }

  #send(text: string, signal: AbortSignal): Promise<void> {
    const { agent, deps } = this.#external;
    const { turn } = this.#opening;
    const key = this.#prompts === 0 ? turn.turnId : `${turn.turnId}/${this.#prompts}`;
    this.#prompts += 1;
    return sendInput(agent.settings, deps, agent.displayName, { key, body: this.#body(text) }, signal);
  }

  #body(text: string): object {
    const { agent } = this.#external;
    const { turn, instructions, host } = this.#opening;
    const base = agent.settings.callbackBaseUrl ?? new URL(host.toolEndpoint().url).origin;
    const url = base.replace(/\/+$/, '') + ROUTES.externalCallback.path.replace('{turnId}', turn.turnId);
    return {
      event: 'message',
      turnId: turn.turnId,
      sessionId: turn.sessionId,
      agentId: agent.agentId,
      text,
      instructions,
      guest: turn.textOnly,
      callback: { url, token: callbackToken(agent.settings, turn.turnId) },
    };
  }

  async *#listen(signal: AbortSignal): AsyncGenerator<TextEvent, AgentEnd, void> {
    for (;;) {
      const { piece, taken, refused } = await this.#inbox.next(signal);
      const offset = piece.offset ?? this.#length;
      if (offset > this.#length) {
        refused(new AppError('callback_gap', say('callback_gap', { length: this.#length })));
        continue;
      }
      const text = (piece.text ?? '').slice(this.#length - offset);
      this.#length += text.length;
      if (text !== '') yield { type: 'text', text };
      taken();
      if (piece.error !== undefined) return failed(this.#external.agent, piece.error);
      if (piece.end) return { type: 'end', reason: 'complete', stopReason: 'stop' };
    }
  }
}

function sentIn({ state }: Opening): Sent {
  return JSON.parse(state ?? '{"prompts":1}');
}

function failed({ displayName: agent }: ResolvedAgent, reason: string): AgentEnd {
  const error = toTurnError('agent_failed', say('agent_failed.reason', { agent, reason }), true);
  return { type: 'end', reason: 'failed', stopReason: 'error', error };
}
