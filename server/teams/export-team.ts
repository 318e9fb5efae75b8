import type { AgentDefinition } from '../../contract/agents.ts';
import type { TeamDefinition, TeamFile } from '../../contract/teams.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { REDACTED, secretsOf } from '../config/secrets.ts';
import { builtInTemplates } from '../config/templates.ts';

/** The agents stand for themselves: below the first, with what they inherit from others here written out. */
export function exportTeam(
  { name, description }: Pick<TeamDefinition, 'name' | 'description'>,
  agents: readonly ResolvedAgent[],
): TeamFile {
  const ids = new Set(agents.map(({ agentId }) => agentId));
  const [leader] = agents;
  const placed = agents.map((agent) => {
    const { parentAgentId, ...definition } = withoutHiddenKeys(wholeOf(agent));
    if (agent === leader) return definition;
    const isInside = parentAgentId && ids.has(parentAgentId) && parentAgentId !== agent.agentId;
    return { ...definition, parentAgentId: isInside ? parentAgentId : leader!.agentId };
  });
  return { format: 'parley.team', version: 1, team: { name, description, agents: placed } };
}

/** What comes with Parley is there wherever the file is read. */
function wholeOf({ definition, resolved }: ResolvedAgent): AgentDefinition {
  const isEverywhere = builtInTemplates().some(({ id }) => id === definition.extends);
  return definition.extends && !isEverywhere ? resolved : definition;
}

/** A key that was written out is not shown, so it has to be given anew. */
function withoutHiddenKeys(definition: AgentDefinition): AgentDefinition {
  const copy = structuredClone(definition);
  for (const { type, name, value } of secretsOf(copy)) {
    const settings = copy[type] as Record<string, unknown> | null | undefined;
    if (value === REDACTED && settings) delete settings[name];
  }
  return copy;
}
