import { newId } from '../../contract/ids.ts';
import type { Part } from '../../contract/messages.ts';
import { say, type Text, type TextRef } from '../../contract/texts.ts';
import type { AnsweredQuestion, ToolCall, ToolCallState } from '../../contract/tools.ts';
import { storedClock } from '../events/clock.ts';
import { toTime } from '../sessions/views.ts';
import type { ToolCallRow, TurnRow } from '../storage/tables.ts';

export interface Wanted {
  readonly name: string;
  /** Arguments as JSON text. */
  readonly input: string;
}

interface NewCall extends Wanted {
  step: number;
  part: number;
  via: ToolCall['via'];
  /** Of a call that the agent ran itself: what the agent calls it. */
  reportedId?: string;
}

export function newCall(turn: TurnRow, { name, input, step, part, via, reportedId }: NewCall): ToolCallRow {
  const now = storedClock.now();
  return {
    id: newId(now),
    session_id: turn.session_id,
    turn_id: turn.id,
    agent_id: turn.agent_id,
    name,
    input,
    state: 'running',
    via,
    step,
    part,
    reason: null,
    reason_text: null,
    output: null,
    output_bytes: 0,
    is_error: 0,
    began: 0,
    action_id: null,
    opaque: null,
    message_id: null,
    answers: null,
    waited_ms: 0,
    waiting_since: null,
    reported_id: reportedId ?? null,
    created_at: now,
    started_at: null,
    ended_at: null,
  };
}

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

/** The reference that a translation needs stays with the call; the words are returned. */
export function noteReason(row: ToolCallRow, said: string | Text): string {
  if (typeof said === 'string') return said;
  row.reason_text = JSON.stringify({ key: said.key, values: said.values } satisfies TextRef);
  return said.message;
}

const NOT_RUN = say('call.notRun');

/** What becomes of a call when its turn ends before it does. What had not begun is known not to have happened. */
export function leaveOff(row: ToolCallRow, turnState: string, now: number): void {
  Object.assign(row, { state: turnState === 'cancelled' ? 'cancelled' : 'interrupted', ended_at: now });
  noteWaitedTime(row, now);
  if (row.began === 1) return;
  const output = noteReason(row, NOT_RUN);
  const output_bytes = Buffer.byteLength(output);
  Object.assign(row, { state: 'cancelled', reason: output, output, output_bytes, is_error: 1 });
}

/** Adds up how long a started call waits for a person. Called after each change of the call's state. */
export function noteWaitedTime(row: ToolCallRow, now: number): void {
  if (row.state === 'waiting' && row.started_at !== null) {
    row.waiting_since ??= now;
    return;
  }
  if (row.waiting_since === null) return;
  row.waited_ms += Math.max(0, now - row.waiting_since);
  row.waiting_since = null;
}

/** How long a finished call worked: the time it waited for a person does not count. */
export function workedMs(row: Pick<ToolCallRow, 'started_at' | 'ended_at' | 'waited_ms'>): number | null {
  if (row.started_at === null || row.ended_at === null) return null;
  return Math.max(0, row.ended_at - row.started_at - row.waited_ms);
}
