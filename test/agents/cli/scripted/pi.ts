// A program that speaks as `pi --mode rpc` does with Parley's extension in it.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { argument, put, Questions, readRecords } from './lines.ts';
import { type Deed, deedOf, flood, hang, Memory, piecesOf, run, write } from './words.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of a protocol
type Json = Record<string, any>;

const resumed = argument('--session');
const memory = new Memory('.pi/agent/sessions', resumed ?? argument('--session-id')!);
const hasTools = !process.argv.includes('--no-tools');
const questions = new Questions();
let isAborted = false;
let isActive = false;
let added: string[] = [];

if (resumed !== undefined && !memory.exists) {
  console.error(`No session found matching '${resumed}'`);
  process.exit(1);
}

readRecords((record: Json) => {
  if (record.type === 'extension_ui_response') return questions.answer(record.id, record);
  put({ id: record.id, type: 'response', command: record.type, success: true });
  if (record.type === 'prompt') void work(record.message);
  if (record.type === 'steer') isActive ? added.push(record.message) : memory.add(record.message);
  if (record.type === 'abort') isAborted = true;
});

async function work(prompt: string): Promise<void> {
  const deed = deedOf(prompt, memory.prompts);
  memory.add(prompt);
  isAborted = false;
  isActive = true;
  put({ type: 'agent_start' });
  await perform(deed);
  isActive = false;
  for (const text of added) memory.add(text);
  added = [];
  finish(isAborted ? 'aborted' : 'stop');
}

function finish(stopReason: string, errorMessage?: string): void {
  const usage = { input: 10, output: 7, cacheRead: 5, cacheWrite: 0, cost: { total: 0.01 } };
  put({ type: 'message_end', message: { role: 'assistant', usage, stopReason, errorMessage } });
  put({ type: 'agent_end', messages: [], willRetry: false });
  put({ type: 'agent_settled' });
}

async function perform(deed: Deed): Promise<void> {
  switch (deed.kind) {
    case 'say':
      return say(piecesOf(deed));
    case 'run':
      return use('bash', { command: deed.command }, () => run(deed.command));
    case 'write':
      return use('write', { path: deed.file, content: deed.content }, () => {
        write(deed.file, deed.content);
        return 'Written.';
      });
    case 'parley':
      return use(deed.tool, deed.input, async () => {
        const { output } = await ask('call', { name: deed.tool, input: deed.input });
        return output;
      });
    case 'plan':
    case 'ask':
      throw new Error('Pi has no tool for this.');
    default:
      return misbehave(deed);
  }
}

async function say(pieces: readonly string[]): Promise<void> {
  piece({ type: 'text_start', contentIndex: 0 });
  for (const delta of pieces) {
    if (isAborted) return;
    piece({ type: 'text_delta', contentIndex: 0, delta });
    await sleep(1);
  }
}

function piece(assistantMessageEvent: Json): void {
  put({ type: 'message_update', assistantMessageEvent });
}

async function use(toolName: string, args: Json, act: () => string | Promise<string>): Promise<void> {
  const toolCallId = `call_${randomUUID()}`;
  put({ type: 'tool_execution_start', toolCallId, toolName, args });
  const offered: Json[] = hasTools ? await ask('tools', null) : [];
  const isParley = offered.some(({ name }) => name === toolName);
  const permission: Json =
    isParley || !hasTools
      ? { allowed: hasTools }
      : await ask('approve', { callId: toolCallId, name: toolName, input: args });
  const output = permission.allowed ? await act() : (permission.reason ?? 'No such tool.');
  const result = { content: [{ type: 'text', text: output }] };
  put({ type: 'tool_execution_end', toolCallId, toolName, result, isError: !permission.allowed });
  await say([`Tool said: ${output}`]);
}

// biome-ignore lint/suspicious/noExplicitAny: whatever Parley answers
async function ask(kind: string, value: unknown): Promise<any> {
  const id = randomUUID();
  const answered = questions.wait(id);
  const placeholder = JSON.stringify(value);
  put({ type: 'extension_ui_request', id, method: 'input', title: `parley:${kind}`, placeholder });
  const { value: answer } = await answered;
  return answer === undefined ? { allowed: false } : JSON.parse(answer as string);
}

async function misbehave({ how }: Extract<Deed, { kind: 'misbehave' }>): Promise<void> {
  await say(['Hello.']);
  switch (how) {
    case 'DIE':
      process.exit(3);
      break;
    case 'FLOOD':
      return flood();
    case 'FAIL':
      return finish('error', 'Connection error.');
    case 'LATE':
      finish('stop');
      return say(['Too late.']);
    default:
      return hang(how);
  }
}
