import { z } from 'zod';
import type { AgentDefinition, AgentTemplate, ChatSettings } from '../../../../contract/agents.ts';
import { BUILDER_TOOLS, type Judgement } from '../../../../contract/builder.ts';
import type { ToolSettings } from '../../../../contract/config.ts';
import type { ToolRisk } from '../../../../contract/tools.ts';
import { defineTool } from '../../define-tool.ts';
import { commandOf, type Plugin } from '../../plugin.ts';
import { type ToolContext, ToolFailure } from '../../tool.ts';
import { draftSchema } from './draft-schema.ts';

/** What the builder knows of the house, and the one thing that it can change in it. */
export interface BuilderWorld {
  readonly settings: () => ToolSettings;
  /** The models that agents here answer with. */
  models(): readonly KnownModel[];
  templates(): readonly AgentTemplate[];
  agents(): readonly { agentId: string; displayName: string; description: string }[];
  tools(): readonly { name: string; description: string; risk: ToolRisk }[];
  /** As if it were made now. */
  judge(definition: AgentDefinition): Promise<Judgement>;
  /** Rejects with what is wrong with it, in words. */
  create(definition: AgentDefinition, context: ToolContext): Promise<void>;
}

export interface KnownModel {
  readonly chat: ChatSettings;
  /** The agents that answer with it. */
  readonly usedBy: readonly string[];
}

const ID = 'builder';
const source = { kind: 'built-in', id: ID } as const;

/** Only for those who are configured for it: whoever makes agents decides what they may do. Not a skill. */
export function builderPlugin(world: BuilderWorld): Plugin {
  return {
    id: ID,
    description: 'Drafts agents together with the person, and makes them once the person agrees.',
    skillPath: null,
    command: commandOf(ID),
    tools: [options(world), draft(world), create(world)],
  };
}

function options(world: BuilderWorld) {
  return defineTool(
    {
      name: BUILDER_TOOLS.options,
      description: 'What an agent can be given here: models, tools and templates; and the agents there are already.',
      input: z.strictObject({}),
      capabilities: ['agents.read'],
      risk: 'read',
      source,
      agents: () => world.settings().builder.agents,
    },
    async () =>
      JSON.stringify({
        models: world.models(),
        tools: world.tools(),
        templates: world.templates().map(({ templateId, description }) => ({ extends: templateId, description })),
        agents: world.agents(),
      }),
  );
}

function draft(world: BuilderWorld) {
  return defineTool(
    {
      name: BUILDER_TOOLS.draft,
      description:
        'Show the person the agent as you would make it, whole, and hear whether it is sound. ' +
        'Nothing is made by this; call it again with every change.',
      input: z.strictObject({ definition: draftSchema() }),
      capabilities: ['agents.read'],
      risk: 'read',
      source,
      agents: () => world.settings().builder.agents,
    },
    async ({ definition }) => {
      const judgement = await judge(world, definition);
      return { text: JSON.stringify(judgement), isError: judgement.issues.length > 0 };
    },
  );
}

/** As risky as whatever the new agent will do. */
function create(world: BuilderWorld) {
  return defineTool(
    {
      name: BUILDER_TOOLS.create,
      description: 'Make the agent, once the person has said that the draft is right. They are asked once more.',
      input: z.strictObject({ definition: draftSchema() }),
      capabilities: ['agents.write'],
      risk: 'execute',
      source,
      agents: () => world.settings().builder.agents,
    },
    async ({ definition }, context) => {
      const { issues } = await judge(world, definition);
      if (issues.length > 0) throw new ToolFailure(issues.join('\n'), 'configuration_invalid');
      await world.create(definition, context);
      return `${definition.displayName} (${definition.agentId}) is there now.`;
    },
  );
}

async function judge(world: BuilderWorld, definition: AgentDefinition): Promise<Judgement> {
  const judgement = await world.judge(definition);
  const known = world.models().some(({ chat }) => isSameModel(chat, definition.chat ?? {}));
  if (known) return judgement;
  const issue = `chat must be one of the models that ${BUILDER_TOOLS.options} lists, as it stands there`;
  return { ...judgement, issues: [...judgement.issues, issue] };
}

/** A draft names no host and no key that this server does not use already. */
function isSameModel(a: ChatSettings, b: ChatSettings): boolean {
  return (['provider', 'model', 'baseUrl', 'apiKey'] as const).every(
    (field) => (a[field] ?? null) === (b[field] ?? null),
  );
}
