import { formatDuration } from '../contract/duration.ts';
import { isJsonTooDeep } from '../contract/json-depth.ts';
import type { Message, Part } from '../contract/messages.ts';
import type { ToolCall, ToolCallState } from '../contract/tools.ts';
import { elapsed } from './amounts.ts';
import { safeLine } from './terminal-text.ts';
import { cut, widthOf } from './text-width.ts';

/** A tool call as far as one line can tell it. */
export interface ShownCall {
  name: string;
  /** Arguments as JSON text. */
  input: string;
  state: ToolCallState;
  durationMs?: number | null | undefined;
  /** What the agent was told: the output, or why there is none. */
  word?: string | null | undefined;
}

const LONGEST_VALUE = 60;
const LONGEST_INPUT = 200;
const LONGEST_WORD = 160;
const NARROWEST_INPUT = 8;

/** `⚙ lists_add text=milk ✓ 12 ms`, in one line of the terminal; the arguments give way. Escaped. */
export function callLine(call: ShownCall, room = screenWidth()): string {
  const name = `⚙ ${safeLine(call.name)}`;
  const ending = endingOf(call);
  const left = room - widthOf(name) - widthOf(ending) - 2;
  const input = cut(inputLine(call.input), Math.min(LONGEST_INPUT, Math.max(NARROWEST_INPUT, left)));
  return cut([name, input, ending].filter(Boolean).join(' '), room);
}

/** Into a pipe everything goes whole. */
export function screenWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
}

export function fromToolCall(call: ToolCall): ShownCall {
  return { ...call, durationMs: workedMs(call), word: call.output };
}

/** Without the time it waited for a person. */
function workedMs({ startedAt, endedAt, waitedMs }: ToolCall): number | null {
  const passed = elapsed(startedAt, endedAt);
  return passed === null ? null : Math.max(0, passed - waitedMs);
}

/** The calls of a stored message, each with what came of it. */
export function callOfPart(part: Extract<Part, { type: 'tool_call' }>, { parts }: Pick<Message, 'parts'>): ShownCall {
  const result = parts.find((other) => other.type === 'tool_result' && other.callId === part.callId);
  return { ...part, word: part.reason ?? (result?.type === 'tool_result' ? result.output : null) };
}

/** `url=https://… title="two words"`. */
export function inputLine(input: string): string {
  const fields = readFields(input);
  if (!fields) return safeLine(input);
  return fields.map(([key, value]) => `${safeLine(key)}=${cut(shortValue(value), LONGEST_VALUE)}`).join(' ');
}

/** Undefined when the arguments are not an object. */
export function readFields(input: string): [string, unknown][] | undefined {
  try {
    const fields: unknown = isJsonTooDeep(input) ? undefined : JSON.parse(input);
    return fields && typeof fields === 'object' && !Array.isArray(fields) ? Object.entries(fields) : undefined;
  } catch {
    return undefined;
  }
}

function shortValue(value: unknown): string {
  return safeLine(typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value));
}

function endingOf({ state, durationMs, word }: ShownCall): string {
  switch (state) {
    case 'running':
      return '…';
    case 'waiting':
      return '… waiting for you';
    case 'complete':
      return durationMs == null ? '✓' : `✓ ${formatDuration(durationMs)}`;
    case 'interrupted':
      return '? interrupted, result unknown';
    case 'cancelled':
      return '✗ cancelled';
    case 'failed':
    case 'rejected':
    case 'denied':
      return word ? `✗ ${state}: ${cut(firstLine(word), LONGEST_WORD)}` : `✗ ${state}`;
    default:
      return state satisfies never;
  }
}

function firstLine(text: string): string {
  return safeLine(text.trimStart().split('\n', 1)[0] ?? '');
}
