import type {
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import { alternate } from './alternate.ts';
import { soundInput } from './chat-request.ts';
import { type OpaquePart, type OpaqueProvider, opaqueParts } from './opaque.ts';
import type { ModelImage, ModelMessage, ModelRequest, ModelTool, ModelToolCall, ModelToolResult } from './types.ts';

/** A request as the AI SDK's providers read it. Messages are translated once and kept as long as they live. */
export function sdkPrompt(request: ModelRequest, provider: OpaqueProvider): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  if (request.system !== '') prompt.push({ role: 'system', content: request.system });
  for (const message of alternate(request.messages)) prompt.push(translated(message, provider));
  return prompt;
}

export function sdkTools(tools: readonly ModelTool[]): LanguageModelV4FunctionTool[] | undefined {
  if (tools.length === 0) return undefined;
  return tools.map(({ name, description, inputSchema }) => ({ type: 'function', name, description, inputSchema }));
}

const caches = new Map<OpaqueProvider, WeakMap<ModelMessage, LanguageModelV4Message>>();

function translated(message: ModelMessage, provider: OpaqueProvider): LanguageModelV4Message {
  const cache = caches.get(provider) ?? new WeakMap<ModelMessage, LanguageModelV4Message>();
  caches.set(provider, cache);
  const made = cache.get(message) ?? translate(message, provider);
  cache.set(message, made);
  return made;
}

function translate(message: ModelMessage, provider: OpaqueProvider): LanguageModelV4Message {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [...said(message.text), ...(message.images ?? []).map(image)] };
    case 'assistant':
      return { role: 'assistant', content: spoken(message, opaqueParts(message.opaque, provider)) };
    case 'tool':
      return { role: 'tool', content: message.results.map(toolResult) };
  }
}

type Spoken = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart;
type Assistant = Extract<ModelMessage, { role: 'assistant' }>;

function spoken({ text, toolCalls = [] }: Assistant, parts: readonly OpaquePart[] = []): Spoken[] {
  if (isLaidOutLike(parts, text, toolCalls)) return laidOut(parts, text, toolCalls);
  const thoughts = parts.flatMap((part) => (part.kind === 'reasoning' ? [thought(part)] : []));
  return [...thoughts, ...said(text), ...toolCalls.map(toolCall)];
}

/** Words may have been removed from an answer since, or neutralised: then the positions of its parts are unknown. */
function isLaidOutLike(parts: readonly OpaquePart[], text: string, calls: readonly ModelToolCall[]): boolean {
  const length = parts.reduce((sum, part) => sum + (part.kind === 'text' ? part.length : 0), 0);
  return length === text.length && parts.filter(({ kind }) => kind === 'call').length === calls.length;
}

/** Providers refuse thoughts in another place than they had. */
function laidOut(parts: readonly OpaquePart[], text: string, calls: readonly ModelToolCall[]): Spoken[] {
  let at = 0;
  let called = 0;
  return parts.flatMap((part): Spoken[] => {
    if (part.kind === 'reasoning') return [thought(part)];
    if (part.kind === 'call') return [toolCall(calls[called++]!)];
    at += part.length;
    return said(text.slice(at - part.length, at));
  });
}

function thought({ text, options }: Extract<OpaquePart, { kind: 'reasoning' }>): LanguageModelV4ReasoningPart {
  return { type: 'reasoning', text, providerOptions: options };
}

function said(text: string): LanguageModelV4TextPart[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function image({ mediaType, data }: ModelImage): LanguageModelV4FilePart {
  return { type: 'file', mediaType, data: { type: 'data', data } };
}

function toolCall({ id, name, input }: ModelToolCall): LanguageModelV4ToolCallPart {
  return { type: 'tool-call', toolCallId: id, toolName: name, input: soundInput(input) };
}

function toolResult({ id, name, output, isError }: ModelToolResult): LanguageModelV4ToolResultPart {
  return {
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: { type: isError ? 'error-text' : 'text', value: output },
  };
}
