import type { Finish, ScriptedUsage } from './scripted-script.ts';

interface Item {
  type: 'message' | 'reasoning';
  id: string;
  text: string;
}

/** OpenAI's Responses API. */
export class ResponsesWire {
  readonly #model: string;
  #sequence = 0;
  #index = -1;
  #item: Item | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  open(): string {
    const response = this.#response('in_progress', {});
    return this.#frame('response.created', { response }) + this.#frame('response.in_progress', { response });
  }

  text(text: string): string {
    const begin = this.#into('message');
    this.#item!.text += text;
    return begin + this.#onItem('response.output_text.delta', { content_index: 0, delta: text, logprobs: [] });
  }

  reasoning(text: string): string {
    const begin = this.#into('reasoning');
    this.#item!.text += text;
    return begin + this.#onItem('response.reasoning_summary_text.delta', { summary_index: 0, delta: text });
  }

  toolCall(callId: string, name: string, pieces: readonly string[]): string {
    const close = this.#close();
    this.#index += 1;
    const id = `fc_${this.#index}`;
    const place = { item_id: id, output_index: this.#index };
    const item = { id, type: 'function_call', call_id: callId, name };
    const deltas = pieces.map((delta) => this.#frame('response.function_call_arguments.delta', { ...place, delta }));
    const input = pieces.join('');
    return [
      close,
      this.#itemFrame('added', { ...item, arguments: '', status: 'in_progress' }),
      ...deltas,
      this.#frame('response.function_call_arguments.done', { ...place, arguments: input }),
      this.#itemFrame('done', { ...item, arguments: input, status: 'completed' }),
    ].join('');
  }

  ping(): string {
    return ': keepalive\n\n';
  }

  error(message: string, _type: string | undefined, code: string | number | undefined): string {
    return this.#frame('error', { code: code ?? 'server_error', message, param: null });
  }

  finish(reason: Finish, usage: ScriptedUsage): string {
    const close = this.#close();
    const why = reason === 'length' ? 'max_output_tokens' : reason === 'content_filter' ? reason : undefined;
    const extra = { usage: usageOf(usage), ...(why ? { incomplete_details: { reason: why } } : {}) };
    const status = why ? 'incomplete' : 'completed';
    return close + this.#frame(`response.${status}`, { response: this.#response(status, extra) });
  }

  done(): string {
    return '';
  }

  #into(type: Item['type']): string {
    if (this.#item?.type === type) return '';
    const close = this.#close();
    this.#index += 1;
    this.#item = { type, id: `${type === 'message' ? 'msg' : 'rs'}_${this.#index}`, text: '' };
    return close + this.#itemFrame('added', itemOf(this.#item, 'in_progress')) + this.#partFrame('added');
  }

  #close(): string {
    if (!this.#item) return '';
    const frames = this.#partFrame('done') + this.#itemFrame('done', itemOf(this.#item, 'completed'));
    this.#item = undefined;
    return frames;
  }

  #itemFrame(what: 'added' | 'done', item: object): string {
    return this.#frame(`response.output_item.${what}`, { output_index: this.#index, item });
  }

  #partFrame(what: 'added' | 'done'): string {
    const { type, text } = this.#item!;
    if (type === 'message') {
      const part = { type: 'output_text', text: what === 'done' ? text : '', annotations: [] };
      return this.#onItem(`response.content_part.${what}`, { content_index: 0, part });
    }
    const part = { type: 'summary_text', text: what === 'done' ? text : '' };
    return this.#onItem(`response.reasoning_summary_part.${what}`, { summary_index: 0, part });
  }

  #onItem(type: string, data: object): string {
    return this.#frame(type, { item_id: this.#item?.id, output_index: this.#index, ...data });
  }

  #response(status: string, extra: object): object {
    return { id: 'resp_1', object: 'response', created_at: 1, status, model: this.#model, output: [], ...extra };
  }

  #frame(type: string, data: object): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#sequence++, ...data })}\n\n`;
  }
}

function itemOf({ type, id, text }: Item, status: 'in_progress' | 'completed'): object {
  const whole = status === 'completed';
  if (type === 'reasoning') return { id, type, summary: whole ? [{ type: 'summary_text', text }] : [] };
  const content = whole ? [{ type: 'output_text', text, annotations: [] }] : [];
  return { id, type, status, role: 'assistant', content };
}

function usageOf({ input, output, cached, reasoning }: ScriptedUsage): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: input + output,
  };
}
