import { openModel } from '../../server/models/open.ts';
import type {
  Model,
  ModelEvent,
  ModelFailure,
  ModelLimits,
  ModelRequest,
  ModelSettings,
} from '../../server/models/types.ts';

/** The three providers that are called over HTTP, each with a model that its SDK knows to reason. */
export const REMOTE = [
  { provider: 'openai', model: 'gpt-5.1' },
  { provider: 'openai-compatible', model: 'local' },
  { provider: 'anthropic', model: 'claude-sonnet-4-5' },
] as const satisfies readonly ModelSettings[];

export type Remote = (typeof REMOTE)[number];

export const KEY = 'sk-test-0123456789abcdef';

export const LIMITS: ModelLimits = {
  firstTokenMs: 2000,
  idleMs: 2000,
  maxAttempts: 3,
  backoffMs: 1,
  maxRetryAfterMs: 1500,
  maxEventBytes: 1_000_000,
};

export function open(remote: Remote, baseUrl: string, limits: Partial<ModelLimits> = {}): Model {
  return openModel({ ...remote, baseUrl, apiKey: KEY }, { ...LIMITS, ...limits });
}

export function request(text = 'Hello', more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'You are Ada.', messages: [{ role: 'user', text }], tools: [], ...more };
}

export async function collect(
  model: Model,
  asked: ModelRequest = request(),
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, signal)) events.push(event);
  return events;
}

export function said(events: readonly ModelEvent[], type: 'text' | 'reasoning' = 'text'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('');
}

export function endOf(events: readonly ModelEvent[]): Extract<ModelEvent, { type: 'end' }> {
  const last = events.at(-1);
  if (last?.type !== 'end') throw new Error('a stream must finish with end');
  return last;
}

export function failureIn(events: readonly ModelEvent[]): ModelFailure {
  const { error } = endOf(events);
  if (!error) throw new Error('expected a failure');
  return error;
}
