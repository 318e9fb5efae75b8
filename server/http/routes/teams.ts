import type { Ctx, Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

type TeamDeps = Pick<RouteDeps, 'audit' | 'retired' | 'teams' | 'trials'>;

export function teamRoutes(router: Router, { teams, trials, audit, retired }: TeamDeps): void {
  const note = (c: Ctx, action: string, object: string) =>
    audit({ owner: c.get('owner'), action, object, detail: null, request_id: c.get('requestId') });
  router.on('listTeams', async ({ owner }) => ({ teams: await teams.list(owner) }));
  router.on('createTeam', async ({ c, owner, body }) => {
    const team = await teams.create(owner, body);
    if (body.allow) await note(c, 'agent.updated', body.agents[0]!);
    return team;
  });
  router.on('getTeam', ({ owner, params }) => teams.get(owner, params.teamId));
  router.on('patchTeam', async ({ c, owner, params, body }) => {
    const team = await teams.patch(owner, params.teamId, body);
    if (body.allow) await note(c, 'agent.updated', team.agents[0]!);
    return team;
  });
  router.on('deleteTeam', async ({ c, owner, params }) => {
    await teams.delete(owner, params.teamId);
    await note(c, 'team.deleted', params.teamId);
    return undefined;
  });
  router.on('exportTeam', ({ owner, params }) => teams.export(owner, params.teamId));
  router.on('makeTeam', async ({ c, owner, body, query }) => {
    const team = await teams.make(owner, body, query.confirm);
    await retired.settled();
    for (const agentId of team.created) await note(c, 'agent.created', agentId);
    await note(c, 'team.created', team.name);
    return team;
  });
  router.on('unmakeTeam', async ({ c, owner, params }) => {
    const deleted = await teams.unmake(owner, params.teamId);
    await retired.settled();
    for (const agentId of deleted) await note(c, 'agent.deleted', agentId);
    await note(c, 'team.deleted', params.teamId);
    return undefined;
  });
  router.on('judgeTeam', ({ body }) => teams.judge(body.agents));
  router.on('tryTeam', ({ owner, body, query }) => trials.begin(owner, body.agents, query.confirm));
  router.on('sessionCast', ({ owner, params, query }) => teams.cast(owner, params.sessionId, query.orchestrator));
}
