import type { Model, ModelMessage } from '../../models/types.ts';

export interface Single {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly maxTokens: number;
  readonly temperature: number | null;
}

/** One answer in words, outside of any turn. Throws what the model failed on, in words for a person. */
export async function askOnce(model: Model, wanted: Single, signal: AbortSignal): Promise<string> {
  const { system, messages, maxTokens: maxOutputTokens, temperature } = wanted;
  const request = { system, messages, tools: [], maxOutputTokens, ...(temperature !== null && { temperature }) };
  let text = '';
  for await (const event of model.stream(request, signal)) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'end' && event.error) throw new Error(event.error.message);
  }
  signal.throwIfAborted();
  return text;
}
