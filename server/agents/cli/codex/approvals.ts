import type { TurnHost } from '../../agent.ts';
import type { OwnCall } from '../../host-requests.ts';
import type { JsonRecord } from '../json-program.ts';
import { askPerson } from '../questions.ts';
import { recordAt, recordsAt, textAt } from '../records.ts';

/** The changes that Codex has announced, by the id of their item: its request for permission does not repeat them. */
export type Changes = ReadonlyMap<string, readonly JsonRecord[]>;

/**
 * Codex wants to run a command or change files: Parley's policy decides, and where that says so, the person. What Codex asks
 * itself is always for the person.
 */
export async function answerCodex(
  host: TurnHost,
  folder: string,
  changes: Changes,
  method: string,
  params: JsonRecord,
): Promise<JsonRecord> {
  if (method === 'mcpServer/elicitation/request') return answerElicitation(params);
  if (method === 'item/tool/requestUserInput') return answerQuestions(host, params);
  const call = toCall(method, params, folder, changes);
  const permission = await host.approve(call);
  // Codex cannot run another command than the one it asked about.
  const isChanged = permission.allowed && permission.input !== undefined && permission.input !== call.input;
  return { decision: permission.allowed && !isChanged ? 'accept' : 'decline' };
}

function toCall(method: string, params: JsonRecord, folder: string, changes: Changes): OwnCall {
  const itemId = textAt(params, 'itemId') ?? '';
  const description = textAt(params, 'reason');
  const common = { callId: textAt(params, 'approvalId') ?? itemId, ...(description && { description }) };
  switch (method) {
    case 'item/commandExecution/requestApproval': {
      const cwd = textAt(params, 'cwd') ?? folder;
      const input = JSON.stringify({ command: textAt(params, 'command') ?? '', cwd });
      return { ...common, name: 'shell', input, risk: 'execute', folder: cwd };
    }
    case 'item/fileChange/requestApproval': {
      const changed = changes.get(itemId) ?? [];
      const input = JSON.stringify({ changes: changed.map(({ path, kind }) => ({ path, kind })) });
      return { ...common, name: 'apply_patch', input, risk: 'write', folder, result: patchOf(changed) };
    }
    default:
      throw new Error(`not supported: ${method}`);
  }
}

/** The files and what changes in them, as Codex says it. */
export function patchOf(changes: readonly JsonRecord[]): string {
  return changes
    .map((change) => {
      const diff = textAt(change, 'diff') ?? '';
      const isNew = recordAt(change, 'kind')?.type === 'add';
      const lines = isNew && !diff.startsWith('@@') ? added(diff) : diff;
      return `--- ${textAt(change, 'path')}\n+++ ${textAt(change, 'path')}\n${lines}`;
    })
    .join('\n');
}

function added(content: string): string {
  return content
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line.startsWith('+') ? line : `+${line}`))
    .join('\n');
}

/** Codex asks whether it may call an MCP tool. Parley decides about its own tools when they are called. */
function answerElicitation(params: JsonRecord): JsonRecord {
  const isParley = textAt(params, 'serverName') === 'parley' && recordsAt(params, 'questions').length === 0;
  return isParley ? { action: 'accept', content: {} } : { action: 'decline' };
}

/** No answers at all say that the person did not want to answer. */
async function answerQuestions(host: TurnHost, params: JsonRecord): Promise<JsonRecord> {
  const asked = recordsAt(params, 'questions');
  const given = await askPerson(
    host,
    textAt(params, 'itemId') ?? '',
    asked.map((one) => ({
      question: textAt(one, 'question') ?? '',
      options: recordsAt(one, 'options').map((option) => textAt(option, 'label') ?? ''),
      multiple: false,
    })),
  );
  const answers = (given ?? []).map((answer, index) => [textAt(asked[index]!, 'id') ?? '', { answers: answer }]);
  return { answers: Object.fromEntries(answers) };
}
