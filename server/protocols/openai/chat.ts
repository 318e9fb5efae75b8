import { cutReason } from '../../../contract/cut-answer.ts';
import type { Turn, Usage } from '../../../contract/turns.ts';

/** The shapes of `/v1/chat/completions`. */
export class ChatCompletion {
  readonly #head: { id: string; created: number; model: string };
  readonly #turn: Turn;

  constructor(turn: Turn) {
    this.#turn = turn;
    const created = Math.floor(Date.parse(turn.createdAt) / 1000);
    this.#head = { id: `chatcmpl-${turn.id}`, created, model: turn.agentId };
  }

  whole(content: string, ended: Turn): object {
    const message = { role: 'assistant', content, refusal: null };
    const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(ended) };
    const { sessionId, id } = this.#turn;
    return {
      ...this.#head,
      object: 'chat.completion',
      choices: [choice],
      usage: chatUsage(ended.usage),
      parley: { session_id: sessionId, turn_id: id },
    };
  }

  chunk(delta: object, finish: string | null = null): object {
    const choice = { index: 0, delta, logprobs: null, finish_reason: finish };
    return { ...this.#head, object: 'chat.completion.chunk', choices: [choice] };
  }

  /** Before the first word: who answers, and where. */
  opening(): object {
    const { sessionId, id } = this.#turn;
    const first = this.chunk({ role: 'assistant', content: '' });
    return { ...first, parley: { session_id: sessionId, turn_id: id } };
  }

  closing(ended: Turn): object {
    return this.chunk({}, finishReason(ended));
  }

  usage({ usage }: Turn): object {
    return { ...this.#head, object: 'chat.completion.chunk', choices: [], usage: chatUsage(usage) };
  }
}

function finishReason(turn: Turn): string {
  const cut = cutReason(turn);
  return cut === 'length' || cut === 'content_filter' ? cut : 'stop';
}

function chatUsage(usage: Usage | null): object {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, reasoningTokens = 0 } = usage ?? {};
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
