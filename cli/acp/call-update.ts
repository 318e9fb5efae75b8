import type { ToolCall as AcpCall, SessionUpdate, ToolCallStatus, ToolKind } from '@agentclientprotocol/sdk';
import type { ToolCall, ToolCallState } from '../../contract/tools.ts';

/** A tool call as an editor shows it. */
export function toCall({ id, name, input, output, state }: CallView): AcpCall {
  return {
    toolCallId: id,
    title: name,
    name,
    kind: kindOf(name),
    status: STATUS[state],
    rawInput: parseInput(input),
    ...(output && { content: [{ type: 'content', content: { type: 'text', text: output } }] }),
  };
}

type CallView = Pick<ToolCall, 'id' | 'name' | 'input' | 'output' | 'state'>;

export function callStarted(call: ToolCall): SessionUpdate {
  return { sessionUpdate: 'tool_call', ...toCall(call) };
}

export function callChanged(call: ToolCall): SessionUpdate {
  return { sessionUpdate: 'tool_call_update', ...toCall(call) };
}

/** What a model wrote as arguments need not be JSON. */
export function parseInput(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return { input };
  }
}

const KINDS: readonly [RegExp, ToolKind][] = [
  [/^(files_(read|list)|read)/i, 'read'],
  [/^(files_search|grep|glob|search)/i, 'search'],
  [/^(files_|edit|write)/i, 'edit'],
  [/^web_/i, 'fetch'],
  [/^(bash|terminal|exec)/i, 'execute'],
];

function kindOf(name: string): ToolKind {
  return KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}

const STATUS: Record<ToolCallState, ToolCallStatus> = {
  waiting: 'pending',
  running: 'in_progress',
  complete: 'completed',
  failed: 'failed',
  rejected: 'failed',
  denied: 'failed',
  cancelled: 'failed',
  interrupted: 'failed',
};
