import type { TeamRow } from '../../state/team-rows.ts';

/** Those that stand below the same agent, in their order; the orchestrator stands alone. */
export function siblingsOf(rows: readonly TeamRow[], agentId: string): string[] {
  const parent = shownParent(rows, agentId);
  return rows.map((row) => row.agentId).filter((id) => shownParent(rows, id) === parent);
}

/** The agents of a team that one of them can be put under: not itself, nor one below it, nor the one it is under already. */
export function parentsFor(rows: readonly TeamRow[], agentId: string): string[] {
  const at = rows.findIndex((row) => row.agentId === agentId);
  const { depth } = rows[at]!;
  if (depth === 0) return [];
  const end = rows.findIndex((row, index) => index > at && row.depth <= depth);
  const below = new Set(rows.slice(at, end < 0 ? undefined : end).map((row) => row.agentId));
  const parent = shownParent(rows, agentId);
  return rows.map((row) => row.agentId).filter((id) => !below.has(id) && id !== parent);
}

/** Two agents of a team in each other's place. */
export function moved(agents: readonly string[], one: string, other: string): string[] {
  return agents.map((id) => (id === one ? other : id === other ? one : id));
}

function shownParent(rows: readonly TeamRow[], agentId: string): string | null {
  const at = rows.findIndex((row) => row.agentId === agentId);
  const { depth } = rows[at]!;
  return rows.findLast((row, index) => index < at && row.depth === depth - 1)?.agentId ?? null;
}
