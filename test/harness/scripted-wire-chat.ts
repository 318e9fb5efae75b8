import type { Finish, ScriptedUsage } from './scripted-script.ts';

/** OpenAI chat completions, as vLLM, Ollama and the rest speak them. */
export class ChatWire {
  readonly #model: string;
  #calls = 0;

  constructor(model: string) {
    this.#model = model;
  }

  open(): string {
    return this.#delta({ role: 'assistant', content: '' });
  }

  text(text: string): string {
    return this.#delta({ content: text });
  }

  reasoning(text: string): string {
    return this.#delta({ reasoning_content: text });
  }

  toolCall(id: string, name: string, pieces: readonly string[]): string {
    const index = this.#calls++;
    const begin = this.#delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    const rest = pieces.map((piece) => this.#delta({ tool_calls: [{ index, function: { arguments: piece } }] }));
    return begin + rest.join('');
  }

  ping(): string {
    return ': ping\n\n';
  }

  error(message: string, type: string | undefined, code: string | number | undefined): string {
    return frame({ error: { message, type, code } });
  }

  finish(reason: Finish, usage: ScriptedUsage): string {
    const last = this.#chunk([{ index: 0, delta: {}, finish_reason: reason }]);
    return last + this.#chunk([], usageOf(usage));
  }

  done(): string {
    return 'data: [DONE]\n\n';
  }

  #delta(delta: object): string {
    return this.#chunk([{ index: 0, delta, finish_reason: null }]);
  }

  #chunk(choices: object[], usage?: object): string {
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: this.#model };
    return frame({ ...head, choices, ...(usage ? { usage } : {}) });
  }
}

function usageOf({ input, output, cached, reasoning }: ScriptedUsage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached ?? 0 },
    completion_tokens_details: { reasoning_tokens: reasoning ?? 0 },
  };
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
