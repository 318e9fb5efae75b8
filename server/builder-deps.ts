import { BUILDER_TOOLS, type Judgement } from '../contract/builder.ts';
import { AppError } from '../contract/errors.ts';
import { knownModels, usesKnownModel } from './agents/chat/known-models.ts';
import type { ResolvedAgent } from './agents/resolved-agent.ts';
import type { Config } from './config/configuration.ts';
import { insertAudit } from './storage/audit.ts';
import type { Db } from './storage/tables.ts';
import { type JudgeDeps, judgeRights } from './teams/judge-agent.ts';
import { judgeTeam } from './teams/judge-team.ts';
import type { Teams } from './teams/teams.ts';
import type { BuilderDeps } from './tools/plugins/builder/builder.ts';
import { readTeamDraft } from './tools/plugins/builder/team-draft-store.ts';
import { type Tool, type ToolContext, ToolFailure } from './tools/tool.ts';

export interface BuilderSetup {
  readonly judge: JudgeDeps;
  readonly teams: Teams;
  readonly db: Db;
}

/** What the builder of agents is told, and what it may do. */
export function builderDeps(setup: BuilderSetup): BuilderDeps {
  const { judge, db } = setup;
  const { configuration, tools } = judge;
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
      return agent ? judgementOf(judge, agent) : { issues, notes: [], mayUse: [], mayAskToUse: [] };
    },
    resolve: async (definition) => (await configuration.judgeAgent(definition)).agent?.resolved ?? null,
    create: async (definition, context) => {
      await configuration.createAgent(definition);
      await note(db, 'agent.created', definition.agentId, context);
    },
    teamDraft: (sessionId, callId) => readTeamDraft(db, sessionId, callId),
    judgeTeam: (definitions) => judgeTeam(judge, definitions, (agent) => draftIssues(configuration.current, agent)),
    resolveTeam: async (definitions) => (await configuration.draftAgents(definitions)).map(({ resolved }) => resolved),
    createTeam: async (team, context) => {
      await inWords(() => setup.teams.make(context.owner, team));
      for (const { agentId } of team.agents) await note(db, 'agent.created', agentId, context);
      await note(db, 'team.created', team.name, context);
    },
  };
}

async function note(db: Db, action: string, object: string, { owner, agentId }: ToolContext): Promise<void> {
  await insertAudit(db, { owner, action, object, request_id: null, detail: agentId && `by ${agentId}` });
}

/** A refusal is told to the agent, which can do something about it. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError ? new ToolFailure(error.message, error.code) : error;
  }
}

/** The builder's own tools are not offered to the agents it drafts. */
function isForOthers({ source }: Tool): boolean {
  return source.kind !== 'built-in' || source.id !== 'builder';
}

function faceOf({ agentId, displayName, description }: ResolvedAgent) {
  return { agentId, displayName, description };
}

function judgementOf(judge: JudgeDeps, agent: ResolvedAgent): Judgement {
  const { current } = judge.configuration;
  return { issues: draftIssues(current, agent), ...judgeRights(judge, agent, current.agents) };
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
