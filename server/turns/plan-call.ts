import type { ApprovalRequest } from '../../contract/actions.ts';
import { newId } from '../../contract/ids.ts';
import type { ToolCallState } from '../../contract/tools.ts';
import type { ToolCallRow } from '../storage/tables.ts';
import { InputError, type Tool, ToolFailure } from '../tools/tool.ts';
import type { RunningTurn } from './running-turn.ts';

/** What is going to be made of a call. */
export interface Plan {
  row: ToolCallRow;
  tool: Tool | undefined;
  input?: unknown;
  /** The person decides first. */
  asks?: boolean;
  /** It will not be carried out. */
  refused?: readonly [state: ToolCallState, reason: string];
}

export interface Wanted {
  readonly name: string;
  /** Arguments as JSON text. */
  readonly input: string;
}

interface NewCall extends Wanted {
  step: number;
  part: number;
  via: 'model' | 'skill';
}

export function newCall({ turn }: RunningTurn, { name, input, step, part, via }: NewCall): ToolCallRow {
  const now = Date.now();
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
    output: null,
    output_bytes: 0,
    is_error: 0,
    began: 0,
    action_id: null,
    opaque: null,
    message_id: null,
    created_at: now,
    started_at: null,
    ended_at: null,
  };
}

/** Arguments as the tool takes them, or what is wrong with them. */
export function parseInput(tool: Tool, text: string): { input?: unknown; issue?: string } {
  try {
    return { input: tool.parse(text.trim() === '' ? {} : JSON.parse(text)) };
  } catch (error) {
    if (error instanceof SyntaxError) return { issue: 'The arguments are not valid JSON.' };
    if (error instanceof InputError) return { issue: error.message };
    throw error;
  }
}

export function toApproval(row: ToolCallRow, tool: Tool): ApprovalRequest {
  return {
    callId: row.id,
    tool: tool.name,
    description: tool.description,
    input: asRead(row.input),
    risk: tool.risk,
    source: tool.source,
    capabilities: [...tool.capabilities],
  };
}

/** Written anew from what was read: a key that comes twice, or is far away behind blanks, shows once and as it counts. */
function asRead(text: string): string {
  return text.trim() === '' ? '{}' : JSON.stringify(JSON.parse(text));
}

/** Words for the agent: a defect's own words may hold paths or contents and stay on this side. */
export function wordsOf(error: unknown): string {
  return error instanceof ToolFailure ? error.message : 'Something went wrong inside the tool.';
}

/** For the log: what kind of defect it is and where, without words that may hold what the tool was given or has read. */
export function withoutWords(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('Something that is no error was thrown in a tool.');
  const { message, stack = '' } = error;
  const plain = new Error(`${error.constructor.name} in a tool`);
  const after = stack.slice(stack.indexOf(message) + message.length);
  const first = after.indexOf('\n    at ');
  return Object.assign(plain, { stack: first < 0 ? plain.message : plain.message + after.slice(first) });
}
