import type { StreamFrame } from '../../contract/events.ts';
import type { Part } from '../../contract/messages.ts';
import type { ToolCall } from '../../contract/tools.ts';
import type { Turn } from '../../contract/turns.ts';

export type Spoken = { kind: 'text' | 'reasoning'; text: string };

/** What a turn says and does, part by part. The results of calls have places of their own, behind them. */
export type Done = Spoken | { call: ToolCall } | 'result';

export function isSpoken(done: Done | undefined): done is Spoken {
  return typeof done === 'object' && 'kind' in done;
}

export function isCall(done: Done | undefined): done is { call: ToolCall } {
  return typeof done === 'object' && 'call' in done;
}

export function callsOf(done: readonly Done[]): ToolCall[] {
  return done.flatMap((part) => (isCall(part) ? [part.call] : []));
}

export function textOf(done: readonly Done[]): string {
  return done.flatMap((part) => (isSpoken(part) && part.kind === 'text' ? [part.text] : [])).join('\n\n');
}

export function toPart(done: Done): Part[] {
  if (isSpoken(done)) return [{ type: done.kind, text: done.text }];
  if (!isCall(done)) return [];
  const { id: callId, name, input, state } = done.call;
  return [{ type: 'tool_call', callId, name, input, state, durationMs: 0 }];
}

/** What was said so far comes as one piece, and a delta that was on its way comes again. */
export function reconnection(
  { id: turnId, agentId, guest, answerId: after }: Turn,
  done: readonly Done[],
): StreamFrame[] {
  const about = { sessionId: 's', turnId, agentId, after };
  const parts = done.flatMap((spoken, part) => (isSpoken(spoken) ? [{ part, ...spoken }] : []));
  const partial = { type: 'turn.partial' as const, ...about, guest, parts, calls: callsOf(done) };
  const last = parts.at(-1);
  if (!last) return [partial];
  const offset = Math.floor(last.text.length / 2);
  const again = { part: last.part, kind: last.kind, offset, text: last.text.slice(offset, offset + 1) };
  return [partial, { type: 'delta', ...about, ...again }];
}
