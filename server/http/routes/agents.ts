import { discoverAgents } from '../../agents/definitions/discover.ts';
import { agentDetailView, listAgents } from '../../agents/definitions/views.ts';
import { LOCAL_OWNER } from '../credentials.ts';
import type { Ctx, Router } from '../mount.ts';
import type { World } from '../world.ts';

export function agentRoutes(router: Router, world: World): void {
  const { configuration, turns } = world;
  router.on('listAgents', ({ query }) => ({
    agents: listAgents(configuration.current, { includeHidden: query.hidden === 'true' }),
    configuration: configuration.state,
  }));
  router.on('getAgent', ({ params }) => agentDetailView(turns.agents.require(params.agentId), configuration.current));
  router.on('listTemplates', () => ({ templates: [...configuration.current.templates] }));
  router.on('getConfiguration', () => ({
    ...configuration.state,
    features: { transcription: world.transcription.isConfigured },
  }));
  router.on('listDiscovered', async () => ({
    agents: await discoverAgents(world.env, fetch, [...configuration.current.agents.keys()]),
  }));
  changes(router, world);
  noteChanges(world);
}

/** Whoever made them: files may be edited by anybody who can write to the data folder. */
function noteChanges({ configuration, audit }: World): void {
  configuration.onChange((_, { valid }) => {
    const entry = { owner: LOCAL_OWNER, action: 'configuration.changed', object: null, request_id: null };
    // The change counts whether or not it could be written down.
    audit({ ...entry, detail: valid ? 'in force' : 'refused' }).catch(() => {});
  });
}

function changes(router: Router, { configuration, audit }: World): void {
  const note = (c: Ctx, action: string, object: string) =>
    audit({ owner: c.get('owner'), action, object, detail: null, request_id: c.get('requestId') });
  router.on('createAgent', async ({ c, body }) => {
    const agent = await configuration.createAgent(body);
    await note(c, 'agent.created', body.agentId);
    return agentDetailView(agent, configuration.current);
  });
  router.on('updateAgent', async ({ c, params, body }) => {
    const agent = await configuration.updateAgent(params.agentId, body, wantedVersion(c));
    await note(c, 'agent.updated', params.agentId);
    return agentDetailView(agent, configuration.current);
  });
  router.on('deleteAgent', async ({ c, params }) => {
    await configuration.deleteAgent(params.agentId, wantedVersion(c));
    await note(c, 'agent.deleted', params.agentId);
    return undefined;
  });
}

/** `If-Match: "version"`, quoted or not. */
function wantedVersion(c: Ctx): string | undefined {
  return c.req.header('if-match')?.replace(/^W\//, '').replaceAll('"', '');
}
