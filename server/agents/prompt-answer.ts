import type { AgentEvent, DelegationRequest, TurnHost } from './agent.ts';
import { AnswerText } from './answer-text.ts';
import type { TextEvent } from './text-agent.ts';

/** What an agent that reads text does in answer to one prompt: tags are taken out, messages are kept apart. */
export class PromptAnswer {
  readonly #host: Pick<TurnHost, 'delegates'>;
  readonly #delegations: DelegationRequest[] = [];
  readonly #openCalls = new Set<string>();
  #text: AnswerText;
  /** Words were said since the last tool call. */
  #hasSpoken = false;
  #isNewMessage = false;

  readonly #saidBefore: string;
  /** What is told again and not said again. */
  #known = '';

  /** `saidBefore`: in the answer to the same prompt, before the server stopped. */
  constructor(host: Pick<TurnHost, 'delegates'>, saidBefore: string) {
    this.#host = host;
    this.#saidBefore = saidBefore;
    this.#text = this.#newText();
  }

  get hasOpenCalls(): boolean {
    return this.#openCalls.size > 0;
  }

  take(event: TextEvent): AgentEvent[] {
    switch (event.type) {
      case 'text':
        return this.#say(this.#text.push(event.text));
      case 'new_message':
        return this.#endMessage();
      case 'told_again':
        this.#known = this.#saidBefore;
        return [];
      case 'tool_started':
        return [...this.#endMessage(), this.#noteStarted(event)];
      case 'tool_ended':
        this.#openCalls.delete(event.callId);
        return [event];
      default:
        return [event];
    }
  }

  /** What was held back, once the agent has answered. */
  end(): AgentEvent[] {
    return this.#endMessage();
  }

  takeDelegations(): DelegationRequest[] {
    return this.#delegations.splice(0);
  }

  #newText(): AnswerText {
    return new AnswerText(this.#host.delegates?.filter() ?? null);
  }

  #endMessage(): AgentEvent[] {
    const rest = this.#say(this.#text.end());
    this.#delegations.push(...this.#text.take());
    this.#text = this.#newText();
    this.#isNewMessage = true;
    return rest;
  }

  #noteStarted(event: Extract<TextEvent, { type: 'tool_started' }>): AgentEvent {
    this.#openCalls.add(event.callId);
    this.#hasSpoken = false;
    return event;
  }

  #say(told: string): AgentEvent[] {
    const text = this.#withoutKnown(told);
    if (text === '') return [];
    const separator = this.#isNewMessage && this.#hasSpoken ? '\n\n' : '';
    this.#isNewMessage = false;
    this.#hasSpoken = true;
    return [{ type: 'text', text: `${separator}${text}` }];
  }

  /** An answer that is another one now stands apart from what was said before. */
  #withoutKnown(text: string): string {
    const length = Math.min(this.#known.length, text.length);
    const isSame = this.#known.startsWith(text.slice(0, length));
    this.#known = isSame ? this.#known.slice(length) : '';
    if (!isSame) [this.#isNewMessage, this.#hasSpoken] = [true, true];
    return isSame ? text.slice(length) : text;
  }
}
