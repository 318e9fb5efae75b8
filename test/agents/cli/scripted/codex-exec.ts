// A program that speaks as a Codex without `app-server` does: `codex exec --json` for each prompt.
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { argument, put } from './lines.ts';
import { deedOf, hang, Memory, run } from './words.ts';

// What it does not know is a prompt for its terminal interface.
if (process.argv[2] !== 'exec') {
  console.error('Error: stdin is not a terminal');
  process.exit(1);
}

const resumed = argument('resume');
const thread = resumed ?? randomUUID();
const memory = new Memory('.codex/sessions', thread);
const mayWrite = argument('-s') !== 'read-only';
let items = 0;

if (resumed !== undefined && !memory.exists) {
  console.error(`Error: thread/resume: thread/resume failed: no rollout found for thread id ${resumed}`);
  process.exit(1);
}

const prompt = await text(process.stdin);
const deed = deedOf(prompt, memory.prompts);
memory.add(prompt);
put({ type: 'thread.started', thread_id: thread });
complete({ type: 'error', message: 'Model metadata for `m1` not found.' });
put({ type: 'turn.started' });
switch (deed.kind) {
  case 'say':
    complete({ type: 'agent_message', text: deed.text });
    break;
  case 'run':
    execute(deed.command);
    break;
  case 'plan':
    complete({ type: 'todo_list', items: deed.steps.map((step, at) => ({ text: step, completed: at === 0 })) });
    complete({ type: 'agent_message', text: 'That is the plan.' });
    break;
  case 'misbehave':
    await misbehave(deed.how);
    break;
  default:
    complete({ type: 'agent_message', text: 'I have no such tool.' });
}
put({ type: 'turn.completed', usage: { input_tokens: 10, cached_input_tokens: 5, output_tokens: 7 } });

function complete(item: object): void {
  put({ type: 'item.completed', item: { id: `item_${items++}`, ...item } });
}

function execute(command: string): void {
  const item = { id: `item_${items++}`, type: 'command_execution', command };
  const begun = { aggregated_output: '', exit_code: null, status: 'in_progress' };
  put({ type: 'item.started', item: { ...item, ...begun } });
  const output = mayWrite ? run(command) : 'Read-only file system\n';
  const ended = { aggregated_output: output, exit_code: mayWrite ? 0 : 1, status: mayWrite ? 'completed' : 'failed' };
  put({ type: 'item.completed', item: { ...item, ...ended } });
  complete({ type: 'reasoning', text: 'Now summarise.' });
  complete({ type: 'agent_message', text: `Tool said: ${output}` });
}

async function misbehave(how: string): Promise<void> {
  complete({ type: 'agent_message', text: 'Hello.' });
  if (how === 'DIE') process.exit(3);
  if (how !== 'FAIL') await hang('HANG');
  put({ type: 'error', message: 'Reconnecting... 1/5' });
  put({ type: 'turn.failed', error: { message: 'unexpected status 401 Unauthorized' } });
  process.exit(1);
}
