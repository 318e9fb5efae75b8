// A program that speaks as Claude Code does with streamed input and output.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ParleyTools } from '../../../conformance/scripted/parley-tools.ts';
import { argument, put, Questions, readRecords } from './lines.ts';
import { type Deed, deedOf, flood, hang, Memory, piecesOf, run, write } from './words.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of a protocol
type Json = Record<string, any>;

const resumed = argument('--resume');
const conversation = resumed ?? argument('--session-id')!;
const hasTools = argument('--tools') !== '';
const memory = new Memory('.claude/projects', conversation);
const questions = new Questions();
const queue: { text: string; uuid: string }[] = [];
const common = { session_id: conversation, parent_tool_use_id: null };
let parley: { url: string; token: string } | null = null;
let isInterrupted = false;
let isBusy = false;
let cost = 0;

if (resumed !== undefined && !memory.exists) {
  put({ type: 'result', subtype: 'error_during_execution', is_error: true, num_turns: 0, ...common });
  console.error(`No conversation found with session ID: ${resumed}`);
  process.exit(1);
}

readRecords((record: Json) => {
  if (record.type === 'control_response') questions.answer(record.response.request_id, record.response.response);
  else if (record.type === 'control_request') control(record.request_id, record.request);
  else if (record.type === 'user') {
    queue.push({ text: record.message.content[0].text, uuid: record.uuid });
    if (!isBusy) void work();
  }
});

function control(id: string, request: Json): void {
  if (request.subtype === 'interrupt') isInterrupted = true;
  const server = request.servers?.parley;
  if (request.subtype === 'mcp_set_servers')
    parley = server ? { url: server.url, token: server.headers.Authorization.replace('Bearer ', '') } : null;
  put({ type: 'control_response', response: { subtype: 'success', request_id: id, response: {} } });
}

async function work(): Promise<void> {
  isBusy = true;
  for (let next = read(); next !== null; next = read()) {
    put({ type: 'system', subtype: 'init', model: 'scripted', ...common });
    isInterrupted = false;
    await perform(next);
    if (isInterrupted) finish({ subtype: 'error_during_execution', is_error: true });
    else finish({ subtype: 'success', is_error: false, stop_reason: 'end_turn' });
  }
  isBusy = false;
}

/** Takes a prompt, and says that it was taken. */
function read(): Deed | null {
  const next = queue.shift();
  if (!next) return null;
  put({
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text: next.text }] },
    uuid: next.uuid,
    isReplay: true,
  });
  const deed = deedOf(next.text, memory.prompts);
  memory.add(next.text);
  return deed;
}

function finish(result: Json): void {
  cost += 0.01;
  const usage = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 7 };
  put({ type: 'result', usage, total_cost_usd: cost, result: '', ...result, ...common });
}

async function perform(deed: Deed): Promise<void> {
  switch (deed.kind) {
    case 'say':
      return say(piecesOf(deed));
    case 'run':
      return use('Bash', { command: deed.command }, () => run(deed.command));
    case 'write':
      return use('Write', { file_path: deed.file, content: deed.content }, () => {
        write(deed.file, deed.content);
        return 'File created.';
      });
    case 'parley':
      return use(`mcp__parley__${deed.tool}`, deed.input, () => callParley(deed));
    case 'plan': {
      const todos = deed.steps.map((content) => ({ content, status: 'pending', activeForm: content }));
      return use('TodoWrite', { todos }, () => 'Todos have been modified.');
    }
    case 'ask': {
      const options = ['Red', 'Blue'].map((label) => ({ label, description: label }));
      const questions = [{ header: 'Colour', question: deed.question, options, multiSelect: false }];
      return use('AskUserQuestion', { questions }, ({ answers }) => JSON.stringify(answers));
    }
    default:
      return misbehave(deed);
  }
}

async function say(pieces: readonly string[]): Promise<void> {
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  for (const text of pieces) {
    if (isInterrupted) return;
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
    await sleep(1);
  }
  put({
    type: 'assistant',
    message: { id: randomUUID(), content: [{ type: 'text', text: pieces.join('') }] },
    ...common,
  });
}

function event(about: Json): void {
  put({ type: 'stream_event', event: about, ...common });
}

/** What is done with the input, as it was allowed. */
type Act = (input: Json) => string | Promise<string>;

async function use(name: string, input: Json, act: Act): Promise<void> {
  const id = `toolu_${randomUUID()}`;
  put({
    type: 'assistant',
    message: { id: randomUUID(), content: [{ type: 'tool_use', id, name, input }] },
    ...common,
  });
  const { output, isError } = hasTools ? await attempt(name, input, id, act) : NO_SUCH_TOOL;
  const result = { type: 'tool_result', tool_use_id: id, content: output, is_error: isError };
  put({ type: 'user', message: { role: 'user', content: [result] }, ...common });
  // What was added meanwhile is read between two steps.
  while (queue.length > 0) read();
  await say([`Tool said: ${output}`]);
}

const NO_SUCH_TOOL = { output: 'No such tool available.', isError: true };

async function attempt(name: string, input: Json, id: string, act: Act) {
  const answer = name.startsWith('mcp__parley') ? { behavior: 'allow' } : await ask(name, input, id);
  if (answer.behavior !== 'allow') return { output: answer.message as string, isError: true };
  return { output: await act(answer.updatedInput), isError: false };
}

async function ask(name: string, input: Json, id: string): Promise<Json> {
  const request_id = randomUUID();
  const answer = questions.wait(request_id);
  const request = { subtype: 'can_use_tool', tool_name: name, input, tool_use_id: id };
  put({ type: 'control_request', request_id, request });
  return answer;
}

async function callParley({ tool, input }: Extract<Deed, { kind: 'parley' }>): Promise<string> {
  const tools = await ParleyTools.over('http', { ...parley!, bridge: { command: '', args: [], env: {} } });
  const output = await tools.call(tool, JSON.stringify(input));
  await tools.close();
  return output;
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
      return finish({ subtype: 'success', is_error: true, result: 'API Error: overloaded' });
    case 'LATE':
      finish({ subtype: 'success', is_error: false, stop_reason: 'end_turn' });
      return say(['Too late.']);
    default:
      return hang(how);
  }
}
