import type { ModelEvent, ModelToolCall } from '../../models/types.ts';
import type { AgentEnd, AgentEvent, DelegationFilter, DelegationWish, RequestedStep } from '../adapter.ts';
import { FromTagFilter } from '../prompt/from-tag.ts';

const NO_TOOLS = 'This agent has no tools in this turn, so the call was not carried out.';

/** What one request brought: passes words on as they come and remembers what was asked for and how it ended. */
export class Step {
  readonly #textOnly: boolean;
  readonly #tags = new FromTagFilter();
  readonly #delegations: DelegationFilter | null;
  readonly calls: ModelToolCall[] = [];
  #end: AgentEnd = { type: 'end', reason: 'failed', stopReason: 'error' };
  #opaque: unknown;
  #rejected = 0;
  #spoke = false;

  constructor(textOnly: boolean, delegations: DelegationFilter | null) {
    this.#textOnly = textOnly;
    this.#delegations = delegations;
  }

  read(event: ModelEvent): AgentEvent | null {
    switch (event.type) {
      case 'text':
        return this.#say(this.#show(this.#tags.push(event.text)));
      case 'reasoning':
        return event.text ? event : null;
      case 'tool_call':
        return this.#call(event);
      case 'opaque':
        this.#opaque = event.value;
        return null;
      case 'usage':
        return event;
      case 'end':
        this.#end = toEnd(event);
        return null;
      default:
        return event satisfies never;
    }
  }

  end(): { rest: string; end: AgentEnd } {
    const rest = this.#show(this.#tags.end()) + (this.#delegations?.end() ?? '');
    this.#note(rest);
    if (this.#end.reason === 'complete' && this.#rejected > 0 && !this.#spoke) return { rest, end: ONLY_TOOLS };
    return { rest, end: this.#end };
  }

  requested(): RequestedStep {
    return { calls: this.calls, ...(this.#opaque !== undefined && { opaque: this.#opaque }) };
  }

  /** What the agent wants others to do. */
  wishes(): DelegationWish[] {
    return this.#delegations?.take() ?? [];
  }

  #call({ id, name, input }: ModelToolCall): AgentEvent | null {
    if (this.#textOnly) {
      this.#rejected += 1;
      return { type: 'rejected_tool', callId: id, name, input, reason: NO_TOOLS };
    }
    this.calls.push({ id, name, input });
    return null;
  }

  #show(text: string): string {
    return this.#delegations ? this.#delegations.push(text) : text;
  }

  #note(text: string): void {
    this.#spoke ||= text.trim() !== '';
  }

  #say(text: string): AgentEvent | null {
    this.#note(text);
    return text ? { type: 'text', text } : null;
  }
}

const ONLY_TOOLS: AgentEnd = {
  type: 'end',
  reason: 'failed',
  stopReason: 'tool_rejected',
  error: {
    code: 'tools_not_allowed',
    message: 'The agent only tried to use tools, which it may not do in this turn, and said nothing.',
    retryable: true,
  },
};

function toEnd(event: Extract<ModelEvent, { type: 'end' }>): AgentEnd {
  switch (event.reason) {
    case 'aborted':
      return { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };
    case 'context_overflow':
      return { type: 'end', reason: 'overflow', stopReason: 'context_overflow', ...withError(event) };
    case 'error':
      return { type: 'end', reason: 'failed', stopReason: 'error', ...withError(event) };
    default:
      return { type: 'end', reason: 'complete', stopReason: event.reason };
  }
}

function withError(event: Extract<ModelEvent, { type: 'end' }>) {
  return event.error ? { error: event.error } : {};
}
