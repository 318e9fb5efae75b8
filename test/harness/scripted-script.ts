/** What the scripted provider answers to one request. An empty script is a complete answer without words. */
export interface Script {
  /** An HTTP answer instead of a stream: `status` with `body`. */
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Before anything at all is sent. */
  delayMs?: number;
  steps?: readonly Step[];
  usage?: ScriptedUsage;
  /** Why the model stops; null leaves it out, as a server does that dies. Default: tool_calls if any, else stop. */
  finish?: Finish | null;
  /** How often `[DONE]` is sent (chat completions only). Default 1. */
  done?: number;
  /** Cuts what is sent into writes of so many bytes, wherever they fall. */
  chunkBytes?: number;
  /** Ends lines with CRLF. */
  crlf?: boolean;
}

export type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export type Step =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'toolCall'; id?: string; name: string; input: string; pieces?: number }
  /** The same text many times over: serialised once, so that the script is not what a benchmark measures. */
  | { kind: 'repeat'; text: string; count: number; delayMs?: number; perWrite?: number }
  | { kind: 'wait'; ms: number }
  /** Holds the stream open until the promise settles. */
  | { kind: 'gate'; until: Promise<unknown> }
  | { kind: 'ping' }
  /** Nothing more, ever; with `pingMs`, nothing but pings. */
  | { kind: 'stall'; pingMs?: number }
  /** Bytes as they are, for everything that no server should send. */
  | { kind: 'raw'; bytes: string | Uint8Array }
  /** An error inside the stream, in the protocol's own shape. */
  | { kind: 'error'; message: string; type?: string; code?: string | number }
  /** Breaks the connection. */
  | { kind: 'reset' };

export interface ScriptedUsage {
  input: number;
  output: number;
  cached?: number;
  reasoning?: number;
}

/** A promise and its key. */
export interface Gate {
  until: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { until: promise, open: resolve };
}

export function text(...pieces: readonly string[]): Step[] {
  return pieces.map((piece) => ({ kind: 'text', text: piece }));
}

export function reasoning(...pieces: readonly string[]): Step[] {
  return pieces.map((piece) => ({ kind: 'reasoning', text: piece }));
}
