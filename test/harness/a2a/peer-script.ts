import { setTimeout as pause } from 'node:timers/promises';
import type { A2aPeer } from './peer.ts';
import type { PeerMessage, PeerPart, PeerTask } from './peer-task.ts';

let count = 0;

/**
 * Does what a message says, line by line. Without a command the line is said back. A task that no line has ended is
 * completed; what an answer to a question says is said, too.
 */
export async function perform(peer: A2aPeer, task: PeerTask, text: string, isAnswer: boolean): Promise<void> {
  await pause(0);
  task.setState('working');
  if (isAnswer) say(task, `Answered: ${text}`);
  else for (const line of text.split('\n')) if (!(await act(peer, task, line))) return;
  task.setState('completed');
}

/** False when nothing follows. */
async function act(peer: A2aPeer, task: PeerTask, line: string): Promise<boolean> {
  const [command = '', rest = ''] = split(line);
  switch (command) {
    case 'say':
      return say(task, rest);
    case 'whole':
      return artifact(task, 'whole', [{ text: rest }]);
    case 'work':
      task.setState('working', message(rest));
      return true;
    case 'flow':
      return flow(task, rest, true);
    case 'flow-outside':
      return flow(task, rest, false);
    case 'begin':
      void perform(peer, peer.addTask(split(rest)[0]!), split(rest)[1]!.replaceAll('; ', '\n'), false);
      return true;
    case 'ask':
      task.setState('input-required', message(rest));
      return false;
    case 'auth':
      task.setState('auth-required', message(rest));
      return false;
    case 'file':
      return artifact(task, 'file', [{ raw: Buffer.from(rest).toString('base64'), name: 'note.txt' }]);
    case 'large-file':
      return artifact(task, 'large', [{ raw: Buffer.alloc(Number(rest), 'x').toString('base64'), name: 'large.txt' }]);
    case 'link':
      return artifact(task, `link ${++count}`, [{ url: rest, name: 'report' }]);
    case 'data':
      return artifact(task, 'data', [{ data: JSON.parse(rest) }]);
    case 'end':
      task.setState(rest as 'failed', message('No more.'));
      return false;
    case 'twice':
      return twice(task, rest);
    case 'more':
      return more(task);
    case 'hang':
      return hang(task);
    case 'drop':
      task.breakStreams();
      return true;
    case 'wait':
      await pause(Number(rest));
      return true;
    case 'hold':
      await holdOf(rest).promise;
      return true;
    case 'huge':
      return say(task, 'x'.repeat(Number(rest)));
    default:
      return say(task, line);
  }
}

function split(line: string): [string, string] {
  const at = line.indexOf(' ');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
}

function message(text: string, more: Partial<PeerMessage> = {}): PeerMessage {
  return { messageId: `message-${++count}`, text, ...more };
}

export function say(task: PeerTask, text: string): true {
  task.tell({
    type: 'artifact',
    artifactId: 'answer',
    parts: [{ text }],
    append: task.artifacts.has('answer'),
    lastChunk: false,
  });
  return true;
}

function artifact(task: PeerTask, artifactId: string, parts: PeerPart[]): true {
  task.tell({ type: 'artifact', artifactId, parts, append: false, lastChunk: true });
  return true;
}

/** `name|description|task`; outside the message, in the update itself. */
function flow(task: PeerTask, rest: string, isInMessage: boolean): true {
  const [workflowName, description, taskId] = rest.split('|');
  const metadata = { referencedWorkflow: { workflowName, description } };
  const refers = taskId ? { referenceTaskIds: [taskId] } : {};
  const said = message(`Dispatching workflow: ${workflowName}`, { ...refers, ...(isInMessage && { metadata }) });
  task.setState('working', said, isInMessage ? undefined : metadata);
  return true;
}

/** Every update a second time, as it was. */
function twice(task: PeerTask, rest: string): true {
  const working = { type: 'status', state: 'working', message: message('Working on it.') } as const;
  for (let round = 0; round < 2; round++) {
    task.tell({ type: 'task' });
    task.tell(working);
    task.tell({ type: 'artifact', artifactId: 'answer', parts: [{ text: rest }], append: false, lastChunk: true });
  }
  return true;
}

/** Says that it is done, and goes on. */
async function more(task: PeerTask): Promise<false> {
  task.tell({ type: 'status', state: 'completed' });
  task.tell({ type: 'artifact', artifactId: 'answer', parts: [{ text: 'Too late.' }], append: true, lastChunk: false });
  task.tell({ type: 'status', state: 'failed', message: message('Failed after all.') });
  await pause(20);
  task.endStreams();
  return false;
}

/** It works for ever. Its connection stays, and stays busy. */
async function hang(task: PeerTask): Promise<false> {
  while (task.state === 'working') {
    task.ping();
    await pause(50);
  }
  return false;
}

const held = new Map<string, PromiseWithResolvers<void>>();

/** `hold` waits until the test lets it go on. */
export function letGoOn(name: string): void {
  holdOf(name).resolve();
}

function holdOf(name: string): PromiseWithResolvers<void> {
  const known = held.get(name) ?? Promise.withResolvers<void>();
  held.set(name, known);
  return known;
}
