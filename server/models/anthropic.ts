import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Attempt, Endpoint } from './attempt.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { sdkPrompt, sdkTools } from './sdk-prompt.ts';
import { sdkStream } from './sdk-stream.ts';
import type { ModelRequest, ReasoningEffort } from './types.ts';

/** Anthropic's Messages API. */
export function anthropicAttempt({ base, model, apiKey, maxEventBytes }: Endpoint): Attempt {
  const provider = createAnthropic({ baseURL: base.href, apiKey, fetch: boundedFetch(maxEventBytes) });
  const messages = provider.messages(model);
  return (request, signal) => sdkStream(messages, callOptions(request, signal));
}

function callOptions(request: ModelRequest, abortSignal: AbortSignal): LanguageModelV4CallOptions {
  return {
    prompt: withCacheMarks(beginningWithUser(sdkPrompt(request))),
    tools: sdkTools(request.tools),
    temperature: request.temperature,
    maxOutputTokens: request.maxOutputTokens,
    reasoning: effortFor(request),
    abortSignal,
  };
}

/**
 * With thinking on, Anthropic wants the thinking before a tool call back, signed. We do not keep it, so while the
 * results of a call are the last thing said, thinking is off.
 */
function effortFor({ messages, reasoningEffort }: ModelRequest): ReasoningEffort | undefined {
  return reasoningEffort !== undefined && messages.at(-1)?.role === 'tool' ? 'none' : reasoningEffort;
}

/** Anthropic refuses a conversation that an assistant opens, and a transcript may begin anywhere. */
function beginningWithUser(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const at = prompt.findIndex((message) => message.role !== 'system');
  if (at === -1 || prompt[at]?.role === 'user') return prompt;
  return prompt.toSpliced(at, 0, { role: 'user', content: [{ type: 'text', text: '(The conversation goes on.)' }] });
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
