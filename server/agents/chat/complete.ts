import type { Model } from '../../models/types.ts';
import type { CompletionRequest } from '../agent.ts';

/** One answer outside of any turn. Throws what the model failed on, with a message for the person. */
export async function complete(model: Model, wanted: CompletionRequest, signal: AbortSignal): Promise<string> {
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
