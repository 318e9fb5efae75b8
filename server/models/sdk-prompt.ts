import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import { soundInput } from './chat-request.ts';
import type { ModelMessage, ModelRequest, ModelTool, ModelToolCall, ModelToolResult } from './types.ts';

/** A request as the AI SDK's providers read it. Messages are translated once and kept as long as they live. */
export function sdkPrompt(request: ModelRequest): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  if (request.system !== '') prompt.push({ role: 'system', content: request.system });
  for (const message of request.messages) if (!isEmpty(message)) prompt.push(translated(message));
  return prompt;
}

export function sdkTools(tools: readonly ModelTool[]): LanguageModelV4FunctionTool[] | undefined {
  if (tools.length === 0) return undefined;
  return tools.map(({ name, description, inputSchema }) => ({ type: 'function', name, description, inputSchema }));
}

/** Providers refuse a message without words. */
function isEmpty(message: ModelMessage): boolean {
  if (message.role === 'tool') return message.results.length === 0;
  return message.text.trim() === '' && (message.role === 'user' || !message.toolCalls?.length);
}

const cache = new WeakMap<ModelMessage, LanguageModelV4Message>();

function translated(message: ModelMessage): LanguageModelV4Message {
  const known = cache.get(message);
  if (known) return known;
  const made = translate(message);
  cache.set(message, made);
  return made;
}

function translate(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] };
    case 'assistant':
      return { role: 'assistant', content: [...said(message.text), ...(message.toolCalls ?? []).map(toolCall)] };
    case 'tool':
      return { role: 'tool', content: message.results.map(toolResult) };
  }
}

function said(text: string): { type: 'text'; text: string }[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
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
