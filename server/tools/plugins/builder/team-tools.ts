import { z } from 'zod';
import type { AgentDefinition } from '../../../../contract/agents.ts';
import { afterTeamCall, BUILDER_TOOLS, type TeamDraft } from '../../../../contract/builder.ts';
import { TeamName } from '../../../../contract/names.ts';
import type { TeamJudgement } from '../../../../contract/teams.ts';
import { defineTool } from '../../define-tool.ts';
import { type Tool, type ToolContext, ToolFailure, type ToolOutput } from '../../tool.ts';
import type { BuilderDeps } from './builder.ts';
import { draftSchema } from './draft-schema.ts';

type TeamDeps = Pick<BuilderDeps, 'settings' | 'teamDraft' | 'judgeTeam' | 'resolveTeam' | 'createTeam'>;

const { team, member, remove, check, createTeam } = BUILDER_TOOLS;

/** Drafts of teams: proposed as a whole, changed agent by agent, judged as a whole after every change. */
export function teamTools(deps: TeamDeps): Tool[] {
  return [propose(deps), changeMember(deps), removeMember(deps), checkTeam(deps), create(deps)];
}

/** What the tools that only draft have in common. */
function drafting(deps: TeamDeps) {
  return {
    capabilities: ['agents.read'],
    risk: 'read',
    source: { kind: 'built-in', id: 'builder' },
    agents: () => deps.settings().builder.agents,
  } as const;
}

const MOST_AGENTS = 100;

function teamSchema() {
  return z.strictObject({
    name: TeamName.describe('What the user calls the team'),
    description: z.string().max(2000).describe('One sentence that says what the team is for'),
    agents: z
      .array(draftSchema())
      .min(1)
      .max(MOST_AGENTS)
      .describe('The orchestrator first; every other one names the agent above it in parentAgentId'),
  });
}

function propose(deps: TeamDeps) {
  return defineTool(
    {
      name: team,
      description:
        'Show the user the complete draft of a team and check it for problems: an orchestrator that delegates, and the ' +
        'agents below it. This does not create anything.',
      input: teamSchema(),
      ...drafting(deps),
    },
    (input, context) => judgeAfter(deps, team, input, context),
  );
}

function changeMember(deps: TeamDeps) {
  return defineTool(
    {
      name: member,
      description:
        'Change one agent of the draft of a team, or add one: give its complete definition. The others stay as they are.',
      input: z.strictObject({ definition: draftSchema() }),
      ...drafting(deps),
    },
    (input, context) => judgeAfter(deps, member, input, context),
  );
}

function removeMember(deps: TeamDeps) {
  return defineTool(
    {
      name: remove,
      description: 'Take one agent out of the draft of a team.',
      input: z.strictObject({ agentId: z.string().min(1).max(128) }),
      ...drafting(deps),
    },
    async (input, context) => {
      const before = await requireDraft(deps, context);
      if (!before.agents.some(({ agentId }) => agentId === input.agentId)) throw notInTeam(before, input.agentId);
      return judgeAfter(deps, remove, input, context);
    },
  );
}

function checkTeam(deps: TeamDeps) {
  return defineTool(
    {
      name: check,
      description: 'Check the draft of the team as it stands for problems.',
      input: z.strictObject({}),
      ...drafting(deps),
    },
    async (_, context) => judged(deps, await requireDraft(deps, context)),
  );
}

/** As risky as whatever the new agents will do. */
function create(deps: TeamDeps) {
  return defineTool(
    {
      name: createTeam,
      description:
        'Create the team with all its agents once the user has approved the draft, exactly as it was shown. The user is ' +
        'asked to confirm.',
      input: teamSchema(),
      ...drafting(deps),
      capabilities: ['agents.write'],
      risk: 'execute',
      alwaysAsks: true,
      preview: async ({ agents }) => {
        await assertSound(deps, agents);
        return JSON.stringify(await deps.resolveTeam(agents));
      },
    },
    async (input, context) => {
      await assertSound(deps, input.agents);
      await deps.createTeam(input, context);
      const ids = input.agents.map(({ agentId }) => agentId).join(', ');
      return `Created the team ${input.name}: ${ids}.`;
    },
  );
}

async function judgeAfter(deps: TeamDeps, name: string, input: object, context: ToolContext): Promise<ToolOutput> {
  const before = await draftBefore(deps, context);
  const after = afterTeamCall(before, name, input);
  if (!after) throw noDraft();
  return judged(deps, after);
}

async function judged(deps: TeamDeps, { name, agents }: TeamDraft): Promise<ToolOutput> {
  const judgement = await deps.judgeTeam(agents);
  const summary = { name, agents: agents.map(({ agentId, displayName }) => ({ agentId, displayName })) };
  return { text: JSON.stringify({ ...judgement, team: summary }), isError: isFaulty(judgement) };
}

function isFaulty({ issues, members }: TeamJudgement): boolean {
  return issues.length > 0 || members.some((one) => one.issues.length > 0);
}

async function assertSound(deps: TeamDeps, agents: readonly AgentDefinition[]): Promise<void> {
  const { issues, members } = await deps.judgeTeam(agents);
  const all = [...issues, ...members.flatMap((one) => one.issues.map((issue) => `${one.agentId}: ${issue}`))];
  if (all.length > 0) throw new ToolFailure(all.join('\n'), 'configuration_invalid');
}

async function draftBefore(deps: TeamDeps, { sessionId, callId }: ToolContext): Promise<TeamDraft | null> {
  return sessionId === null ? null : deps.teamDraft(sessionId, callId);
}

async function requireDraft(deps: TeamDeps, context: ToolContext): Promise<TeamDraft> {
  const draft = await draftBefore(deps, context);
  if (draft) return draft;
  throw noDraft();
}

function noDraft(): ToolFailure {
  return new ToolFailure(`There is no draft of a team yet. Propose one with ${team}.`, 'no_draft');
}

function notInTeam({ agents }: TeamDraft, agentId: string): ToolFailure {
  const ids = agents.map((agent) => agent.agentId).join(', ');
  return new ToolFailure(`${agentId} is not in the draft. Its agents are: ${ids}.`, 'no_draft');
}
