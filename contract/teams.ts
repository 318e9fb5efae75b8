import { z } from 'zod';
import { AgentDefinition } from './agents.ts';
import { AgentId, Id, TeamName, Timestamp } from './names.ts';
import { TextRef } from './texts.ts';

/** More than any team needs; `limits.agentsPerTeam` says how many there may be here. */
const MOST_AGENTS = 100;

const TeamDescription = z.string().max(2000);

const Definitions = z
  .array(AgentDefinition)
  .min(1)
  .max(MOST_AGENTS)
  .describe('The orchestrator first; the others are below it by parentAgentId');

/** A team with everything that is needed to create it. */
export const TeamDefinition = z.strictObject({
  name: TeamName,
  description: TeamDescription.default(''),
  agents: Definitions,
});
export type TeamDefinition = z.infer<typeof TeamDefinition>;

const Members = z.array(AgentId).min(1).max(MOST_AGENTS).describe('The orchestrator first');

/** A cast that sessions can begin with. Its agents are ordinary ones, so one of them may have been deleted since. */
export const Team = z.object({
  id: Id,
  name: TeamName,
  description: z.string(),
  agents: Members,
  created: z.array(AgentId).describe('Those that were created together with the team'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Team = z.infer<typeof Team>;

export const TeamList = z.object({ teams: z.array(Team).describe('By name') });
export type TeamList = z.infer<typeof TeamList>;

export const CreateTeam = z.strictObject({
  name: TeamName.describe('Unique among your teams'),
  description: TeamDescription.default(''),
  agents: Members.describe('Agents that exist, the orchestrator first'),
  allow: z
    .boolean()
    .default(false)
    .describe('Changes the definition of the orchestrator so that it can delegate to the others'),
});
export type CreateTeam = z.output<typeof CreateTeam>;

/** What is not named stays. */
export const PatchTeam = z
  .strictObject({
    name: TeamName,
    description: TeamDescription,
    agents: Members,
    allow: z.boolean().describe('Changes the definition of the orchestrator so that it can delegate to the others'),
  })
  .partial();
export type PatchTeam = z.infer<typeof PatchTeam>;

/** What `export` writes and `import` reads. */
export const TeamFile = z.strictObject({
  format: z.literal('parley.team'),
  version: z.literal(1),
  team: TeamDefinition,
});
export type TeamFile = z.infer<typeof TeamFile>;

/** What the server says of one agent of a team, as if the team were created now. */
export const MemberJudgement = z.object({
  agentId: z.string(),
  issues: z.array(z.string()).describe('Why it could not be created'),
  notes: z.array(z.string()),
  mayUse: z.array(z.string()).describe('Tools it can use without asking'),
  mayAskToUse: z.array(z.string()).describe('Tools that need approval each time'),
  mayAsk: z.array(z.string()).describe('Agents of the team that it can delegate to'),
});
export type MemberJudgement = z.infer<typeof MemberJudgement>;

export const TeamJudgement = z.object({
  issues: z.array(z.string()).describe('What is wrong with the team as a whole'),
  members: z.array(MemberJudgement).describe('In the order of the team'),
});
export type TeamJudgement = z.infer<typeof TeamJudgement>;

const lacking = {
  refused: z
    .array(
      z.object({
        agentId: AgentId,
        reason: z.string(),
        reasonText: TextRef.describe('For a translation of the reason'),
      }),
    )
    .describe('Those that the orchestrator cannot delegate to as it is defined'),
  changes: z
    .object({
      agentAllowlist: z.array(z.string()).optional(),
      delegation: z.object({ tags: z.literal(true) }).optional(),
    })
    .nullable()
    .describe('What "allow" changes in the definition of the orchestrator; null: nothing'),
};

/** A team, and what its orchestrator lacks to delegate to the others. */
export const TeamDetail = Team.extend(lacking);
export type TeamDetail = z.infer<typeof TeamDetail>;

/** Who could stay together after a session. */
export const Cast = z.object({
  agents: z.array(AgentId).describe('Agents of the session that still exist, the orchestrator first'),
  gone: z.array(z.string()).describe('Agents of the session that no longer exist'),
  ...lacking,
});
export type Cast = z.infer<typeof Cast>;

export const CastQuery = z.strictObject({
  orchestrator: AgentId.optional().describe('Default: the agent that delegated, else the primary'),
});

/** A session in which agents that do not exist yet can be tried. */
export const TryTeam = z.strictObject({
  agents: Definitions.describe('As for a new team; a single agent is a team of one'),
});
export type TryTeam = z.infer<typeof TryTeam>;

/** The team with which a session began: its name and agents, whatever becomes of the team later. */
export const SessionTeam = z.object({ name: z.string(), agents: z.array(z.string()).describe('Orchestrator first') });
export type SessionTeam = z.infer<typeof SessionTeam>;
