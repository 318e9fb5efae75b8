import type { LivePart } from '../../../client/live-turn.ts';
import type { DiffPart, Part } from '../../../contract/messages.ts';
import type { TextRef } from '../../../contract/texts.ts';
import type { AnsweredQuestion, ToolCall, ToolCallState } from '../../../contract/tools.ts';
import { serverText } from '../../i18n/text.ts';

/** A part as it is drawn, the same while it is being said and afterwards. Its key does not change in between. */
export type ShownPart =
  | { readonly key: string; readonly kind: 'text'; readonly text: string; readonly isLive: boolean }
  | {
      readonly key: string;
      readonly kind: 'reasoning';
      readonly text: string;
      readonly isLive: boolean;
      readonly durationMs: number | null;
    }
  | { readonly key: string; readonly kind: 'notice'; readonly text: string }
  | { readonly key: string; readonly kind: 'diff'; readonly diff: DiffPart }
  | { readonly key: string; readonly kind: 'call'; readonly call: ShownCall };

export interface ShownCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly state: ToolCallState;
  readonly durationMs: number | null;
  readonly output: string | null;
  readonly isCut: boolean;
  /** How far it says it is. */
  readonly progress: string | null;
  /** What is asked about it where it stands. */
  readonly actionId: string | null;
  readonly answers: readonly AnsweredQuestion[];
}

export function liveParts(parts: readonly LivePart[]): ShownPart[] {
  const keyOf = counter();
  const last = parts.at(-1);
  return parts.map((part) => {
    if (part.kind === 'call')
      return { key: part.call.id, kind: 'call', call: liveCall(part.call, part.progress?.text ?? null) };
    const { kind, text } = part;
    return { key: keyOf(kind), kind, text, isLive: part === last, durationMs: null };
  });
}

/** Each call with what came back. */
export function storedParts(parts: readonly Part[]): ShownPart[] {
  const keyOf = counter();
  const results = new Map(parts.flatMap((part) => (part.type === 'tool_result' ? [[part.callId, part] as const] : [])));
  return parts.flatMap((part): ShownPart[] => {
    switch (part.type) {
      case 'text':
        return [{ key: keyOf(part.type), kind: part.type, text: part.text, isLive: false }];
      case 'reasoning':
        return [
          {
            key: keyOf(part.type),
            kind: part.type,
            text: part.text,
            isLive: false,
            durationMs: part.durationMs ?? null,
          },
        ];
      case 'notice':
        return [{ key: keyOf(part.type), kind: part.type, text: serverText(part.text, part.textRef) }];
      case 'diff':
        return [{ key: keyOf(part.type), kind: part.type, diff: part }];
      case 'tool_call':
        return [{ key: part.callId, kind: 'call', call: storedCall(part, results.get(part.callId)) }];
      case 'tool_result':
      case 'delegation':
      case 'webhook':
      case 'file':
        return [];
      default:
        return part satisfies never;
    }
  });
}

/** By their order among those of their kind: what a tool gave back has a number of its own, but only sometimes. */
function counter(): (kind: 'text' | 'reasoning' | 'notice' | 'diff') => string {
  const counts = { text: 0, reasoning: 0, notice: 0, diff: 0 };
  return (kind) => `${kind} ${counts[kind]++}`;
}

export function liveCall(call: ToolCall, progress: string | null): ShownCall {
  const { id, name, input, state, output, outputBytes, startedAt, endedAt, waitedMs, actionId, answers, reasonText } =
    call;
  return {
    id,
    name,
    input,
    state,
    durationMs: startedAt && endedAt ? Math.max(0, Date.parse(endedAt) - Date.parse(startedAt) - waitedMs) : null,
    output: translated(output, reasonText),
    isCut: outputBytes > (output?.length ?? 0),
    progress,
    actionId: state === 'waiting' ? actionId : null,
    answers,
  };
}

function translated(output: string | null, text: TextRef | undefined): string | null {
  return output !== null && text ? serverText(output, text) : output;
}

type StoredCall = Extract<Part, { type: 'tool_call' }>;
type StoredResult = Extract<Part, { type: 'tool_result' }>;

function storedCall(call: StoredCall, result: StoredResult | undefined): ShownCall {
  const { callId, name, input, state, durationMs = null, reason = null, answers = [], reasonText } = call;
  const output = translated(result?.output ?? reason, reasonText);
  const isCut = result?.cutBytes !== undefined;
  return { id: callId, name, input, state, durationMs, output, isCut, progress: null, actionId: null, answers };
}
