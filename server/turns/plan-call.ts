import type { ApprovalReason, ApprovalRequest } from '../../contract/actions.ts';
import { isJsonTooDeep, MAX_JSON_DEPTH } from '../../contract/json-depth.ts';
import type { Text } from '../../contract/texts.ts';
import type { ToolCallState } from '../../contract/tools.ts';
import { parseWellFormed } from '../../contract/well-formed.ts';
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
  /** Where it would work, when the tool works in a folder and the person is asked. */
  folder?: string;
  /** Why they do, where the tool's risk is not the reason. */
  reason?: ApprovalReason | undefined;
  /** What the call would bring about, as the person is shown it. */
  result?: string | null;
  /** It will not be carried out. */
  refused?: readonly [state: ToolCallState, reason: string | Text];
}

/** Arguments as the tool takes them, or what is wrong with them. */
export function parseInput(tool: Tool, text: string): { input?: unknown; issue?: string } {
  try {
    return { input: tool.parse(readArguments(text)) };
  } catch (error) {
    if (error instanceof InputError) return { issue: tool.describeFailure?.(error) ?? error.message };
    throw error;
  }
}

function readArguments(text: string): unknown {
  if (isJsonTooDeep(text)) throw new InputError(`The arguments are nested more than ${MAX_JSON_DEPTH} levels deep.`);
  try {
    return text.trim() === '' ? {} : parseWellFormed(text);
  } catch {
    throw new InputError('The arguments are not valid JSON.');
  }
}

/** A standing approval covers neither a call on another agent's behalf nor a tool that always asks. */
export function isOnceOnly({ chain }: RunningTurn, tool: Tool): boolean {
  return chain.length > 1 || tool.alwaysAsks === true;
}

export function toApproval(
  { row, tool, reason, result, folder }: Plan & { tool: Tool },
  onceOnly: boolean,
): ApprovalRequest {
  return {
    ...(reason && { reason }),
    ...(onceOnly && { onceOnly }),
    ...(typeof result === 'string' && { result }),
    callId: row.id,
    tool: tool.name,
    description: tool.description,
    input: asRead(row.input),
    risk: tool.risk,
    source: tool.source,
    capabilities: [...tool.capabilities],
    folder: folder ?? null,
  };
}

/** Written anew from what was read: a key that comes twice, or is far away behind blanks, shows once and as it counts. */
function asRead(text: string): string {
  return text.trim() === '' ? '{}' : JSON.stringify(parseWellFormed(text));
}

/** Words for the agent: a defect's own words may hold paths or contents and stay on this side. */
export function wordsOf(error: unknown): string {
  return error instanceof ToolFailure ? error.message : 'The tool failed unexpectedly.';
}

/** For the log: what kind of defect it is and where, without words that may hold what the tool was given or has read. */
export function withoutWords(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('A tool threw a value that is not an Error.');
  const { message, stack = '' } = error;
  const plain = new Error(`${error.constructor.name} in a tool`);
  const after = stack.slice(stack.indexOf(message) + message.length);
  const first = after.indexOf('\n    at ');
  return Object.assign(plain, { stack: first < 0 ? plain.message : plain.message + after.slice(first) });
}
