import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Attempt, Endpoint } from './attempt.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { opaqueParts } from './opaque.ts';
import { sdkPrompt, sdkTools } from './sdk-prompt.ts';
import { sdkStream } from './sdk-stream.ts';
import type { ModelMessage, ModelRequest, ReasoningEffort } from './types.ts';

/** Anthropic's Messages API. */
export function anthropicAttempt({ base, model, apiKey, maxEventBytes, ...endpoint }: Endpoint): Attempt {
  const fetch = endpoint.fetch ?? boundedFetch(maxEventBytes);
  const provider = createAnthropic({ baseURL: base.href, apiKey, fetch });
  const messages = provider.messages(model);
  return (request, signal) => sdkStream(messages, callOptions(request, signal), 'anthropic');
}

function callOptions(request: ModelRequest, abortSignal: AbortSignal): LanguageModelV4CallOptions {
  const { temperature, maxOutputTokens, reasoningEffort } = request;
  return {
    prompt: withCacheMarks(sdkPrompt(request, 'anthropic')),
    tools: sdkTools(request.tools),
    temperature,
    maxOutputTokens,
    ...(mayThink(request.messages) ? { reasoning: reasoningEffort } : withoutThinking(reasoningEffort)),
    abortSignal,
  };
}

/** With thinking on, Anthropic wants the thinking before the first tool call back, signed. What came long ago has none. */
function mayThink(messages: readonly ModelMessage[]): boolean {
  if (messages.at(-1)?.role !== 'tool') return true;
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const first = messages.find((message, at) => at > asked && message.role === 'assistant' && message.toolCalls?.length);
  return first?.role === 'assistant' && opaqueParts(first.opaque, 'anthropic') !== undefined;
}

function withoutThinking(effort: ReasoningEffort | undefined): Partial<LanguageModelV4CallOptions> {
  if (effort === undefined) return {};
  return { reasoning: 'none', providerOptions: { anthropic: { sendReasoning: false } } };
}

/**
 * What will be the same next time is marked for Anthropic's cache: the system prompt, and all but the last message,
 * which may carry words made for this one request.
 */
function withCacheMarks(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const stable = prompt.length - 2;
  return prompt.map((message, at) => (at === stable || message.role === 'system' ? marked(message) : message));
}

function marked(message: LanguageModelV4Message): LanguageModelV4Message {
  return { ...message, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
}
