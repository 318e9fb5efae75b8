import type { Part } from '../../contract/messages.ts';
import type { TextRef } from '../../contract/texts.ts';
import type { AnsweredQuestion, ToolCall, ToolCallState } from '../../contract/tools.ts';
import { toTime } from '../sessions/views.ts';
import type { ToolCallRow } from '../storage/tables.ts';
import { workedMs } from './call-waits.ts';

/** Rows here hold what the agent was told, not the whole output. */
export function toToolCall(row: ToolCallRow): ToolCall {
  return {
    id: row.id,
    sessionId: row.session_id,
    turnId: row.turn_id,
    agentId: row.agent_id,
    name: row.name,
    input: row.input,
    state: row.state as ToolCallState,
    via: row.via as ToolCall['via'],
    part: row.part,
    step: row.step,
    output: row.output,
    outputBytes: row.output_bytes,
    ...reasonText(row),
    actionId: row.action_id,
    answers: answersOf(row),
    waitedMs: row.waited_ms,
    createdAt: toTime(row.created_at),
    startedAt: toTime(row.started_at),
    endedAt: toTime(row.ended_at),
  };
}

export function toCallPart(row: ToolCallRow): Extract<Part, { type: 'tool_call' }> {
  const durationMs = workedMs(row);
  return {
    type: 'tool_call',
    callId: row.id,
    name: row.name,
    input: row.input,
    state: row.state as ToolCallState,
    ...(row.reason !== null && { reason: row.reason }),
    ...reasonText(row),
    ...(durationMs !== null && { durationMs }),
    ...(row.answers !== null && { answers: answersOf(row) }),
    ...viaOf(row),
  };
}

function reasonText({ reason_text }: ToolCallRow): { reasonText?: TextRef } {
  return reason_text === null ? {} : { reasonText: JSON.parse(reason_text) };
}

/** Parts say it only of calls that the model did not ask us for. */
function viaOf({ via }: ToolCallRow): Pick<Extract<Part, { type: 'tool_call' }>, 'via'> {
  return via === 'model' ? {} : { via: via as Exclude<ToolCall['via'], 'model'> };
}

function answersOf({ answers }: ToolCallRow): AnsweredQuestion[] {
  return answers === null ? [] : JSON.parse(answers);
}

export function toResultPart(row: ToolCallRow): Extract<Part, { type: 'tool_result' }>[] {
  if (row.output === null) return [];
  const cutBytes = leftOut(row.id, row.output, row.output_bytes);
  return [
    {
      type: 'tool_result',
      callId: row.id,
      name: row.name,
      output: row.output,
      isError: row.is_error === 1,
      ...viaOf(row),
      ...(cutBytes > 0 && { cutBytes }),
    },
  ];
}

/** Whole characters only, and a pointer to the rest. */
export function cutOutput(callId: string, output: string, limit: number): string {
  const bytes = Buffer.byteLength(output);
  if (bytes <= limit) return output;
  const kept = cutBytes(output, limit);
  const left = bytes - Buffer.byteLength(kept);
  return `${kept}\n[${left} of ${bytes} bytes omitted. To read on, call system_tool_output with callId "${callId}" and offset ${Buffer.byteLength(kept)}.]`;
}

const POINTER = / bytes omitted\. To read on, call system_tool_output with callId "([\w-]+)" and offset (\d+)\.\]$/;

/** How much of an output that `cutOutput` has made is not in it. */
function leftOut(callId: string, output: string, bytes: number): number {
  const [, id, offset] = POINTER.exec(output.slice(-400)) ?? [];
  return id === callId ? bytes - Number(offset) : 0;
}

/** As much of a text as fits, never half a character. */
export function cutBytes(text: string, limit: number): string {
  const buffer = Buffer.from(text);
  if (buffer.length <= limit) return text;
  let end = limit;
  while (end > 0 && (buffer[end]! & 0xc0) === 0x80) end -= 1;
  return buffer.toString('utf8', 0, end);
}
