// A program that speaks as `codex app-server` does.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ParleyTools } from '../../../conformance/scripted/parley-tools.ts';
import { put, Questions, readRecords } from './lines.ts';
import { type Deed, deedOf, flood, hang, Memory, piecesOf, run, write } from './words.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of a protocol
type Json = Record<string, any>;

const questions = new Questions();
let threadId = '';
let turnId = '';
let mayAct = true;
let parley: { url: string; token: string } | null = null;
let isInterrupted = false;
let isActive = false;
let added: string[] = [];
let lastRequest = 100;

if (process.argv[2] !== 'app-server') {
  console.error(`error: unrecognized subcommand '${process.argv[2]}'`);
  process.exit(2);
}

readRecords((record: Json) => {
  if (record.method === undefined) questions.answer(String(record.id), record.result ?? {});
  else if (record.id !== undefined) void answer(record.id, record.method, record.params);
});

async function answer(id: number, method: string, params: Json): Promise<void> {
  switch (method) {
    case 'thread/start':
      threadId = randomUUID();
      return open(id, params);
    case 'thread/resume':
      if (!new Memory('.codex/sessions', params.threadId).exists)
        return put({ id, error: { code: -32600, message: `no rollout found for thread id ${params.threadId}` } });
      threadId = params.threadId;
      return open(id, params);
    case 'turn/start':
      turnId = randomUUID();
      put({ id, result: { turn: { id: turnId } } });
      return work(params.input[0].text);
    case 'turn/steer':
      if (!isActive) return put({ id, error: { code: -32600, message: 'no active turn to steer' } });
      added.push(params.input[0].text);
      return put({ id, result: {} });
    case 'turn/interrupt':
      isInterrupted = true;
      return put({ id, result: {} });
    default:
      return put({ id, result: {} });
  }
}

function open(id: number, { config, sandbox }: Json): void {
  const server = config?.mcp_servers?.parley;
  parley = server ? { url: server.url, token: server.http_headers.Authorization.replace('Bearer ', '') } : null;
  mayAct = sandbox !== 'read-only';
  put({ id, result: { thread: { id: threadId } } });
}

async function work(prompt: string): Promise<void> {
  const memory = new Memory('.codex/sessions', threadId);
  const deed = deedOf(prompt, memory.prompts);
  memory.add(prompt);
  isInterrupted = false;
  isActive = true;
  note('turn/started', { turn: { id: turnId } });
  const failed = await perform(deed);
  isActive = false;
  for (const text of added) memory.add(text);
  added = [];
  note('thread/tokenUsage/updated', {
    tokenUsage: { last: { inputTokens: 10, cachedInputTokens: 5, outputTokens: 7 } },
  });
  const status = isInterrupted ? 'interrupted' : failed ? 'failed' : 'completed';
  note('turn/completed', { turn: { id: turnId, status, error: failed ? { message: failed } : null } });
}

function note(method: string, params: Json): void {
  put({ method, params: { threadId, turnId, ...params } });
}

async function perform(deed: Deed): Promise<string | null> {
  switch (deed.kind) {
    case 'say':
      await say(piecesOf(deed));
      return null;
    case 'run':
      return use({ type: 'commandExecution', command: deed.command, cwd: process.cwd() }, 'commandExecution', () =>
        run(deed.command),
      );
    case 'write': {
      const changes = [{ path: deed.file, kind: { type: 'add' }, diff: deed.content }];
      return use({ type: 'fileChange', changes }, 'fileChange', () => {
        write(deed.file, deed.content);
        return '';
      });
    }
    case 'parley':
      return use({ type: 'mcpToolCall', server: 'parley', tool: deed.tool }, null, () => callParley(deed));
    case 'plan':
      note('turn/plan/updated', { plan: deed.steps.map((step) => ({ step, status: 'pending' })) });
      await say(['That is the plan.']);
      return null;
    case 'ask':
      return ask(deed.question);
    default:
      return misbehave(deed);
  }
}

async function say(pieces: readonly string[]): Promise<void> {
  const id = randomUUID();
  note('item/started', { item: { type: 'agentMessage', id, text: '' } });
  for (const delta of pieces) {
    if (isInterrupted) return;
    note('item/agentMessage/delta', { itemId: id, delta });
    await sleep(1);
  }
  note('item/completed', { item: { type: 'agentMessage', id, text: pieces.join('') } });
}

async function use(item: Json, asked: string | null, act: () => string | Promise<string>): Promise<null> {
  const id = `call_${randomUUID()}`;
  note('item/started', { item: { ...item, id, status: 'inProgress' } });
  const mayGoOn = mayAct && (asked === null || (await isAllowed(id, asked, item)));
  const output = mayGoOn ? await act() : 'declined';
  const done = { aggregatedOutput: output, status: mayGoOn ? 'completed' : 'declined', exitCode: mayGoOn ? 0 : null };
  note('item/completed', { item: { ...item, id, ...done, result: { content: [{ type: 'text', text: output }] } } });
  await say([`Tool said: ${output}`]);
  return null;
}

async function isAllowed(itemId: string, kind: string, { command, cwd }: Json): Promise<boolean> {
  const id = lastRequest++;
  const answered = questions.wait(String(id));
  put({ id, method: `item/${kind}/requestApproval`, params: { threadId, turnId, itemId, command, cwd } });
  return (await answered).decision === 'accept';
}

async function ask(question: string): Promise<null> {
  const [id, itemId] = [lastRequest++, `call_${randomUUID()}`];
  const answered = questions.wait(String(id));
  const options = ['Red', 'Blue'].map((label) => ({ label, description: label }));
  const asked = [{ id: 'colour', header: 'Colour', question, isOther: true, isSecret: false, options }];
  put({ id, method: 'item/tool/requestUserInput', params: { threadId, turnId, itemId, questions: asked } });
  await say([`Tool said: ${JSON.stringify(await answered)}`]);
  return null;
}

async function callParley({ tool, input }: Extract<Deed, { kind: 'parley' }>): Promise<string> {
  const tools = await ParleyTools.over('http', { ...parley!, bridge: { command: '', args: [], env: {} } });
  const output = await tools.call(tool, JSON.stringify(input));
  await tools.close();
  return output;
}

async function misbehave({ how }: Extract<Deed, { kind: 'misbehave' }>): Promise<string | null> {
  await say(['Hello.']);
  switch (how) {
    case 'DIE':
      process.exit(3);
      break;
    case 'FLOOD':
      return flood();
    case 'FAIL':
      return 'stream disconnected: overloaded';
    case 'LATE':
      note('turn/completed', { turn: { id: turnId, status: 'completed' } });
      await say(['Too late.']);
      return null;
    default:
      return hang(how);
  }
}
