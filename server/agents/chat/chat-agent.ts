import type { Model, ModelEvent, ModelMessage, ModelRequest } from '../../models/types.ts';
import type { AgentAdapter, AgentEvent, SeenRequest, TurnInput } from '../adapter.ts';
import { estimateMessages, estimateTokens } from '../prompt/estimate-tokens.ts';
import { FromTagFilter } from '../prompt/from-tag.ts';
import { readAs } from '../prompt/reader.ts';
import { buildSystemPrompt } from '../prompt/system-prompt.ts';
import type { ResolvedAgent } from '../resolved-agent.ts';

/** An agent whose words come from a model. One step is one request; a further step follows when the person steered. */
export class ChatAgent implements AgentAdapter {
  readonly canSteer = true;
  readonly #speaker: ResolvedAgent;
  readonly #model: Model;

  constructor(speaker: ResolvedAgent, model: Model) {
    this.#speaker = speaker;
    this.#model = model;
  }

  async *take(input: TurnInput, signal: AbortSignal): AsyncIterable<AgentEvent> {
    const { agentId } = this.#speaker;
    const messages = readAs(agentId, input.history, input.summary);
    const system = buildSystemPrompt(this.#speaker, { guest: input.textOnly, othersSpoke: input.othersSpoke });
    for (;;) {
      const request = this.#request(system, messages);
      yield { type: 'seen', request: describeRequest(request, this.#speaker.chat.model) };
      const step = new Step();
      for await (const event of this.#model.stream(request, signal)) {
        const seen = step.read(event);
        if (seen) yield seen;
      }
      const end = step.end();
      if (end.rest) yield { type: 'text', text: end.rest };
      if (end.event.reason !== 'complete') return yield end.event;
      const added = await input.steer();
      if (added.length === 0) return yield end.event;
      messages.push(...readAs(agentId, added, null));
    }
  }

  #request(system: string, messages: readonly ModelMessage[]): ModelRequest {
    const { temperature, maxTokens, reasoningEffort } = this.#speaker.chat;
    return {
      system,
      messages,
      tools: [],
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(reasoningEffort !== undefined && { reasoningEffort }),
    };
  }
}

const NO_TOOLS = 'This agent has no tools in this turn, so the call was not carried out.';

/** What one request brought: passes words on as they come and remembers how it ended. */
class Step {
  readonly #filter = new FromTagFilter();
  #end: Extract<AgentEvent, { type: 'end' }> = { type: 'end', reason: 'failed', stopReason: 'error' };
  #rejected = 0;
  #spoke = false;

  read(event: ModelEvent): AgentEvent | null {
    switch (event.type) {
      case 'text':
        return this.#say(this.#filter.push(event.text));
      case 'reasoning':
        return event.text ? event : null;
      case 'tool_call':
        this.#rejected += 1;
        return { type: 'rejected_tool', callId: event.id, name: event.name, input: event.input, reason: NO_TOOLS };
      case 'usage':
        return event;
      case 'end':
        this.#end = toEnd(event);
        return null;
    }
  }

  end(): { rest: string; event: Extract<AgentEvent, { type: 'end' }> } {
    const rest = this.#filter.end();
    this.#note(rest);
    if (this.#end.reason === 'complete' && this.#rejected > 0 && !this.#spoke) return { rest, event: ONLY_TOOLS };
    return { rest, event: this.#end };
  }

  #note(text: string): void {
    this.#spoke ||= text.trim() !== '';
  }

  #say(text: string): AgentEvent | null {
    this.#note(text);
    return text ? { type: 'text', text } : null;
  }
}

const ONLY_TOOLS: Extract<AgentEvent, { type: 'end' }> = {
  type: 'end',
  reason: 'failed',
  stopReason: 'tool_rejected',
  error: {
    code: 'tools_not_allowed',
    message: 'The agent only tried to use tools, which it may not do in this turn, and said nothing.',
    retryable: true,
  },
};

function toEnd(event: Extract<ModelEvent, { type: 'end' }>): Extract<AgentEvent, { type: 'end' }> {
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

function describeRequest(request: ModelRequest, model: string): SeenRequest {
  const texts = request.messages as readonly { text?: string }[];
  return {
    system: request.system,
    model,
    tools: request.tools.map((tool) => tool.name),
    estimatedTokens: estimateTokens(request.system) + estimateMessages(texts),
  };
}
