import type { Agent } from '../contract/agents.ts';

/** A line for each agent of a team, those below another one further in. */
export function teamTree(team: readonly string[], agents: readonly Agent[]): { depth: number; words: string }[] {
  const known = new Map(agents.map((agent) => [agent.agentId, agent]));
  const parentOf = (agentId: string) => {
    const parent = known.get(agentId)?.parentAgentId;
    return parent && team.includes(parent) && parent !== agentId ? parent : team[0];
  };
  const below = (agentId: string, depth: number): { depth: number; words: string }[] => [
    { depth, words: `${agentId}  ${known.get(agentId)?.displayName ?? '(deleted)'}` },
    ...(depth > team.length
      ? []
      : team
          .slice(1)
          .filter((other) => other !== agentId && parentOf(other) === agentId)
          .flatMap((other) => below(other, depth + 1))),
  ];
  return team.length === 0 ? [] : below(team[0]!, 0);
}
