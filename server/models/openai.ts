import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { HOPS_HEADER } from '../../contract/hops.ts';
import type { Attempt, Endpoint } from './attempt.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { sdkPrompt, sdkTools } from './sdk-prompt.ts';
import { sdkStream } from './sdk-stream.ts';
import type { ModelRequest } from './types.ts';

/** OpenAI's Responses API. Nothing is stored there: the transcript is ours, and is sent whole each time. */
export function openaiAttempt({ base, model, apiKey, maxEventBytes, ...endpoint }: Endpoint): Attempt {
  const fetch = endpoint.fetch ?? boundedFetch(maxEventBytes);
  const provider = createOpenAI({ baseURL: base.href, apiKey, fetch });
  const responses = provider.responses(model);
  return (request, signal) =>
    sdkStream(responses, { ...callOptions(request, signal), headers: headersFor(base, request) }, 'openai');
}

function callOptions(request: ModelRequest, abortSignal: AbortSignal): LanguageModelV4CallOptions {
  return {
    prompt: sdkPrompt(request, 'openai'),
    tools: sdkTools(request.tools),
    temperature: request.temperature,
    maxOutputTokens: request.maxOutputTokens,
    providerOptions: { openai: { store: false, strictJsonSchema: false, ...reasoning(request) } },
    abortSignal,
  };
}

/** OpenAI itself is told nothing of the servers before this one. */
function headersFor({ hostname }: URL, { hops }: ModelRequest): Record<string, string> {
  return hops === undefined || hostname === 'api.openai.com' ? {} : { [HOPS_HEADER]: String(hops) };
}

/** Summaries are asked for only with an effort: some organisations may not have them, and are refused for asking. */
function reasoning({ reasoningEffort }: ModelRequest): Record<string, string> {
  if (reasoningEffort === undefined) return {};
  return reasoningEffort === 'none' ? { reasoningEffort } : { reasoningEffort, reasoningSummary: 'auto' };
}
