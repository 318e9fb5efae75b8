import { say } from '../../../contract/texts.ts';
import { toTurnError } from '../../../contract/turns.ts';
import type { ModelEvent, ModelToolCall } from '../../models/types.ts';
import type { AgentEnd, AgentEvent, DelegationFilter, DelegationRequest, RequestedStep } from '../agent.ts';
import { AnswerText } from '../answer-text.ts';

const NO_TOOLS = 'This agent has no tools in this turn, so the call was not run.';

/** The request did not fit the model. */
export const OVERFLOW = 'context_overflow';

/** A model that asks for more calls than this in one step is malfunctioning; none of them is carried out. */
const MAX_CALLS = 128;

/** What one request brought: passes words on as they come and remembers what was asked for and how it ended. */
export class Step {
  readonly #textOnly: boolean;
  readonly #answer: AnswerText;
  readonly calls: ModelToolCall[] = [];
  #end: AgentEnd = { type: 'end', reason: 'failed', stopReason: 'error' };
  #opaque: unknown;
  #rejected = 0;
  #spoke = false;
  #hasTooMany = false;

  constructor(textOnly: boolean, delegations: DelegationFilter | null) {
    this.#textOnly = textOnly;
    this.#answer = new AnswerText(delegations);
  }

  read(event: ModelEvent): AgentEvent | null {
    switch (event.type) {
      case 'text':
        return this.#say(this.#answer.push(event.text));
      case 'reasoning':
        return event.text ? event : null;
      case 'tool_call':
        return this.#call(event);
      case 'opaque':
        this.#opaque = event.value;
        return null;
      case 'usage':
      case 'retry':
        return event;
      case 'end':
        this.#end = toEnd(event);
        return null;
      default:
        return event satisfies never;
    }
  }

  end(): { rest: string; end: AgentEnd } {
    const rest = this.#answer.end();
    this.#note(rest);
    if (this.#isCut() && this.calls.length > 0) {
      this.calls.length = 0;
      if (!this.#spoke) return { rest, end: CUT_IN_A_CALL };
    }
    if (this.#hasTooMany) return { rest, end: TOO_MANY_CALLS };
    if (this.#end.reason === 'complete' && this.#rejected > 0 && !this.#spoke) return { rest, end: ONLY_TOOLS };
    return { rest, end: this.#end };
  }

  /** What was asked for may lack its end, even where its arguments happen to be valid JSON. */
  #isCut(): boolean {
    return this.#end.stopReason === 'length' || this.#end.stopReason === 'content_filter';
  }

  requested(): RequestedStep {
    return { calls: this.calls, ...(this.#opaque !== undefined && { opaque: this.#opaque }) };
  }

  /** What the agent wants others to do. */
  wishes(): DelegationRequest[] {
    return this.#answer.take();
  }

  #call({ id, name, input }: ModelToolCall): AgentEvent | null {
    if (this.#textOnly) {
      this.#rejected += 1;
      return { type: 'rejected_tool', callId: id, name, input, reason: NO_TOOLS };
    }
    if (this.calls.length < MAX_CALLS) this.calls.push({ id, name, input });
    else this.#hasTooMany = true;
    return null;
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
  error: toTurnError('tools_not_allowed', say('tools_not_allowed'), true),
};

const CUT_IN_A_CALL: AgentEnd = {
  type: 'end',
  reason: 'failed',
  stopReason: 'length',
  error: {
    code: 'tool_call_cut',
    message: 'The reply was cut off in the middle of a tool call, so the call was not run. Raise maxTokens.',
    retryable: true,
  },
};

const TOO_MANY_CALLS: AgentEnd = {
  type: 'end',
  reason: 'failed',
  stopReason: 'error',
  error: {
    code: 'too_many_tool_calls',
    message: `The model requested more than ${MAX_CALLS} tool calls at once. None of them was run.`,
    retryable: true,
  },
};

function toEnd(event: Extract<ModelEvent, { type: 'end' }>): AgentEnd {
  switch (event.reason) {
    case 'aborted':
      return { type: 'end', reason: 'cancelled', stopReason: 'cancelled' };
    case 'context_overflow':
      return { type: 'end', reason: 'failed', stopReason: OVERFLOW, ...withError(event) };
    case 'error':
      return { type: 'end', reason: 'failed', stopReason: 'error', ...withError(event) };
    default:
      return { type: 'end', reason: 'complete', stopReason: event.reason };
  }
}

function withError(event: Extract<ModelEvent, { type: 'end' }>) {
  return event.error ? { error: event.error } : {};
}
