import type { AgentDefinition } from './agents.ts';

/** The agent that makes others by talking about them: an ordinary one, made from this template. */
export const BUILDER = { agentId: 'parley/builder', template: 'agent-builder' } as const;

/** Its tools. What it was last called with is the draft as it stands. */
export const BUILDER_TOOLS = {
  options: 'builder_options',
  draft: 'builder_draft',
  create: 'builder_create',
  team: 'builder_team',
  member: 'builder_team_member',
  remove: 'builder_team_remove',
  check: 'builder_team_check',
  createTeam: 'builder_team_create',
} as const;

/** What the server says of a draft, as if it were made now. */
export interface Judgement {
  /** Why it could not be made. */
  readonly issues: readonly string[];
  /** What is worth knowing of it all the same. */
  readonly notes: readonly string[];
  /** Names of tools, those a person must agree to apart. */
  readonly mayUse: readonly string[];
  readonly mayAskToUse: readonly string[];
}

/** A team as the builder has it so far, as far as it can be read. */
export interface TeamDraft {
  readonly name: string;
  readonly description: string;
  /** The orchestrator first. */
  readonly agents: readonly AgentDefinition[];
}

/** The calls that change the draft of a team: the whole, one agent, one less. */
export const TEAM_CALLS: ReadonlySet<string> = new Set([
  BUILDER_TOOLS.team,
  BUILDER_TOOLS.member,
  BUILDER_TOOLS.remove,
]);

/** The draft after one more call. A call that cannot be read changes nothing: the builder is told so, and tries again. */
export function afterTeamCall(draft: TeamDraft | null, name: string, input: unknown): TeamDraft | null {
  const { name: title, description, agents, definition, agentId } = (input ?? {}) as Record<string, unknown>;
  if (name === BUILDER_TOOLS.team) {
    if (typeof title !== 'string' || !Array.isArray(agents) || !agents.every(isDefinition)) return draft;
    return { name: title, description: typeof description === 'string' ? description : '', agents };
  }
  if (name === BUILDER_TOOLS.member && draft && isDefinition(definition)) return withMember(draft, definition);
  if (name !== BUILDER_TOOLS.remove || !draft) return draft;
  return { ...draft, agents: draft.agents.filter((agent) => agent.agentId !== agentId) };
}

function withMember(draft: TeamDraft, definition: AgentDefinition): TeamDraft {
  const at = draft.agents.findIndex(({ agentId }) => agentId === definition.agentId);
  const agents = at < 0 ? [...draft.agents, definition] : draft.agents.with(at, definition);
  return { ...draft, agents };
}

function isDefinition(value: unknown): value is AgentDefinition {
  return typeof (value as Partial<AgentDefinition> | null)?.agentId === 'string';
}
