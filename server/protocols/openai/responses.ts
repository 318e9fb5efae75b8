import { cutReason } from '../../../contract/cut-answer.ts';
import type { Turn, Usage } from '../../../contract/turns.ts';
import { turnFailure } from './errors.ts';

const PREFIX = 'resp_';

export function responseId(turnId: string): string {
  return PREFIX + turnId;
}

/** Null when it is no id of a response. */
export function turnIdOf(id: string): string | null {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : null;
}

/** A turn as `/v1/responses` shows it. */
export function toResponse(turn: Turn, text: string, previous: string | null = null): object {
  const failure = turnFailure(turn);
  const isOver = turn.endedAt !== null;
  const cut = cutReason(turn);
  return {
    id: responseId(turn.id),
    object: 'response',
    created_at: Math.floor(Date.parse(turn.createdAt) / 1000),
    status: statusOf(turn),
    error: isOver && failure ? { code: 'server_error', message: failure.error.message } : null,
    incomplete_details: cut ? { reason: cut === 'content_filter' ? cut : 'max_output_tokens' } : null,
    instructions: null,
    metadata: { parley_session: turn.sessionId, parley_turn: turn.id },
    model: turn.agentId,
    conversation: { id: turn.sessionId },
    output: text === '' && !isOver ? [] : [messageItem(turn, text, isOver ? 'completed' : 'in_progress')],
    output_text: text,
    parallel_tool_calls: true,
    previous_response_id: previous,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    background: false,
    usage: isOver ? responsesUsage(turn.usage) : null,
  };
}

function statusOf(turn: Turn): string {
  switch (turn.state) {
    case 'queued':
      return 'queued';
    case 'running':
    case 'waiting':
      return 'in_progress';
    case 'complete':
      return cutReason(turn) ? 'incomplete' : 'completed';
    case 'cancelled':
      return 'cancelled';
    case 'failed':
    case 'interrupted':
      return 'failed';
  }
}

function messageItem({ id }: Turn, text: string, status: string) {
  return { id: `msg_${id}`, type: 'message', status, role: 'assistant', content: [textPart(text)] };
}

function textPart(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function responsesUsage(usage: Usage | null): object {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, reasoningTokens = 0 } = usage ?? {};
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

/** The events of a streamed response, numbered. */
export class ResponseEvents {
  readonly #turn: Turn;
  readonly #previous: string | null;
  #number = 0;

  constructor(turn: Turn, previous: string | null) {
    this.#turn = turn;
    this.#previous = previous;
  }

  opening(): object[] {
    const response = toResponse(this.#turn, '', this.#previous);
    const item = { ...messageItem(this.#turn, '', 'in_progress'), content: [] };
    return [
      this.#event('response.created', { response }),
      this.#event('response.in_progress', { response }),
      this.#event('response.output_item.added', { output_index: 0, item }),
      this.#event('response.content_part.added', { ...this.#place(), part: textPart('') }),
    ];
  }

  text(delta: string): object {
    return this.#event('response.output_text.delta', { ...this.#place(), delta, logprobs: [] });
  }

  closing(ended: Turn, text: string): object[] {
    const response = toResponse(ended, text, this.#previous);
    const item = messageItem(ended, text, 'completed');
    const last = ended.state === 'complete' ? (cutReason(ended) ? 'incomplete' : 'completed') : 'failed';
    return [
      this.#event('response.output_text.done', { ...this.#place(), text, logprobs: [] }),
      this.#event('response.content_part.done', { ...this.#place(), part: textPart(text) }),
      this.#event('response.output_item.done', { output_index: 0, item }),
      this.#event(`response.${last}`, { response }),
    ];
  }

  #place() {
    return { item_id: `msg_${this.#turn.id}`, output_index: 0, content_index: 0 };
  }

  #event(type: string, facts: object): object {
    return { type, sequence_number: this.#number++, ...facts };
  }
}
