import type { Finish, ScriptedUsage } from './scripted-script.ts';

type BlockKind = 'text' | 'thinking';

/** Anthropic's Messages API. */
export class MessagesWire {
  readonly #model: string;
  #index = -1;
  #open: BlockKind | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  open(): string {
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: this.#model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    return frame('message_start', { message });
  }

  text(text: string): string {
    return this.#into('text', { type: 'text', text: '' }) + this.#delta({ type: 'text_delta', text });
  }

  reasoning(thinking: string): string {
    const begin = this.#into('thinking', { type: 'thinking', thinking: '', signature: '' });
    return begin + this.#delta({ type: 'thinking_delta', thinking });
  }

  toolCall(id: string, name: string, pieces: readonly string[]): string {
    const begin = this.#close() + this.#begin({ type: 'tool_use', id, name, input: {} });
    const deltas = pieces.map((piece) => this.#delta({ type: 'input_json_delta', partial_json: piece }));
    return begin + deltas.join('') + frame('content_block_stop', { index: this.#index });
  }

  ping(): string {
    return frame('ping', {});
  }

  error(message: string, type: string | undefined): string {
    return frame('error', { error: { type: type ?? 'api_error', message } });
  }

  finish(reason: Finish, { input, output, cached }: ScriptedUsage): string {
    const delta = { stop_reason: STOP_REASONS[reason], stop_sequence: null };
    const usage = { input_tokens: input, output_tokens: output, cache_read_input_tokens: cached ?? 0 };
    return this.#close() + frame('message_delta', { delta, usage }) + frame('message_stop', {});
  }

  done(): string {
    return '';
  }

  #into(kind: BlockKind, block: object): string {
    if (this.#open === kind) return '';
    const begin = this.#close() + this.#begin(block);
    this.#open = kind;
    return begin;
  }

  #begin(content_block: object): string {
    this.#index += 1;
    return frame('content_block_start', { index: this.#index, content_block });
  }

  #delta(delta: object): string {
    return frame('content_block_delta', { index: this.#index, delta });
  }

  #close(): string {
    if (!this.#open) return '';
    const signature = this.#open === 'thinking' ? this.#delta({ type: 'signature_delta', signature: 'c2ln' }) : '';
    this.#open = undefined;
    return signature + frame('content_block_stop', { index: this.#index });
  }
}

const STOP_REASONS: Record<Finish, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

function frame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
