import type { AgentDefinition } from '../contract/agents.ts';
import { BUILDER_TOOLS, type Judgement } from '../contract/builder.ts';
import { knownModels, usesKnownModel } from './agents/chat/known-models.ts';
import type { ResolvedAgent } from './agents/resolved-agent.ts';
import type { Config, Configuration } from './config/configuration.ts';
import { insertAudit } from './storage/audit.ts';
import type { Db } from './storage/tables.ts';
import { matchGlob } from './tools/glob.ts';
import { approvalOf, mayUse, type PermissionContext } from './tools/permission-context.ts';
import type { BuilderDeps } from './tools/plugins/builder/builder.ts';
import type { Tool } from './tools/tool.ts';

export interface BuilderSetup {
  readonly configuration: Configuration;
  readonly db: Db;
  /** All there are, known once the plugins are open. */
  readonly tools: () => readonly Tool[];
  readonly approvalDefault: PermissionContext['approvalDefault'];
  readonly ownsTools: (agentId: string) => boolean;
}

/** What the builder of agents is told, and what it may do. */
export function builderDeps(setup: BuilderSetup): BuilderDeps {
  const { configuration, db, tools } = setup;
  return {
    settings: () => configuration.current.tools,
    models: () => knownModels(configuration.current.agents.values()),
    templates: () => configuration.current.templates,
    agents: () => [...configuration.current.agents.values()].map(faceOf),
    tools: () =>
      tools()
        .filter(isForOthers)
        .map(({ name, description, risk }) => ({ name, description, risk })),
    judge: async (definition) => {
      const { agent, issues } = await configuration.judgeAgent(definition);
      return agent ? judgementOf(setup, agent) : { issues, notes: [], mayUse: [], mayAskToUse: [] };
    },
    resolve: async (definition) => (await configuration.judgeAgent(definition)).agent?.resolved ?? null,
    create: async (definition, { owner, agentId }) => {
      await configuration.createAgent(definition);
      const entry = { owner, action: 'agent.created', object: definition.agentId, request_id: null };
      await insertAudit(db, { ...entry, detail: agentId && `by ${agentId}` });
    },
  };
}

/** The builder's own tools are not offered to the agents it drafts. */
function isForOthers({ source }: Tool): boolean {
  return source.kind !== 'built-in' || source.id !== 'builder';
}

function faceOf({ agentId, displayName, description }: ResolvedAgent) {
  return { agentId, displayName, description };
}

function judgementOf(setup: BuilderSetup, agent: ResolvedAgent): Judgement {
  const { agents, approvals: settings } = setup.configuration.current;
  const { approvalDefault, ownsTools } = setup;
  const context = { agents, tools: setup.tools(), plugins: [], settings, approvalDefault, ownsTools };
  const usable = context.tools.filter((tool) => mayUse(context, agent, tool));
  const asks = (tool: Tool) => approvalOf(context, agent, tool).policy === 'ask';
  return {
    issues: draftIssues(setup.configuration.current, agent),
    notes: notesOn(agent.definition, agent, context),
    mayUse: usable.filter((tool) => !asks(tool)).map(({ name }) => name),
    mayAskToUse: usable.filter(asks).map(({ name }) => name),
  };
}

/** What a draft may not bring about, whether it says so itself or inherits it. */
function draftIssues({ agents, templates }: Config, { definition, resolved, kind }: ResolvedAgent): string[] {
  const base = definition.extends;
  const freed = Object.entries(resolved.approvals ?? {}).filter(([, policy]) => policy === 'allow');
  const known = usesKnownModel(resolved, agents.values());
  return [
    ...(base && !templates.some(({ templateId }) => templateId === base)
      ? [`extends must name a template, and ${base} is not one`]
      : []),
    ...freed.map(([pattern]) => `approvals must not allow anything without asking, and the template allows ${pattern}`),
    ...(resolved.uiVisible === false ? ['uiVisible must not be false, not even through the template'] : []),
    ...(resolved.apiExposed ? ['apiExposed must not be true, not even through the template'] : []),
    ...(resolved.workspace ? ['workspace must not be set, not even through the template'] : []),
    ...(kind === 'chat'
      ? []
      : ['the agent must be one with a model: programs and remote agents are added by the user']),
    ...(known ? [] : [`chat must be one of the models listed by ${BUILDER_TOOLS.options}, copied exactly`]),
  ];
}

function notesOn(
  definition: AgentDefinition,
  { unavailableReason }: ResolvedAgent,
  context: PermissionContext,
): string[] {
  const tools = context.tools.map(({ name }) => name);
  const capabilities = context.tools.flatMap((tool) => tool.capabilities);
  return [
    ...(unavailableReason === null ? [] : [`It can't reply yet. ${unavailableReason}`]),
    ...idle(definition, 'toolAllowlist', tools),
    ...idle(definition, 'toolDenylist', tools),
    ...idle(definition, 'capabilityAllowlist', capabilities),
    ...idle(definition, 'capabilityDenylist', capabilities),
    ...idle(definition, 'agentAllowlist', [...context.agents.keys()]),
    ...idle(definition, 'agentDenylist', [...context.agents.keys()]),
  ];
}

type List = `${'tool' | 'capability' | 'agent'}${'Allowlist' | 'Denylist'}`;

/** Slips of the pen, most of the time. */
function idle(definition: AgentDefinition, list: List, names: readonly string[]): string[] {
  return (definition[list] ?? [])
    .filter((pattern) => !names.some((name) => matchGlob(pattern, name)))
    .map((pattern) => `${list} names ${pattern}, which matches nothing.`);
}
