import type { Agent, AgentDetail, ConfigurationState, DiscoveredAgents, RemoteCard } from '../../../contract/agents.ts';
import { AppError } from '../../../contract/errors.ts';
import { say } from '../../../contract/texts.ts';
import type { AgentDirectory } from '../../agents/directory.ts';
import { discoverPrograms } from '../../agents/programs/discover-programs.ts';
import type { ResolvedAgent } from '../../agents/resolved-agent.ts';
import type { Configuration } from '../../config/configuration.ts';
import { discoverAgents } from '../../config/discover.ts';
import { agentDetailView, agentView, agentWarnings, listAgents } from '../../config/views.ts';
import { LOCAL_OWNER } from '../credentials.ts';
import type { Ctx, Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

type AgentDeps = Pick<
  RouteDeps,
  'agents' | 'audit' | 'cards' | 'configuration' | 'env' | 'retired' | 'tooling' | 'transcription' | 'version'
>;

export function agentRoutes(router: Router, deps: AgentDeps): void {
  const { configuration, agents } = deps;
  router.on('listAgents', ({ query }) => ({
    agents: query.hidden === 'true' ? everyAgent(deps) : listAgents(configuration.current),
    configuration: stateOf(deps),
  }));
  router.on('getAgent', async ({ c, params }) =>
    withETag(c, await detailOf(configuration, agents.require(params.agentId))),
  );
  router.on('listTemplates', () => ({ templates: [...configuration.current.templates] }));
  router.on('getConfiguration', () => ({
    ...stateOf(deps),
    version: deps.version,
    features: { transcription: deps.transcription.isConfigured },
  }));
  router.on('listDiscovered', () => discover(deps));
  router.on('testConnection', async ({ body }) => {
    const { agent, mayStart } = await configuration.previewAgent(body.agentId, body.changes);
    return agents.test(agent, mayStart);
  });
  changes(router, deps);
  cards(router, deps);
  noteChanges(deps);
}

/** Those that are being tried, too: sessions show what they say. */
function everyAgent({ configuration: { current }, agents: { trials } }: AgentDeps): Agent[] {
  const tried = trials.list().map((agent) => ({ ...agentView(agent, current), uiVisible: false }));
  return [...listAgents(current, { includeHidden: true }), ...tried];
}

async function discover({ configuration: { current }, env }: AgentDeps): Promise<DiscoveredAgents> {
  const [agents, programs] = await Promise.all([
    discoverAgents(env, fetch, [...current.agents.keys()]),
    discoverPrograms(env, current.agents.values()),
  ]);
  return {
    agents: [...agents, ...programs.map(({ agent }) => agent)],
    programs: programs.map(({ program }) => program),
  };
}

/** Plugins are code that the configuration names: what keeps one from working is told with the errors of the files. */
function stateOf({ configuration: { state }, tooling }: AgentDeps): ConfigurationState {
  return { ...state, issues: [...state.issues, ...tooling.issues()] };
}

/** Records every change of the configuration, also of files edited outside the server. */
function noteChanges({ configuration, audit }: AgentDeps): void {
  configuration.onChange((_, { valid }) => {
    const entry = { owner: LOCAL_OWNER, action: 'configuration.changed', object: null, request_id: null };
    // The change counts whether or not it could be written down.
    audit({ ...entry, detail: valid ? 'in force' : 'refused' }).catch(() => {});
  });
}

function changes(router: Router, { configuration, audit, retired }: AgentDeps): void {
  const note = (c: Ctx, action: string, object: string) =>
    audit({ owner: c.get('owner'), action, object, detail: null, request_id: c.get('requestId') });
  router.on('createAgent', async ({ c, body, query }) => {
    const agent = await configuration.createAgent(body, query.confirm);
    await retired.settled();
    await note(c, 'agent.created', body.agentId);
    return withETag(c, await detailOf(configuration, agent));
  });
  router.on('updateAgent', async ({ c, params, body, query }) => {
    const agent = await configuration.updateAgent(params.agentId, body, wantedVersion(c), query.confirm);
    await retired.settled();
    await note(c, 'agent.updated', params.agentId);
    return withETag(c, await detailOf(configuration, agent));
  });
  router.on('deleteAgent', async ({ c, params }) => {
    await configuration.deleteAgent(params.agentId, wantedVersion(c));
    await retired.settled();
    await note(c, 'agent.deleted', params.agentId);
    return undefined;
  });
  router.on('listKeptMemories', async ({ owner }) => ({ memories: await retired.keptMemories(owner) }));
  router.on('restoreMemory', async ({ c, owner, body: { holder, agentId } }) => {
    const restored = await retired.restoreMemory(owner, holder, agentId);
    await note(c, 'agent.memory-restored', agentId);
    return { restored };
  });
}

/** A card is approved by writing its hash into the definition: whatever else the definition says stays as it is. */
function cards(router: Router, { configuration, agents, audit, cards: approved, retired }: AgentDeps): void {
  router.on('getAgentCard', async ({ params }) => {
    const agent = agents.require(params.agentId);
    const { card, hash } = await cardOf(agents, agent);
    const { cardHash } = agent.resolved.a2a ?? {};
    return { card, hash, approved: cardHash === hash, approvedCard: cardHash ? await approved.find(cardHash) : null };
  });
  router.on('approveAgentCard', async ({ c, owner, params: { agentId }, body }) => {
    const known = agents.require(agentId);
    const { card, hash } = await cardOf(agents, known);
    if (hash !== body.hash) throw new AppError('agent_card_changed', say('agent_card_changed.review'));
    const a2a = { ...known.definition.a2a, cardHash: hash };
    await approved.keep(hash, card);
    const agent = await configuration.updateAgent(agentId, { a2a }, known.version);
    await retired.settled();
    await audit({
      owner,
      action: 'agent.card-approved',
      object: agentId,
      detail: hash,
      request_id: c.get('requestId'),
    });
    return detailOf(configuration, agent);
  });
}

async function cardOf(
  agents: AgentDirectory,
  agent: ResolvedAgent,
): Promise<{ card: RemoteCard['card']; hash: string }> {
  const { readCard } = agents.open(agent);
  if (!readCard) throw new AppError('agent_card_none', say('agent_card_none', { id: agent.agentId }));
  try {
    const { card, hash } = await readCard.call(agents.open(agent));
    return { card: card as RemoteCard['card'], hash };
  } catch (error) {
    throw new AppError('agent_card_unusable', say('agent_card_unusable', { reason: (error as Error).message }));
  }
}

async function detailOf({ current }: Configuration, agent: ResolvedAgent): Promise<AgentDetail> {
  return agentDetailView(agent, current, await agentWarnings(agent, current));
}

/** The version that If-Match is held against. */
function withETag<T extends { version: string }>(c: Ctx, agent: T): T {
  c.header('ETag', `"${agent.version}"`);
  return agent;
}

/** `If-Match: "version"`, quoted or not; `*` is any version. */
function wantedVersion(c: Ctx): string | undefined {
  const version = c.req.header('if-match')?.replace(/^W\//, '').replaceAll('"', '');
  return version === '*' ? undefined : version;
}
