import type { AgentDefinition } from '../../contract/agents.ts';

export interface ShapeLimits {
  /** How many agents a team may have. */
  readonly agents: number;
  readonly depth: number;
  readonly fanOut: number;
}

/** What is wrong with how agents stand to each other, by the place of the agent; the team as a whole under `whole`. */
export interface ShapeIssues {
  readonly whole: readonly string[];
  readonly members: readonly (readonly string[])[];
}

/** The first is the orchestrator; every other one is below it, no deeper and no wider than delegation allows. */
export function shapeIssues(definitions: readonly AgentDefinition[], limits: ShapeLimits): ShapeIssues {
  const depths = depthsOf(definitions);
  return {
    whole: definitions.length > limits.agents ? [`a team can have at most ${limits.agents} agents`] : [],
    members: definitions.map((definition, index) => [
      ...placeIssues(definitions, definition, index, depths),
      ...depthIssues(depths.get(definition.agentId), limits),
      ...widthIssues(definitions, definition, limits),
    ]),
  };
}

function placeIssues(
  definitions: readonly AgentDefinition[],
  { agentId, parentAgentId }: AgentDefinition,
  index: number,
  depths: ReadonlyMap<string, number>,
): string[] {
  const twice = definitions.findIndex((other) => other.agentId.toLowerCase() === agentId.toLowerCase());
  if (twice < index) return [`agentId must be unique in the team, and ${definitions[twice]!.agentId} is there already`];
  if (index === 0)
    return parentAgentId ? ['parentAgentId must be empty, because the first agent is the orchestrator'] : [];
  if (!parentAgentId) return ['parentAgentId must name the agent of the team that delegates to this one'];
  if (!definitions.some((other) => other.agentId === parentAgentId))
    return [`parentAgentId must name an agent of the team, and ${parentAgentId} is not one`];
  return depths.has(agentId) ? [] : ['parentAgentId leads in a circle and never to the orchestrator'];
}

function depthIssues(depth: number | undefined, limits: ShapeLimits): string[] {
  if (depth === undefined || depth <= limits.depth) return [];
  return [`is ${depth} steps below the orchestrator, and delegation goes at most ${limits.depth} deep`];
}

function widthIssues(
  definitions: readonly AgentDefinition[],
  { agentId }: AgentDefinition,
  { fanOut }: ShapeLimits,
): string[] {
  const children = definitions.filter(({ parentAgentId }) => parentAgentId === agentId).length;
  return children > fanOut ? [`has ${children} children, and an agent can delegate to at most ${fanOut} at once`] : [];
}

/** How far below the orchestrator each agent is that can be reached from it. */
function depthsOf(definitions: readonly AgentDefinition[]): Map<string, number> {
  const depths = new Map<string, number>();
  const [first] = definitions;
  if (first) depths.set(first.agentId, 0);
  for (let depth = 1; depth <= definitions.length; depth++) {
    const above = new Set([...depths].filter(([, at]) => at === depth - 1).map(([id]) => id));
    for (const { agentId, parentAgentId } of definitions)
      if (parentAgentId && above.has(parentAgentId) && !depths.has(agentId)) depths.set(agentId, depth);
  }
  return depths;
}
