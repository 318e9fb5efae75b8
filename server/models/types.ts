import type { TextRef } from '../../contract/texts.ts';

/**
 * The seam between a chat agent and whatever produces its words.
 *
 * A `Model` turns one request into one stream of `ModelEvent`s. It never throws and never rejects: every failure,
 * an abort included, is the `end` event. There is exactly one `end`, and it is last. Order within a stream:
 * retry* (reasoning | text | tool_call)* opaque? usage? end.
 */
export interface Model {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  temperature?: number;
  maxOutputTokens?: number;
  reasoningEffort?: ReasoningEffort;
  /** How many servers the message that is answered has passed through, this one included: the model may be an agent of another. */
  hops?: number;
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

/** What a model reads. A message object is never changed once made, so a reader may cache what it derives from it. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly ModelImage[] }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls?: readonly ModelToolCall[];
      /** What the provider gave with these calls and wants back with them; read only by the kind of provider it is of. */
      readonly opaque?: unknown;
    }
  | { readonly role: 'tool'; readonly results: readonly ModelToolResult[] };

export interface ModelImage {
  readonly mediaType: string;
  /** In base64. */
  readonly data: string;
}

export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of the input, an object schema. */
  inputSchema: Record<string, unknown>;
}

export interface ModelToolCall {
  id: string;
  name: string;
  /** Arguments as the JSON text the model wrote; may be broken JSON when the model broke it. */
  input: string;
}

export interface ModelToolResult {
  id: string;
  name: string;
  output: string;
  isError: boolean;
}

export type ModelEvent =
  /** An attempt failed, and the request is sent again after `waitMs`. */
  | { type: 'retry'; code: ModelFailureCode; waitMs: number }
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | ({ type: 'tool_call' } & ModelToolCall)
  /** Belongs to the tool calls of this answer, can be stored as JSON, and goes back with them as it is. */
  | { type: 'opaque'; value: unknown }
  | { type: 'usage'; usage: ModelUsage }
  | { type: 'end'; reason: ModelEndReason; error?: ModelFailure };

export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number;
  reasoningTokens?: number;
}

/** `error` is set exactly when the reason is `error` or `context_overflow`. */
export type ModelEndReason =
  | 'stop'
  | 'length'
  | 'tool_calls'
  | 'content_filter'
  | 'aborted'
  | 'context_overflow'
  | 'error';

/** Words for the person, without keys, URLs with credentials or stacks. */
export interface ModelFailure {
  code: ModelFailureCode;
  message: string;
  /** Whether trying the same request again may work. */
  retryable: boolean;
  /** For a translation of the message, which is put together from what the provider said. */
  text?: TextRef;
}

export type ModelFailureCode =
  | 'model_unreachable' // connection refused, DNS, TLS
  | 'model_no_key' // the key named in the configuration is not there
  | 'model_unauthorized' // 401, 403
  | 'model_not_found' // 404: wrong model or base URL
  | 'model_rate_limited' // 429
  | 'model_overloaded' // 5xx, 529
  | 'model_rejected' // other 4xx
  | 'model_first_token_timeout'
  | 'model_idle_timeout'
  | 'model_stream_broken' // reset, malformed, ended without a finish
  | 'model_context_overflow'
  | 'model_too_large'; // one event or the whole answer is past the limit

/** How a chat agent's configuration names its model. */
export interface ModelSettings {
  provider: 'openai' | 'openai-compatible' | 'anthropic' | 'demo';
  model: string;
  baseUrl?: string;
  apiKey?: string;
}

export interface ModelLimits {
  /** Until the first event of any kind. */
  firstTokenMs: number;
  /** Between two events: pings and empty lines do not count. */
  idleMs: number;
  maxAttempts: number;
  /** The wait before the first retry, doubled each time; 500 when absent. */
  backoffMs?: number;
  /** The longest wait a provider's Retry-After can ask for before the turn fails instead. */
  maxRetryAfterMs: number;
  maxEventBytes: number;
}
