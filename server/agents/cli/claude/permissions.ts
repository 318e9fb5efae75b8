import type { ToolRisk } from '../../../../contract/tools.ts';
import type { TurnHost } from '../../agent.ts';
import type { OwnCall } from '../../host-requests.ts';
import { diffOf } from '../diff.ts';
import type { JsonRecord } from '../json-program.ts';
import { type AskedQuestion, askPerson } from '../questions.ts';
import { recordAt, recordsAt, textAt } from '../records.ts';

/** What Claude Code calls Parley's tools. */
export const PARLEY_TOOL = /^mcp__parley__/;

const READS = new Set([
  'AskUserQuestion',
  'EnterPlanMode',
  'Glob',
  'Grep',
  'LS',
  'ListAgents',
  'NotebookRead',
  'Read',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskUpdate',
  'TodoWrite',
  'ToolSearch',
]);
const SENDS = new Set(['WebFetch', 'WebSearch']);
const WRITES = new Set(['Edit', 'ExitPlanMode', 'MultiEdit', 'NotebookEdit', 'Write']);

function riskOf(name: string): ToolRisk {
  if (READS.has(name) || SENDS.has(name)) return 'read';
  return WRITES.has(name) ? 'write' : 'execute';
}

/** Claude Code wants to use a tool: Parley's policy decides, and where that says so, the person. */
export async function answerRequest(host: TurnHost, folder: string, request: JsonRecord): Promise<JsonRecord> {
  if (request.subtype !== 'can_use_tool') throw new Error(`not supported: ${String(request.subtype)}`);
  const name = textAt(request, 'tool_name') ?? '';
  const input = recordAt(request, 'input') ?? {};
  // Parley decides about its own tools when they are called.
  if (PARLEY_TOOL.test(name)) return { behavior: 'allow', updatedInput: input };
  if (name === 'AskUserQuestion') return askQuestions(host, textAt(request, 'tool_use_id') ?? '', input);
  const permission = await host.approve(ownCall(request, name, input, folder));
  if (!permission.allowed) return { behavior: 'deny', message: permission.reason };
  const changed = permission.input === undefined ? input : (JSON.parse(permission.input) as JsonRecord);
  return { behavior: 'allow', updatedInput: changed };
}

function ownCall(request: JsonRecord, name: string, input: JsonRecord, folder: string): OwnCall {
  const description = textAt(request, 'description') ?? textAt(input, 'description');
  const result = diffOfEdit(name, input);
  return {
    callId: textAt(request, 'tool_use_id') ?? textAt(request, 'request_id') ?? name,
    name,
    input: JSON.stringify(input),
    risk: riskOf(name),
    folder,
    ...(SENDS.has(name) && { sends: true }),
    ...(description !== undefined && { description }),
    ...(result !== undefined && { result }),
  };
}

function diffOfEdit(name: string, input: JsonRecord): string | undefined {
  const file = textAt(input, 'file_path') ?? '';
  if (name === 'Write') return diffOf(file, '', textAt(input, 'content') ?? '');
  if (name === 'Edit') return diffOf(file, textAt(input, 'old_string') ?? '', textAt(input, 'new_string') ?? '');
  return undefined;
}

async function askQuestions(host: TurnHost, id: string, input: JsonRecord): Promise<JsonRecord> {
  const asked = recordsAt(input, 'questions');
  if (asked.length === 0) return { behavior: 'deny', message: 'There was no question.' };
  const given = await askPerson(host, id, asked.map(toAsked));
  if (!given) return { behavior: 'deny', message: 'The user declined to answer.' };
  const answers = given.map((answer, index) => [textAt(asked[index]!, 'question') ?? '', answer.join(', ')]);
  return { behavior: 'allow', updatedInput: { ...input, answers: Object.fromEntries(answers) } };
}

function toAsked(question: JsonRecord): AskedQuestion {
  const options = recordsAt(question, 'options').map((option) => textAt(option, 'label') ?? '');
  return { question: textAt(question, 'question') ?? '', options, multiple: question.multiSelect === true };
}
