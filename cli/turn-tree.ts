import type { TurnNode } from '../contract/delegation.ts';
import { formatDuration } from '../contract/duration.ts';
import type { TurnState } from '../contract/turns.ts';
import { elapsed, usageLine } from './amounts.ts';
import { callLine } from './call-line.ts';
import { look } from './output.ts';
import { safeLine } from './terminal-text.ts';
import { cut } from './text-width.ts';

/** One line of the tree, with the lines that lead to it. */
interface Branch {
  text: string;
  below: Branch[];
}

/** The tree of delegations, drawn with lines. `asked` is marked. */
export function drawTree(root: TurnNode, asked: string, room: number): string[] {
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
