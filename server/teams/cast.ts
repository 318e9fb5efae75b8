import type { Cast } from '../../contract/teams.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { followsTags } from '../tools/private-reading.ts';
import { decide, type Scope } from '../tools/scope.ts';
import type { Delegated } from './team-store.ts';

type Agents = ReadonlyMap<string, ResolvedAgent>;

export interface Spoken {
  /** Of the session. */
  readonly primary: string | null;
  readonly agents: readonly string[];
  readonly delegated: readonly Delegated[];
}

/** The agents of a session as a team, led by the one that is wanted, else by the one that delegated, else by the primary. */
export function castOf(spoken: Spoken, agents: Agents, wanted: string | undefined): Cast {
  const { primary, delegated } = spoken;
  const delegates = delegated.flatMap(({ from_agent, to_agent }) => [from_agent, to_agent]);
  const all = [...new Set([...(primary ? [primary] : []), ...spoken.agents, ...delegates])];
  const here = all.filter((agentId) => agents.has(agentId));
  const gone = all.filter((agentId) => !agents.has(agentId));
  const leader = [wanted, leading(delegated), ...here].find((agentId) => agentId && here.includes(agentId));
  if (leader === undefined) return { agents: [], gone, refused: [], changes: null };
  const order = [leader, ...here.filter((agentId) => agentId !== leader)];
  return { agents: order, gone, ...lackingIn(agents, order) };
}

/** What the orchestrator of a team lacks to delegate to those that it leads itself: others are below another agent of the team. */
export function lackingIn(agents: Agents, [leader, ...others]: readonly string[]): Pick<Cast, 'refused' | 'changes'> {
  if (leader === undefined || !agents.has(leader)) return { refused: [], changes: null };
  const led = others.filter((agentId) => {
    const agent = agents.get(agentId);
    return agent && (agent.parentAgentId === null || !others.includes(agent.parentAgentId));
  });
  return lacking(agents, [leader, ...led]);
}

/** What would give an orchestrator the right to delegate to the others. */
function lacking(agents: Agents, [leader, ...others]: readonly string[]): Pick<Cast, 'refused' | 'changes'> {
  const scope = agents.get(leader!)!;
  const refused = others.flatMap((agentId) => {
    const { allowed, reason, reasonText } = decideAbout(scope, agents.get(agentId)!);
    return allowed ? [] : [{ agentId, reason, reasonText }];
  });
  const listed = withAllowed(
    scope,
    refused.map(({ agentId }) => agentId),
    agents,
  );
  const tags = others.length > 0 && !followsTags(agents, scope) && scope.delegation.tags === null;
  const changes = { ...(listed && { agentAllowlist: listed }), ...(tags && { delegation: { tags: true as const } }) };
  return { refused, changes: Object.keys(changes).length > 0 ? changes : null };
}

/** The agent that gave work away most often. */
function leading(delegated: readonly Delegated[]): string | undefined {
  const counts = Map.groupBy(delegated, ({ from_agent }) => from_agent);
  return [...counts].sort(([, one], [, other]) => other.length - one.length)[0]?.[0];
}

/** No list means everyone who is not hidden. Null: a list would change nothing, because others block them. */
function withAllowed(scope: ResolvedAgent, missing: readonly string[], agents: Agents): string[] | null {
  if (missing.length === 0) return null;
  const agentAllowlist = [...(scope.agentAllowlist ?? ['*']), ...missing];
  const helps = missing.some((agentId) => decideAbout({ ...scope, agentAllowlist }, agents.get(agentId)!).allowed);
  return helps ? agentAllowlist : null;
}

function decideAbout(scope: Scope, { agentId, uiVisible }: ResolvedAgent) {
  return decide(scope, { kind: 'agent', agentId, uiVisible });
}
