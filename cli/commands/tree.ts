import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { TurnNode, TurnTree } from '../../contract/delegation.ts';
import { formatDuration } from '../../contract/duration.ts';
import { AppError } from '../../contract/errors.ts';
import { ID_PATTERN } from '../../contract/id-pattern.ts';
import type { TurnState } from '../../contract/turns.ts';
import { elapsed, usageLine } from '../amounts.ts';
import { callLine, screenWidth } from '../call-line.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { CommandFailure } from '../failure.ts';
import { DEFAULT_SESSION, findSession } from '../find-session.ts';
import { look, print, printJson } from '../output.ts';
import { safeLine } from '../terminal-text.ts';
import { cut } from '../text-width.ts';

interface TreeOptions extends HomeOption {
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('Show the delegations of a request: who asked whom, with state, duration, tokens and cost.')
    .argument('[turn-or-session]', 'a turn, or a session by name or ID (its latest turn)', DEFAULT_SESSION)
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .addHelpText('after', EXAMPLES)
    .action(tree);
}

async function tree(what: string, options: TreeOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { root, asked } = await load(client, what);
    if (options.json) return printJson({ root, asked });
    for (const line of drawTree(root, asked, screenWidth())) print(line);
  });
}

async function load(client: ParleyClient, what: string): Promise<TurnTree> {
  const session = await findSession(client, what);
  if (!session) return loadTurn(client, what);
  const [newest] = (await client.call('listTurns', { sessionId: session.id, query: { limit: 1 } })).turns;
  if (newest) return client.call('turnTree', { turnId: newest.id });
  throw new CommandFailure('This session has no messages yet.');
}

async function loadTurn(client: ParleyClient, id: string): Promise<TurnTree> {
  const unknown = new AppError('turn_not_found', `No session or turn has the name or ID "${id}".`);
  if (!ID_PATTERN.test(id)) throw unknown;
  return client.call('turnTree', { turnId: id }).catch((error) => {
    throw error instanceof AppError && error.code === 'turn_not_found' ? unknown : error;
  });
}

const EXAMPLES = `
◌ queued  ● running  ◔ waiting for you  ✓ complete  ✗ failed or cancelled  ? interrupted
Tokens and cost of a turn include its sub-agents.

Examples:
  $ parley tree              the latest turn of the default session and its delegations
  $ parley tree trip
  $ parley tree TURN_ID      the tree prints turn IDs
  $ parley cancel TURN_ID    stop a turn and everything done for it`;

/** One line of the tree, with the lines that lead to it. */
interface Branch {
  text: string;
  below: Branch[];
}

/** The tree of delegations, drawn with lines. `asked` is marked. */
function drawTree(root: TurnNode, asked: string, room: number): string[] {
  const { text, below } = toBranch(root, null, asked);
  return [cut(text, room), ...drawBelow(below, '', room)].map(paint);
}

function toBranch(node: TurnNode, parent: TurnNode | null, asked: string): Branch {
  const calls = node.toolCalls.map((call) => ({ text: callLine({ ...call, input: '{}' }), below: [] }));
  const children = node.children.map((child) => toBranch(child, node, asked));
  return { text: turnLine(node, parent, asked), below: [...calls, ...children] };
}

function turnLine(
  { turn, via, mode, task, usage, sessionTitle }: TurnNode,
  parent: TurnNode | null,
  asked: string,
): string {
  const took = elapsed(turn.startedAt, turn.endedAt);
  const facts = [
    turn.state,
    took === null ? '' : formatDuration(took),
    usage ? usageLine(usage) : '',
    via === null ? '' : [via, mode].filter(Boolean).join(' '),
    parent?.turn.sessionId === turn.sessionId ? '' : `in "${safeLine(sessionTitle)}"`,
    turn.id === asked && parent ? 'this turn' : '',
  ];
  const what = task.trim() === '' ? '' : ` — ${safeLine(task)}`;
  return `${MARKS[turn.state]} ${safeLine(turn.agentId)} ${turn.id} (${facts.filter(Boolean).join(', ')})${what}`;
}

const MARKS: Record<TurnState, string> = {
  queued: '◌',
  running: '●',
  waiting: '◔',
  complete: '✓',
  failed: '✗',
  cancelled: '✗',
  interrupted: '?',
};

function drawBelow(branches: readonly Branch[], indent: string, room: number): string[] {
  return branches.flatMap(({ text, below }, index) => {
    const isLast = index === branches.length - 1;
    const line = cut(`${indent}${isLast ? '└─ ' : '├─ '}${text}`, room);
    return [line, ...drawBelow(below, `${indent}${isLast ? '   ' : '│  '}`, room)];
  });
}

/** After cutting, so that no colour is cut in two. */
function paint(line: string): string {
  const mark = /^[│├└─ ]*(.)/u.exec(line)?.[1];
  if (mark === MARKS.failed) return look().red(line);
  if (mark === MARKS.waiting || mark === MARKS.running) return look().amber(line);
  return mark === '⚙' ? look().dim(line) : line;
}
