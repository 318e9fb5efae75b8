import { randomUUID } from 'node:crypto';
import { ProviderFault } from './attempt.ts';
import { streamFault } from './fault.ts';
import type { OpaquePart } from './opaque.ts';
import { SseReader, tooLarge } from './sse.ts';
import type { ModelEndReason, ModelEvent, ModelUsage } from './types.ts';

/** Turns the text of a chat-completions stream into events. One reader reads one answer. */
export class ChatReader {
  readonly #sse: SseReader;
  readonly #calls: ToolCalls;
  #batch: ModelEvent[] = [];
  #thoughts = '';
  #progressed = false;
  #finish: string | undefined;
  #usage: ModelUsage | undefined;
  #done = false;
  #fault: unknown;

  constructor(maxEventBytes: number) {
    this.#sse = new SseReader(maxEventBytes, (data, event) => this.#onEvent(data, event));
    this.#calls = new ToolCalls(maxEventBytes);
  }

  /** The model has said why it stopped: whatever the connection does now, the answer is whole. */
  get finished(): boolean {
    return this.#finish !== undefined;
  }

  /** The server has said that nothing more comes. */
  get done(): boolean {
    return this.#done;
  }

  /** What stopped the reading. What had come before it is still good, wherever the network cut the two apart. */
  get fault(): unknown {
    return this.#fault;
  }

  /** What this piece of text brought; undefined when it held nothing but pings and half events. */
  push(text: string): readonly ModelEvent[] | undefined {
    try {
      this.#sse.push(text);
    } catch (error) {
      this.#fault = error;
    }
    return this.#take();
  }

  /** The stream is over. The last events, `end` among them, or a fault when the answer is not whole. */
  end(): readonly ModelEvent[] {
    this.#sse.end();
    if (!this.#done && !this.finished) {
      throw new ProviderFault('closed the stream before the reply was complete', { code: 'model_stream_broken' });
    }
    const calls = this.#calls.take();
    const usage: ModelEvent[] = this.#usage ? [{ type: 'usage', usage: this.#usage }] : [];
    const end: ModelEvent = { type: 'end', reason: endReason(this.#finish, calls.length > 0) };
    return [...(this.#take() ?? []), ...calls, ...this.#opaque(calls.length > 0), ...usage, end];
  }

  #opaque(called: boolean): ModelEvent[] {
    if (!called || this.#thoughts === '') return [];
    const parts: OpaquePart[] = [{ kind: 'reasoning', text: this.#thoughts, options: {} }];
    return [{ type: 'opaque', value: { provider: 'openai-compatible', parts } }];
  }

  #take(): readonly ModelEvent[] | undefined {
    if (!this.#progressed) return undefined;
    const batch = this.#batch;
    this.#batch = [];
    this.#progressed = false;
    return batch;
  }

  #onEvent(data: string, event: string): void {
    if (this.#done) return;
    const whole = parseChunk(data);
    if (whole) this.#onChunk(whole, event);
    else if (data.trim() === '[DONE]') this.#done = true;
    else if (data.trim() !== '') for (const chunk of parseLines(data)) this.#onChunk(chunk, event);
  }

  #onChunk(chunk: ChatChunk, event: string): void {
    if (chunk.error || event === 'error' || chunk.object === 'error') throw streamFault(chunk.error ?? chunk);
    this.#progressed ||= bringsSomething(chunk);
    if (chunk.usage) this.#usage = usageOf(chunk.usage);
    const choice = chunk.choices?.[0];
    if (choice) this.#onChoice(choice);
  }

  #onChoice(choice: ChatChoice): void {
    // a server that does not stream answers with one whole `message`
    const delta = choice.delta ?? choice.message;
    if (delta) this.#onDelta(delta);
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') this.#finish = choice.finish_reason;
  }

  #onDelta(delta: ChatDelta): void {
    this.#say('reasoning', delta.reasoning_content ?? delta.reasoning);
    if (typeof delta.reasoning_content === 'string') this.#thoughts += delta.reasoning_content;
    if (Array.isArray(delta.content)) for (const part of delta.content) this.#onPart(part);
    else this.#say('text', delta.content);
    this.#say('text', delta.refusal);
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) this.#calls.add(call);
  }

  /** Mistral sends its thinking as parts of the content. */
  #onPart(part: ChatPart): void {
    if (part.type === 'thinking') for (const piece of part.thinking ?? []) this.#say('reasoning', piece.text);
    else this.#say('text', part.text);
  }

  #say(type: 'text' | 'reasoning', text: unknown): void {
    if (typeof text === 'string' && text !== '') this.#batch.push({ type, text });
  }
}

/** Empty deltas are no sign of life: a server that has stalled may send them for ever. */
function bringsSomething({ usage, choices }: ChatChunk): boolean {
  const choice = choices?.[0];
  const { content, reasoning_content, reasoning, refusal, tool_calls } = choice?.delta ?? choice?.message ?? {};
  return [usage, choice?.finish_reason, content, reasoning_content, reasoning, refusal, tool_calls].some(isFilled);
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value) ? value.length > 0 : Boolean(value);
}

interface ChatChunk {
  object?: unknown;
  error?: unknown;
  usage?: ChatUsage | null;
  choices?: readonly ChatChoice[];
}

interface ChatChoice {
  delta?: ChatDelta | null;
  message?: ChatDelta | null;
  finish_reason?: unknown;
}

interface ChatDelta {
  content?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  refusal?: unknown;
  tool_calls?: readonly ToolCallDelta[];
}

interface ChatPart {
  type?: unknown;
  text?: unknown;
  thinking?: readonly { text?: unknown }[];
}

interface ChatUsage {
  prompt_tokens?: number;
  completion_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number } | null;
  completion_tokens_details?: { reasoning_tokens?: number } | null;
}

/** Some servers leave out the blank line between events: then each line is a chunk of its own. */
function parseLines(data: string): readonly ChatChunk[] {
  const lines = data.split('\n').filter((line) => line !== '' && line !== '[DONE]');
  const chunks = lines.length > 1 ? lines.map(parseChunk) : [];
  if (chunks.length > 0 && chunks.every((chunk) => chunk !== undefined)) return chunks;
  throw new ProviderFault('sent an event that is not valid JSON', { code: 'model_stream_broken' });
}

const BRACE = 123;

function parseChunk(data: string): ChatChunk | undefined {
  if (data.charCodeAt(0) !== BRACE) return undefined;
  try {
    return JSON.parse(data) as ChatChunk;
  } catch {
    return undefined;
  }
}

function usageOf(usage: ChatUsage): ModelUsage {
  const cached = usage.prompt_tokens_details?.cached_tokens;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens;
  return {
    inputTokens: usage.prompt_tokens ?? 0,
    outputTokens: usage.completion_tokens ?? 0,
    ...(cached ? { cachedInputTokens: cached } : {}),
    ...(reasoning ? { reasoningTokens: reasoning } : {}),
  };
}

const REASONS: Readonly<Record<string, ModelEndReason>> = {
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'content_filter',
  sensitive: 'content_filter',
};

/** Whether tools are wanted is told by the calls themselves: several servers say `stop` all the same. */
function endReason(finish: string | undefined, called: boolean): ModelEndReason {
  if (finish === 'error' || finish === 'abort') {
    throw new ProviderFault('stopped with an error', { code: 'model_stream_broken' });
  }
  return REASONS[finish ?? ''] ?? (called ? 'tool_calls' : 'stop');
}

interface ToolCallDelta {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

interface Growing {
  id: string;
  name: string;
  input: string;
}

/** Puts the pieces of tool calls together. Servers disagree on index and id: either may be missing or repeated. */
class ToolCalls {
  readonly #limit: number;
  readonly #calls: Growing[] = [];
  readonly #byIndex = new Map<number, Growing>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(delta: ToolCallDelta): void {
    const call = this.#find(delta);
    const name = delta.function?.name;
    if (typeof name === 'string' && name !== call.name) call.name += name;
    call.input += inputPiece(delta.function?.arguments);
    if (call.input.length > this.#limit) throw tooLarge(this.#limit);
  }

  /** All calls, in the order they began. */
  take(): ModelEvent[] {
    const calls = this.#calls.splice(0);
    return calls.map(({ id, name, input }) => ({ type: 'tool_call', id, name, input: input === '' ? '{}' : input }));
  }

  #find(delta: ToolCallDelta): Growing {
    const id = typeof delta.id === 'string' && delta.id !== '' ? delta.id : undefined;
    const index = typeof delta.index === 'number' ? delta.index : undefined;
    const known = index === undefined ? this.#unnumbered(delta, id) : this.#byIndex.get(index);
    return known && (id === undefined || known.id === id) ? known : this.#begin(index, id);
  }

  /** Without a number, a piece that names neither an id nor a tool goes on where the last one stopped. */
  #unnumbered(delta: ToolCallDelta, id: string | undefined): Growing | undefined {
    if (id !== undefined) return this.#calls.find((call) => call.id === id);
    return delta.function?.name ? undefined : this.#calls.at(-1);
  }

  #begin(index: number | undefined, id: string | undefined): Growing {
    const call = { id: id ?? `call_${randomUUID()}`, name: '', input: '' };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}

function inputPiece(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
