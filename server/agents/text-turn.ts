import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { toTurnError } from '../../contract/turns.ts';
import { ProcessStartError } from '../processes/child.ts';
import type { AgentEnd, AgentEvent, AttributedMessage, TurnHost, TurnInput } from './agent.ts';
import { estimateTokens } from './prompt/estimate-tokens.ts';
import { addedPrompt, RESUMED_PROMPT, textInstructions, textPrompt } from './prompt/text-prompt.ts';
import { PromptAnswer } from './prompt-answer.ts';
import { StateLost, type TextAgent, TextAgentFailure, type TextConversation } from './text-agent.ts';

/** How long an agent may take to stop by itself. */
const INTERRUPT_MS = 1500;

/** One turn of an agent that reads text. */
export async function* runTextTurn(
  text: TextAgent,
  turn: TurnInput,
  host: TurnHost,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  try {
    yield yield* new TextTurn(text, turn, host, signal).run();
  } catch (error) {
    yield signal.aborted ? CANCELLED : toFailure(error);
  }
}

class TextTurn {
  readonly #text: TextAgent;
  readonly #turn: TurnInput;
  readonly #host: TurnHost;
  readonly #signal: AbortSignal;
  readonly #instructions: string;
  #conversation: TextConversation | null = null;
  #closing: Promise<void> | undefined;
  /** What the person added too late for the prompt that was being worked on. */
  readonly #added: AttributedMessage[] = [];

  constructor(text: TextAgent, turn: TurnInput, host: TurnHost, signal: AbortSignal) {
    this.#text = text;
    this.#turn = turn;
    this.#host = host;
    this.#signal = signal;
    this.#instructions = textInstructions(text.agent, turn, host, text.callsTools);
  }

  async *run(): AsyncGenerator<AgentEvent, AgentEnd> {
    try {
      return yield* this.#answer(false);
    } catch (error) {
      if (!(error instanceof StateLost)) throw error;
      if (this.#turn.resumed) return INTERRUPTED;
    }
    yield { type: 'state', token: null };
    yield { type: 'notice', text: say('notice.stateLost', { agent: this.#text.agent.displayName }) };
    return yield* this.#answer(true);
  }

  async *#answer(lost: boolean): AsyncGenerator<AgentEvent, AgentEnd> {
    const { state, resumed } = this.#turn;
    if (resumed && state === null) return INTERRUPTED;
    let broken = true;
    try {
      const opening = { state: lost ? null : state, instructions: this.#instructions };
      const common = { turn: this.#turn, host: this.#host, signal: this.#signal };
      this.#closing = undefined;
      this.#conversation = null;
      this.#conversation = await this.#text.open({ ...opening, ...common });
      const end = yield* this.#prompts(await this.#firstPrompt(lost));
      broken = end.reason !== 'complete';
      return end;
    } finally {
      await this.#close(broken);
    }
  }

  async #firstPrompt(lost: boolean): Promise<string> {
    if (this.#turn.resumed) return RESUMED_PROMPT;
    const { attachments, agent } = this.#text;
    const [history, messages, [input]] = await Promise.all([
      attachments.withTexts(this.#turn.history),
      attachments.withTexts(this.#turn.unseen.messages),
      attachments.withTexts([this.#turn.input]),
    ]);
    const turn = { ...this.#turn, history, input: input!, unseen: { ...this.#turn.unseen, messages } };
    const carries = this.#conversation?.carries?.bind(this.#conversation);
    return textPrompt(turn, agent.attachments, { lost, carries });
  }

  async *#prompts(first: string): AsyncGenerator<AgentEvent, AgentEnd> {
    let prompt = first;
    for (let step = this.#turn.steps.length; ; step++) {
      const refused = await this.#host.mayStep(step);
      if (refused) return refused;
      const answer = new PromptAnswer(this.#host, this.#turn.said);
      const end = yield* this.#prompt(prompt, answer);
      if (this.#signal.aborted) return CANCELLED;
      if (end.reason !== 'complete') return end;
      const wanted = answer.takeDelegations();
      const answers = wanted.length > 0 ? await this.#host.delegates!.follow(wanted) : [];
      if (answers === null) return STOPPED_BY_PERSON;
      const added = [...answers, ...this.#added.splice(0), ...(await this.#host.steer())];
      if (this.#signal.aborted) return CANCELLED;
      if (added.length === 0) return end;
      prompt = await this.#promptOf(added);
    }
  }

  async #promptOf(added: readonly AttributedMessage[]): Promise<string> {
    const { agent, attachments } = this.#text;
    return addedPrompt(agent.agentId, await attachments.withTexts(added), agent.attachments);
  }

  async *#prompt(text: string, answer: PromptAnswer): AsyncGenerator<AgentEvent, AgentEnd> {
    yield { type: 'seen', request: this.#describe(text) };
    const stopWatching = this.#closeOnceAborted();
    try {
      const events = this.#conversation!.prompt(text);
      for (;;) {
        const { done, value } = await events.next();
        yield* done ? answer.end() : answer.take(value);
        if (done) return value;
        if (value.type === 'tool_started' && this.#turn.textOnly) return GUEST_TOOL;
        if (value.type === 'tool_ended' && !answer.hasOpenCalls) await this.#steer();
      }
    } finally {
      stopWatching();
    }
  }

  #describe(prompt: string) {
    const system = this.#instructions;
    const estimatedTokens = estimateTokens(system) + estimateTokens(prompt);
    return { system, model: this.#text.agent.model, tools: [], estimatedTokens };
  }

  /** Between two steps of the agent, it is given what the person added. */
  async #steer(): Promise<void> {
    const conversation = this.#conversation;
    if (!conversation?.steer) return;
    const added = await this.#host.steer();
    if (added.length === 0) return;
    if (!(await conversation.steer(await this.#promptOf(added)))) this.#added.push(...added);
  }

  /** An agent that does not stop by itself is stopped. */
  #closeOnceAborted(): () => void {
    let timer: NodeJS.Timeout | undefined;
    const stop = () => {
      timer = setTimeout(() => void this.#close(true), INTERRUPT_MS);
      void this.#conversation?.interrupt().catch(() => this.#close(true));
    };
    if (this.#signal.aborted) stop();
    else this.#signal.addEventListener('abort', stop, { once: true });
    return () => {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', stop);
    };
  }

  async #close(broken: boolean): Promise<void> {
    this.#closing ??= this.#conversation?.close(broken);
    await this.#closing;
  }
}

const CANCELLED: AgentEnd = { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };
const STOPPED_BY_PERSON: AgentEnd = { type: 'end', reason: 'complete', stopReason: 'limit_stop' };

/** The turn had begun before the server stopped, and what the agent did meanwhile is not known. */
const INTERRUPTED: AgentEnd = {
  type: 'end',
  reason: 'interrupted',
  stopReason: 'server_stopped',
  error: toTurnError('server_stopped', say('server_stopped'), true),
};

/** The host ends the turn with the same words; this is for what the agent says of itself. */
const GUEST_TOOL: AgentEnd = {
  type: 'end',
  reason: 'failed',
  stopReason: 'tool_rejected',
  error: toTurnError('tools_not_allowed', say('tools_not_allowed.own'), true),
};

/** What is not expected is a defect: it is thrown, and the turn reports it. */
function toFailure(error: unknown): AgentEnd {
  const failed = { type: 'end', reason: 'failed', stopReason: 'error' } as const;
  if (error instanceof TextAgentFailure) return { ...failed, error: error.error };
  if (error instanceof ProcessStartError)
    return { ...failed, error: { code: 'program_failed', message: error.message, retryable: true } };
  if (!(error instanceof AppError)) throw error;
  const { code, message, text } = error;
  return { ...failed, error: { code, message, retryable: true, ...(text && { text }) } };
}
