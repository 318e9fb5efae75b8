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
  readonly callsTools = false;
  readonly traits;
  readonly agent: ResolvedAgent<ExternalSettings>;
  readonly deps: AgentDeps;
  readonly #inboxes = new Map<string, Inbox>();

  constructor(agent: ResolvedAgent<ExternalSettings>, deps: AgentDeps) {
    this.agent = agent;
    this.deps = deps;
    const { answerMs: turnMs } = agent.settings;
    this.traits = { steers: false, ownsContext: true, ownsTools: true, reattaches: true, turnMs };
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
    return new ExternalConversation(this, opening, inbox, () => this.#forget(turnId, inbox));
  }

  get callbacks(): Callbacks {
    return {
      allow: (turnId, token) => isCallbackToken(this.agent.settings, turnId, token),
      receive: (turnId, piece) => this.#receive(turnId, piece),
    };
  }

  #forget(turnId: string, inbox: Inbox): void {
    if (this.#inboxes.get(turnId) === inbox) this.#inboxes.delete(turnId);
  }

  async #receive(turnId: string, piece: ExternalCallback): Promise<number> {
    const inbox = this.#inboxes.get(turnId);
    if (!inbox) throw notReady();
    return inbox.push(piece);
  }
}

/** How long after its end a turn is known, so that what comes then is told that it is over. */
const KNOWN_MS = 60_000;

/** What is kept of a turn that was sent: the agent has it, and answers. */
interface Sent {
  turnId: string;
  /** How many prompts of the turn it was sent. */
  prompts: number;
  /** How much of the answer to the newest prompt was taken, in UTF-16 units, tags included. */
  taken: number;
}

class ExternalConversation implements TextConversation {
  readonly #external: ExternalAgent;
  readonly #opening: Opening;
  readonly #inbox: Inbox;
  readonly #forget: () => void;
  readonly #closed = new AbortController();
  readonly #sent: Sent;
  #isToReattach: boolean;
  /** Before the server stopped, something was left out of the answer or held back: only the whole answer can go on. */
  #needsWhole = false;

  constructor(external: ExternalAgent, opening: Opening, inbox: Inbox, forget: () => void) {
    this.#external = external;
    this.#opening = opening;
    this.#inbox = inbox;
    this.#forget = forget;
    this.#isToReattach = opening.turn.resumed;
    this.#sent = { turnId: opening.turn.turnId, prompts: 0, taken: 0 };
  }

  async *prompt(text: string): AsyncGenerator<TextEvent, AgentEnd, void> {
    const signal = AbortSignal.any([this.#opening.signal, this.#closed.signal]);
    if (this.#isToReattach) this.#reattach();
    else {
      await this.#send(text, signal);
      yield this.#state();
    }
    this.#isToReattach = false;
    return yield* this.#listen(signal);
  }

  async interrupt(): Promise<void> {
    this.#closed.abort();
    if (this.#isServerStopping) return;
    const { agent, deps } = this.#external;
    const { turnId, sessionId, hops } = this.#opening.turn;
    const body = { event: 'cancel', turnId, sessionId, agentId: agent.agentId };
    const input = { key: `${turnId}/cancel`, body, hops: hops + 1 };
    await sendInput(agent.settings, deps, agent.displayName, input, AbortSignal.timeout(1000)).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#inbox.close(this.#isServerStopping ? notReady() : new AppError('turn_ended', say('turn_ended')));
    setTimeout(this.#forget, KNOWN_MS).unref();
  }

  get #isServerStopping(): boolean {
    return this.#opening.signal.reason instanceof ServerStopping;
  }

  #reattach(): void {
    const { state, turn } = this.#opening;
    Object.assign(this.#sent, JSON.parse(state ?? '{"prompts":1}') satisfies Partial<Sent>);
    this.#needsWhole = this.#sent.taken !== turn.said.length;
    if (this.#needsWhole) this.#sent.taken = 0;
  }

  #state(): TextEvent {
    return { type: 'state', token: JSON.stringify(this.#sent) };
  }

  #send(text: string, signal: AbortSignal): Promise<void> {
    const { agent, deps } = this.#external;
    const { turn } = this.#opening;
    const key = this.#sent.prompts === 0 ? turn.turnId : `${turn.turnId}/${this.#sent.prompts}`;
    this.#sent.prompts += 1;
    this.#sent.taken = 0;
    return sendInput(
      agent.settings,
      deps,
      agent.displayName,
      { key, body: this.#body(text), hops: turn.hops + 1 },
      signal,
    );
  }

  #body(text: string): object {
    const { agent, deps } = this.#external;
    const { turn, instructions, host } = this.#opening;
    const { callbackBaseUrl } = agent.settings;
    const base = callbackBaseUrl ?? deps.publicOrigin() ?? new URL(host.toolEndpoint().url).origin;
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
      const offset = piece.offset ?? this.#sent.taken;
      if (offset > this.#sent.taken) {
        refused(new AppError('callback_gap', say('callback_gap', { length: this.#sent.taken })));
        continue;
      }
      if (this.#needsWhole && piece.offset === 0) yield { type: 'told_again' };
      this.#needsWhole = false;
      const text = (piece.text ?? '').slice(this.#sent.taken - offset);
      this.#sent.taken += text.length;
      if (text !== '') yield { type: 'text', text };
      if (text !== '') yield this.#state();
      taken(this.#sent.taken);
      if (piece.error !== undefined) return failed(this.#external.agent, piece.error);
      if (piece.end) return { type: 'end', reason: 'complete', stopReason: 'stop' };
    }
  }
}

function notReady(): AppError {
  return new AppError('turn_not_ready', say('turn_not_ready'), { retryAfterSeconds: 1 });
}

function failed({ displayName: agent }: ResolvedAgent, reason: string): AgentEnd {
  const error = toTurnError('agent_failed', say('agent_failed.reason', { agent, reason }), true);
  return { type: 'end', reason: 'failed', stopReason: 'error', error };
}
