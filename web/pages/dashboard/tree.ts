import type { Agent } from '../../../contract/agents.ts';

/** One visible line of the hierarchy, with what a screen reader says of its place. */
export interface TreeRow {
  readonly agent: Agent;
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  readonly hasChildren: boolean;
  readonly expanded: boolean;
  readonly parentId: string | null;
}

/** The hierarchy from top to bottom, without what is folded away. An agent whose parent is missing is shown at the top. */
export function treeRows(agents: readonly Agent[], folded: ReadonlySet<string>): TreeRow[] {
  const known = new Set(agents.map(({ agentId }) => agentId));
  const children = new Map<string | null, Agent[]>();
  for (const agent of agents) {
    const parent = agent.parentAgentId !== null && known.has(agent.parentAgentId) ? agent.parentAgentId : null;
    children.set(parent, [...(children.get(parent) ?? []), agent]);
  }
  return rowsUnder(children, folded, null, 1);
}

function rowsUnder(
  children: ReadonlyMap<string | null, readonly Agent[]>,
  folded: ReadonlySet<string>,
  parentId: string | null,
  level: number,
): TreeRow[] {
  const here = children.get(parentId) ?? [];
  return here.flatMap((agent, index) => {
    const hasChildren = children.has(agent.agentId);
    const expanded = hasChildren && !folded.has(agent.agentId);
    const row = { agent, level, position: index + 1, siblings: here.length, hasChildren, expanded, parentId };
    return [row, ...(expanded ? rowsUnder(children, folded, agent.agentId, level + 1) : [])];
  });
}

/** What a key does in a tree, as people who use trees by keyboard expect; null: nothing. */
export type TreeMove = { readonly focus: string } | { readonly toggle: string } | { readonly open: string } | null;

export function treeKey(rows: readonly TreeRow[], focused: string, key: string): TreeMove {
  const index = rows.findIndex(({ agent }) => agent.agentId === focused);
  const row = rows[index];
  if (!row) return null;
  switch (key) {
    case 'ArrowDown':
      return toRow(rows[index + 1]);
    case 'ArrowUp':
      return toRow(rows[index - 1]);
    case 'Home':
      return toRow(rows[0]);
    case 'End':
      return toRow(rows.at(-1));
    case 'ArrowRight':
      if (!row.hasChildren) return null;
      return row.expanded ? toRow(rows[index + 1]) : { toggle: focused };
    case 'ArrowLeft':
      if (row.expanded) return { toggle: focused };
      return row.parentId === null ? null : { focus: row.parentId };
    case 'Enter':
    case ' ':
      return { open: focused };
    default:
      return key.length === 1 ? byLetter(rows, index, key) : null;
  }
}

function toRow(row: TreeRow | undefined): TreeMove {
  return row ? { focus: row.agent.agentId } : null;
}

/** The next line, around the end, whose name begins with the letter. */
function byLetter(rows: readonly TreeRow[], from: number, letter: string): TreeMove {
  const around = [...rows.slice(from + 1), ...rows.slice(0, from)];
  const begins = ({ agent }: TreeRow) => agent.displayName.toLowerCase().startsWith(letter.toLowerCase());
  return toRow(around.find(begins));
}
