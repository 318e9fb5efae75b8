import { isJsonTooDeep } from '../../contract/json-depth.ts';
import { alternate } from './alternate.ts';
import { opaqueParts } from './opaque.ts';
import type { ModelImage, ModelMessage, ModelRequest, ModelTool, ModelToolCall, ModelToolResult } from './types.ts';

/** The body of a chat-completions request. Only messages not seen before are serialised; the rest is joined. */
export function chatBody(model: string, request: ModelRequest): string {
  return `${head(model, request)}${tools(request.tools)},"messages":[${messages(request)}]}`;
}

/**
 * Arguments as a JSON object, also when the model broke them: servers refuse a history that does not parse, and arguments
 * that are nested very deep cannot be written as JSON at all.
 */
export function soundInput(input: string): Record<string, unknown> {
  try {
    const value: unknown = isJsonTooDeep(input) ? undefined : JSON.parse(input);
    if (isObject(value)) return value;
  } catch {
    // what a model wrote need not be JSON
  }
  return input.trim() === '' ? {} : { invalid_json: input };
}

function head(model: string, request: ModelRequest): string {
  const settings = {
    model,
    stream: true,
    stream_options: { include_usage: true },
    temperature: request.temperature,
    max_tokens: request.maxOutputTokens,
    reasoning_effort: request.reasoningEffort,
  };
  return JSON.stringify(settings).slice(0, -1);
}

const toolCache = new WeakMap<readonly ModelTool[], string>();

/** An agent is offered the same array turn after turn, and schemas are long. */
function tools(offered: readonly ModelTool[]): string {
  if (offered.length === 0) return '';
  const known = toolCache.get(offered);
  if (known !== undefined) return known;
  const json = `,"tools":${JSON.stringify(offered.map(tool))}`;
  toolCache.set(offered, json);
  return json;
}

function tool({ name, description, inputSchema }: ModelTool): object {
  return { type: 'function', function: { name, description, parameters: inputSchema } };
}

function messages(request: ModelRequest): string {
  const parts = request.system === '' ? [] : [JSON.stringify({ role: 'system', content: request.system })];
  for (const message of alternate(request.messages)) parts.push(serialised(message));
  return parts.join(',');
}

const cache = new WeakMap<ModelMessage, string>();

function serialised(message: ModelMessage): string {
  const known = cache.get(message);
  if (known !== undefined) return known;
  const json = serialise(message);
  cache.set(message, json);
  return json;
}

function serialise(message: ModelMessage): string {
  switch (message.role) {
    case 'user':
      return JSON.stringify({ role: 'user', content: asked(message.text, message.images ?? []) });
    case 'assistant':
      return JSON.stringify({
        role: 'assistant',
        ...said(message.text, message.toolCalls ?? []),
        ...thoughts(message.opaque),
      });
    case 'tool':
      return message.results.map(result).join(',');
  }
}

function asked(text: string, images: readonly ModelImage[]): string | object[] {
  if (images.length === 0) return text;
  const shown = images.map(({ mediaType, data }) => ({
    type: 'image_url',
    image_url: { url: `data:${mediaType};base64,${data}` },
  }));
  return text === '' ? shown : [{ type: 'text', text }, ...shown];
}

/** A server that sends its thoughts under this name wants them back with its calls, and some refuse to go on without. */
function thoughts(opaque: unknown): object {
  const [part] = opaqueParts(opaque, 'openai-compatible') ?? [];
  return part?.kind === 'reasoning' ? { reasoning_content: part.text } : {};
}

function said(text: string, calls: readonly ModelToolCall[]): object {
  if (calls.length === 0) return { content: text };
  return { content: text === '' ? null : text, tool_calls: calls.map(call) };
}

function call({ id, name, input }: ModelToolCall): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(soundInput(input)) } };
}

function result({ id, output, isError }: ModelToolResult): string {
  // the protocol has no field for a failed call, so the words must say it
  return JSON.stringify({ role: 'tool', tool_call_id: id, content: isError ? `Error: ${output}` : output });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
