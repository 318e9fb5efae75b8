/** An agent as a line of a tree. */
export interface TeamRow {
  readonly agentId: string;
  readonly depth: number;
}

interface Placed {
  readonly agentId: string;
  readonly parentAgentId?: string | null | undefined;
}

/** The first is the orchestrator; agents that are below no other one of the team are below it. Each stands once. */
export function teamRows(agents: readonly Placed[]): TeamRow[] {
  const ids = new Set(agents.map(({ agentId }) => agentId));
  const [leader] = agents;
  const shown = new Set<string>();
  const below = (agentId: string, depth: number): TeamRow[] => {
    if (shown.has(agentId)) return [];
    shown.add(agentId);
    const children = agents.slice(1).filter((agent) => parentOf(agent) === agentId);
    return [{ agentId, depth }, ...children.flatMap((child) => below(child.agentId, depth + 1))];
  };
  const parentOf = ({ parentAgentId }: Placed) =>
    parentAgentId && ids.has(parentAgentId) ? parentAgentId : leader!.agentId;
  const rows = leader ? below(leader.agentId, 0) : [];
  // What stands in a circle is reached from nowhere, and has to be seen to be put right.
  return [
    ...rows,
    ...agents.filter(({ agentId }) => !shown.has(agentId)).map(({ agentId }) => ({ agentId, depth: 1 })),
  ];
}
