import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4FinishReason,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { ProviderFault } from './attempt.ts';
import { streamFault } from './fault.ts';
import { OpaqueNotes, type OpaqueProvider } from './opaque.ts';
import type { ModelEndReason, ModelEvent, ModelUsage } from './types.ts';

/** One call of an AI SDK provider, below its `streamText`: that would cost three times as much for each chunk. */
export async function* sdkStream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  provider: OpaqueProvider,
): AsyncGenerator<readonly ModelEvent[], void> {
  const { stream } = await model.doStream(options).then(undefined, rethrow);
  const reader = stream.getReader();
  const notes = new OpaqueNotes(provider);
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      notes.note(part.value);
      const batch = eventsOf(part.value, notes);
      if (batch) yield batch;
      if (part.value.type === 'finish') return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function rethrow(error: unknown): never {
  if (!APICallError.isInstance(error)) throw error;
  const { statusCode: status, responseHeaders: headers, responseBody: body } = error;
  // without a status it never got an answer: the cause knows why
  if (status === undefined) throw error.cause ?? error;
  // a parse failure of a good answer has a status, too
  if (status < 300) throw broken('sent a response that could not be read', error);
  throw new ProviderFault(`answered ${status}`, { status, headers, body: body || error.message, cause: error });
}

/** Undefined for what is made on this side of the network; an empty batch for what shows that the model is at work. */
function eventsOf(part: LanguageModelV4StreamPart, notes: OpaqueNotes): readonly ModelEvent[] | undefined {
  switch (part.type) {
    case 'text-delta':
      return said('text', part.delta);
    case 'reasoning-delta':
      return said('reasoning', part.delta);
    case 'tool-input-delta':
      return part.delta === '' ? undefined : NOTHING_TO_SEE;
    case 'tool-call':
      return [{ type: 'tool_call', id: part.toolCallId, name: part.toolName, input: part.input }];
    case 'finish':
      return [
        ...opaqueEvents(notes),
        ...usageEvents(part.usage),
        { type: 'end', reason: endReason(part.finishReason) },
      ];
    case 'error':
      throw errorIn(part.error);
    case 'stream-start':
    case 'ping':
      return undefined;
    default:
      return NOTHING_TO_SEE;
  }
}

const NOTHING_TO_SEE: readonly ModelEvent[] = [];

/** An empty delta is no sign of life: a server that has stalled may send them for ever. */
function said(type: 'text' | 'reasoning', text: string): readonly ModelEvent[] | undefined {
  return text === '' ? undefined : [{ type, text }];
}

function opaqueEvents(notes: OpaqueNotes): ModelEvent[] {
  const value = notes.take();
  return value ? [{ type: 'opaque', value }] : [];
}

function usageEvents({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelEvent[] {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return [];
  const usage: ModelUsage = {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(inputTokens.cacheRead ? { cachedInputTokens: inputTokens.cacheRead } : {}),
    ...(outputTokens.reasoning ? { reasoningTokens: outputTokens.reasoning } : {}),
  };
  return [{ type: 'usage', usage }];
}

const REASONS: Readonly<Record<string, ModelEndReason>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

function endReason({ unified, raw }: LanguageModelV4FinishReason): ModelEndReason {
  const reason = REASONS[unified] ?? (unified === 'other' && raw !== undefined ? 'stop' : undefined);
  if (reason) return reason;
  throw broken('closed the stream before the reply was complete');
}

/** In-stream errors come as the provider's own object, wrapped or not, or as a failure to read what it sent. */
function errorIn(error: unknown): unknown {
  if (error instanceof ProviderFault) return error;
  const { data, name } = (typeof error === 'object' && error !== null ? error : {}) as {
    data?: unknown;
    name?: string;
  };
  if (data !== undefined) return streamFault(data);
  if (name?.startsWith('AI_')) return broken('sent an event that could not be read', error);
  return error instanceof Error ? error : streamFault(error);
}

function broken(words: string, cause?: unknown): ProviderFault {
  return new ProviderFault(words, { code: 'model_stream_broken', cause });
}
