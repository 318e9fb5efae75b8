import { z } from 'zod';
import type { ChatSettings } from '../../../../contract/agent-settings.ts';
import type { AgentDefinition, AgentTemplate } from '../../../../contract/agents.ts';
import { BUILDER_TOOLS, type Judgement, type TeamDraft } from '../../../../contract/builder.ts';
import type { ToolSettings } from '../../../../contract/config.ts';
import type { TeamDefinition, TeamJudgement } from '../../../../contract/teams.ts';
import type { ToolRisk } from '../../../../contract/tools.ts';
import { defineTool } from '../../define-tool.ts';
import { commandOf, type Plugin } from '../../plugin.ts';
import { type ToolContext, ToolFailure } from '../../tool.ts';
import { draftSchema } from './draft-schema.ts';
import { teamTools } from './team-tools.ts';

/** What the builder can read of the configuration, and what it can add to it. */
export interface BuilderDeps {
  readonly settings: () => ToolSettings;
  /** The models that agents here answer with. */
  models(): readonly KnownModel[];
  templates(): readonly AgentTemplate[];
  agents(): readonly { agentId: string; displayName: string; description: string }[];
  tools(): readonly { name: string; description: string; risk: ToolRisk }[];
  /** As if it were made now, with everything that it inherits. */
  judge(definition: AgentDefinition): Promise<Judgement>;
  /** The agent as it would be, everything it inherits included and keys hidden; null when it could not be made. */
  resolve(definition: AgentDefinition): Promise<AgentDefinition | null>;
  /** Rejects with what is wrong with it, in words. */
  create(definition: AgentDefinition, context: ToolContext): Promise<void>;
  /** The draft of a team in a conversation, as it was before this call; null when there is none. */
  teamDraft(sessionId: string, callId: string): Promise<TeamDraft | null>;
  judgeTeam(definitions: readonly AgentDefinition[]): Promise<TeamJudgement>;
  resolveTeam(definitions: readonly AgentDefinition[]): Promise<AgentDefinition[]>;
  /** All agents and the team, or nothing. */
  createTeam(team: TeamDefinition, context: ToolContext): Promise<void>;
}

export interface KnownModel {
  readonly chat: ChatSettings;
  /** The agents that answer with it. */
  readonly usedBy: readonly string[];
}

const ID = 'builder';
const source = { kind: 'built-in', id: ID } as const;

/** Only for agents configured for it: an agent that creates agents decides what they may do. Not a skill. */
export function builderPlugin(deps: BuilderDeps): Plugin {
  return {
    id: ID,
    description: 'Draft agents and teams together with the user and create them once the user agrees.',
    skillPath: null,
    command: commandOf(ID),
    tools: [options(deps), draft(deps), create(deps), ...teamTools(deps)],
  };
}

function options(deps: BuilderDeps) {
  return defineTool(
    {
      name: BUILDER_TOOLS.options,
      description: 'List the models, tools and templates an agent can use, and the existing agents.',
      input: z.strictObject({}),
      capabilities: ['agents.read'],
      risk: 'read',
      source,
      agents: () => deps.settings().builder.agents,
    },
    async () =>
      JSON.stringify({
        models: deps.models(),
        tools: deps.tools(),
        templates: deps.templates().map(({ templateId, description }) => ({ extends: templateId, description })),
        agents: deps.agents(),
      }),
  );
}

function draft(deps: BuilderDeps) {
  return defineTool(
    {
      name: BUILDER_TOOLS.draft,
      description:
        'Show the user the complete draft of the agent and check it for problems. ' +
        'This does not create the agent; call it again after every change.',
      input: z.strictObject({ definition: draftSchema() }),
      capabilities: ['agents.read'],
      risk: 'read',
      source,
      agents: () => deps.settings().builder.agents,
    },
    async ({ definition }) => {
      const judgement = await deps.judge(definition);
      return { text: JSON.stringify(judgement), isError: judgement.issues.length > 0 };
    },
  );
}

/** As risky as whatever the new agent will do. */
function create(deps: BuilderDeps) {
  return defineTool(
    {
      name: BUILDER_TOOLS.create,
      description: 'Create the agent once the user has approved the draft. The user is asked to confirm.',
      input: z.strictObject({ definition: draftSchema() }),
      capabilities: ['agents.write'],
      risk: 'execute',
      source,
      agents: () => deps.settings().builder.agents,
      alwaysAsks: true,
      preview: async ({ definition }) => {
        await assertSound(deps, definition);
        return JSON.stringify(await deps.resolve(definition));
      },
    },
    async ({ definition }, context) => {
      await assertSound(deps, definition);
      await deps.create(definition, context);
      return `Created ${definition.displayName} (${definition.agentId}).`;
    },
  );
}

async function assertSound(deps: BuilderDeps, definition: AgentDefinition): Promise<void> {
  const { issues } = await deps.judge(definition);
  if (issues.length > 0) throw new ToolFailure(issues.join('\n'), 'configuration_invalid');
}
