// The program behind a scripted agent: does what the message it answers tells it, one command per line.
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolRisk } from '../../../contract/tools.ts';
import type { Permission, PersonAnswer } from '../../../server/agents/host-requests.ts';
import { Memory } from './memory.ts';
import { ParleyTools } from './parley-tools.ts';
import type { Asked, Given, Reply, Said } from './protocol.ts';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const given: Given = JSON.parse((await lines.next()).value!);
const memory = new Memory(given.folder);

async function answer({ script, unseen, everything, state, resumed }: Given): Promise<void> {
  const isLost = state !== null && !memory.has(state);
  const token = state === null || isLost ? randomUUID() : state;
  if (isLost) say({ type: 'state', token: null });
  const before = isLost ? everything : unseen;
  if (!resumed) memory.hear(token, before === '' ? [] : [before]);
  for (const line of resumed ? rest(script) : script.split('\n')) {
    const [, command = '', rest = ''] = /^(\S*) ?(.*)$/.exec(line) ?? [];
    await COMMANDS[command]?.(rest, token);
  }
  memory.hear(token, [`> ${script}`]);
  say({ type: 'state', token });
  say({ type: 'end', reason: 'complete', stopReason: 'stop' });
}

/** A program that begins anew in the middle of a turn goes on with what it was waiting for. */
function rest(script: string): string[] {
  const lines = script.split('\n');
  return lines.slice(lines.findIndex((line) => /^(approve|ask|task) /.test(line)));
}

const COMMANDS: Record<string, (words: string, token: string) => unknown> = {
  say: (text) => say({ type: 'text', text }),
  think: (text) => say({ type: 'reasoning', text }),
  recall: (_, token) => say({ type: 'text', text: memory.recall(token) }),
  tool: (words) => {
    const { callId, name, input, output } = toolIn(words);
    say({ type: 'tool_started', callId, name, input });
    say({ type: 'tool_progress', callId, text: 'halfway', fraction: 0.5 });
    if (output !== undefined) say({ type: 'tool_ended', callId, output, isError: output.startsWith('Error') });
  },
  plan: (words) =>
    say({
      type: 'plan',
      entries: words.split(', ').map((text, place) => ({ text, state: place ? 'pending' : 'running' })),
    }),
  status: (text) => say({ type: 'status', text }),
  file: (words) => {
    const [name = '', ...rest] = words.split(' ');
    say({ type: 'file', name, text: rest.join(' ') });
  },
  cwd: () => say({ type: 'text', text: process.cwd() }),
  /** A file in the workspace: its name and its only line. */
  write: (words) => {
    const [name = '', ...rest] = words.split(' ');
    writeFileSync(name, `${rest.join(' ')}\n`);
    say({ type: 'text', text: `wrote ${name}\n` });
  },
  remove: (name) => rmSync(name),
  approve: async (words) => {
    const { callId, name, input } = toolIn(words);
    const call = { callId, name, input, risk: 'execute' } as const;
    const permission = (await ask({ type: 'approve', call })) as Permission;
    const text = permission.allowed ? `allowed ${permission.input ?? input}` : `denied: ${permission.reason}`;
    say({ type: 'text', text });
  },
  /** `read`, `write`, `execute` or `send`, then the call. */
  request: async (words) => {
    const [how = '', ...called] = words.split(' ');
    const risk = how === 'send' ? { risk: 'read' as const, sends: true } : { risk: how as ToolRisk };
    const permission = (await ask({ type: 'approve', call: { ...toolIn(called.join(' ')), ...risk } })) as Permission;
    say({ type: 'text', text: permission.allowed ? `${how} allowed.` : `${how} denied: ${permission.reason}` });
  },
  /** Two requests at the same time. */
  twice: async (words) => {
    const { callId, name, input } = toolIn(words);
    const call = { callId, name, input, risk: 'execute' } as const;
    for (let time = 0; time < 2; time++) say({ type: 'asked', number: asked++, asked: { type: 'approve', call } });
    for (let time = 0; time < 2; time++) {
      const { reply } = JSON.parse((await lines.next()).value!) as Reply;
      say({ type: 'text', text: (reply as Permission).allowed ? 'allowed.' : 'denied.' });
    }
  },
  work: async (title) => {
    await ask({ type: 'work', title });
    say({ type: 'text', text: 'begun' });
  },
  ask: async (words) => {
    const [id = '', ...question] = words.split(' ');
    const answer = (await ask({ type: 'ask', id, question: { question: question.join(' ') } })) as PersonAnswer | null;
    say({ type: 'text', text: answer ? `answered ${answer.text}` : 'declined' });
  },
  /** Work that goes on elsewhere: it is sent once, and waited for by whichever program comes to ask. */
  task: async (name, token) => {
    if (!given.resumed) memory.hear(`task ${name}`, ['sent']);
    say({ type: 'state', token });
    while (!memory.has(`task ${name} done`)) await sleep(50);
    say({ type: 'text', text: memory.recall(`task ${name} done`) });
  },
  /** `http` or `stdio`: what the turn's MCP server offers. */
  tools: (way) => withTools(way, async (tools) => (await tools.names()).join(' ')),
  /** `http` or `stdio`, the tool, its arguments. */
  call: (words) => {
    const [way = '', name = '', ...input] = words.split(' ');
    return withTools(way, (tools) => tools.call(name, input.join(' ')));
  },
  token: () => say({ type: 'text', text: JSON.stringify(given.endpoint) }),
  state: (token) => say({ type: 'state', token }),
  hang: () => new Promise(() => setInterval(() => {}, 1000)),
  deaf: () => {
    process.on('SIGTERM', () => {});
    say({ type: 'text', text: 'deaf' });
    return new Promise(() => setInterval(() => {}, 1000));
  },
  /** Tells what it was shown only after it was told to stop, and goes on. */
  late: () => {
    const request = { system: 'The late secret.', model: 'scripted', tools: [], estimatedTokens: 1 };
    process.on('SIGTERM', () => say({ type: 'seen', request }));
    say({ type: 'text', text: 'late' });
    return new Promise(() => setInterval(() => {}, 1000));
  },
  flood: () => process.stdout.write('x'.repeat(1_000_000)),
  garbage: () => process.stdout.write('this is no JSON\n'),
  die: () => process.exit(3),
  end: () => say({ type: 'end', reason: 'complete', stopReason: 'stop' }),
  throw: () => say({ type: 'throw' }),
};

/** `ID NAME {…} => OUTPUT`; a call without an output does not end. */
function toolIn(words: string): { callId: string; name: string; input: string; output?: string } {
  const [called = '', output] = words.split(' => ');
  const [callId = '', name = '', ...input] = called.split(' ');
  return { callId, name, input: input.join(' '), ...(output !== undefined && { output }) };
}

async function withTools(way: string, use: (tools: ParleyTools) => Promise<string>): Promise<void> {
  const tools = await ParleyTools.over(way, given.endpoint);
  say({ type: 'text', text: `${await use(tools)}\n` });
  await tools.close();
}

let asked = 0;

/** One question at a time, so the next line is its answer. */
async function ask(asking: Asked): Promise<unknown> {
  say({ type: 'asked', number: asked++, asked: asking });
  return (JSON.parse((await lines.next()).value!) as Reply).reply;
}

function say(said: Said): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}

await answer(given);
