import type { AgentDefinition } from '../../contract/agents.ts';
import { AppError } from '../../contract/errors.ts';
import type { MemberJudgement, TeamJudgement } from '../../contract/teams.ts';
import { say } from '../../contract/texts.ts';
import type { ResolvedAgent } from '../agents/resolved-agent.ts';
import { sourceOf } from '../config/home-files.ts';
import { decide } from '../tools/scope.ts';
import { type JudgeDeps, judgeRights } from './judge-agent.ts';
import { type ShapeIssues, shapeIssues } from './team-shape.ts';

type Agents = ReadonlyMap<string, ResolvedAgent>;

/** What a kind of draft may not bring about besides. */
export type FurtherIssues = (agent: ResolvedAgent) => readonly string[];

const NOTHING_FURTHER: FurtherIssues = () => [];

/** Judges a team as a whole, as if it were created now, with everything that its agents inherit. */
export async function judgeTeam(
  deps: JudgeDeps,
  definitions: readonly AgentDefinition[],
  further: FurtherIssues = NOTHING_FURTHER,
): Promise<TeamJudgement> {
  const shape = shapeIssues(definitions, limitsOf(deps));
  const taken = definitions.map((definition) => takenIssues(deps, definition));
  const known = merge(shape, taken);
  if (hasIssues(known)) return { issues: [...known.whole], members: unresolved(definitions, known.members) };
  try {
    const resolved = await deps.configuration.draftAgents(definitions);
    return { issues: [], members: judgeMembers(deps, resolved, further) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { whole, members } = placeIssues(definitions, error);
    return { issues: [...whole], members: unresolved(definitions, members) };
  }
}

/** Every problem as one list, each with the agent that has it. */
export function issuesIn({ issues, members }: TeamJudgement): string[] {
  return [...issues, ...members.flatMap((member) => member.issues.map((issue) => `${member.agentId}: ${issue}`))];
}

/** Refuses with every issue there is. Some of them are whole sentences. */
export function refuseIssues(issues: readonly string[]): void {
  if (issues.length === 0) return;
  const told = issues.map((issue) => issue.replace(/\.$/, '')).join('; ');
  throw new AppError('team_invalid', say('team_invalid', { issues: told }), { issues: [...issues] });
}

function limitsOf({ configuration: { current } }: JudgeDeps) {
  const { depth, fanOut } = current.delegation;
  return { agents: current.limits.agentsPerTeam, depth, fanOut };
}

function takenIssues({ configuration }: JudgeDeps, { agentId }: AgentDefinition): string[] {
  const { agents } = configuration.current;
  const taken = [...agents.keys()].find((id) => id.toLowerCase() === agentId.toLowerCase());
  return taken === undefined ? [] : [`An agent with the ID ${taken} already exists.`];
}

function merge({ whole, members }: ShapeIssues, more: readonly string[][]): ShapeIssues {
  return { whole, members: members.map((issues, index) => [...issues, ...more[index]!]) };
}

function hasIssues({ whole, members }: ShapeIssues): boolean {
  return whole.length > 0 || members.some((issues) => issues.length > 0);
}

function unresolved(
  definitions: readonly AgentDefinition[],
  issues: readonly (readonly string[])[],
): MemberJudgement[] {
  return definitions.map(({ agentId }, index) => ({
    agentId,
    issues: [...issues[index]!],
    notes: [],
    mayUse: [],
    mayAskToUse: [],
    mayAsk: [],
  }));
}

/** A problem belongs to the agent whose file or name it is about, else to the team. */
function placeIssues(definitions: readonly AgentDefinition[], error: AppError): ShapeIssues {
  const members: string[][] = definitions.map(() => []);
  const whole: string[] = [];
  const named = error.text?.values?.name;
  for (const issue of error.issues ?? [error.message]) {
    const at = definitions.findIndex(
      ({ agentId, displayName }) => issue.startsWith(`${sourceOf(agentId)}:`) || (displayName ?? agentId) === named,
    );
    if (at < 0) whole.push(issue);
    else members[at]!.push(issue.replace(`${sourceOf(definitions[at]!.agentId)}: `, ''));
  }
  return { whole, members };
}

function judgeMembers(deps: JudgeDeps, resolved: readonly ResolvedAgent[], further: FurtherIssues): MemberJudgement[] {
  const team = new Map(resolved.map((agent) => [agent.agentId, agent]));
  const agents = new Map([...deps.configuration.current.agents, ...team]);
  return resolved.map((agent) => ({
    agentId: agent.agentId,
    issues: [...further(agent), ...unreachable(agent, team)],
    ...judgeRights(deps, agent, agents),
    mayAsk: [...team.values()].filter((other) => mayAsk(agent, other)).map(({ agentId }) => agentId),
  }));
}

/** An agent that may not ask those below it leads nothing. */
function unreachable(agent: ResolvedAgent, team: Agents): string[] {
  const children = [...team.values()].filter(({ parentAgentId }) => parentAgentId === agent.agentId);
  return children
    .filter((child) => !mayAsk(agent, child))
    .map(({ agentId }) => `must be allowed to ask ${agentId}, which is below it (agentAllowlist, agentDenylist)`);
}

function mayAsk(agent: ResolvedAgent, { agentId, uiVisible }: ResolvedAgent): boolean {
  return decide(agent, { kind: 'agent', agentId, uiVisible }).allowed;
}
