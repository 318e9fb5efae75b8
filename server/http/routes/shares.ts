import { publicOrigin } from '../../../contract/config.ts';
import type { Share } from '../../../contract/shares.ts';
import { lookOf } from '../../config/views.ts';
import type { ListedShare } from '../../shares/store.ts';
import { type Ctx, originOf, type Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

type ShareDeps = Pick<RouteDeps, 'agents' | 'audit' | 'configuration' | 'credentials' | 'shares'>;

export function shareRoutes(router: Router, deps: ShareDeps): void {
  const { shares, agents, credentials, configuration } = deps;
  router.on('createShare', async ({ c, owner, params, body }) => {
    const nameOf = namesFor((agentId) => agents.find(agentId)?.displayName);
    const look = (agentId: string) => lookOf(configuration.current, agentId);
    const shown = { toolDetails: body.toolDetails, nameOf, lookOf: look };
    const share = await shares.create(owner, params.sessionId, shown, originOf(c));
    await note(deps, c, 'share.created', share.id, share.session_id);
    return toShare(share, publicOrigin(configuration.current.server));
  });
  router.on('listShares', async ({ owner, query }) => {
    const origin = publicOrigin(configuration.current.server);
    const listed = await shares.list(owner, query);
    return { shares: listed.map((share) => toShare(share, origin)), publicUrl: origin ?? null };
  });
  router.on('revokeShare', async ({ c, owner, params }) => {
    await shares.revoke(owner, params.shareId);
    await note(deps, c, 'share.revoked', params.shareId);
    return undefined;
  });
  router.on('copyShare', async ({ c, owner, params }) => {
    const knows = (agentId: string) => agents.find(agentId) !== undefined;
    const session = await shares.copy(owner, params.token, knows);
    await note(deps, c, 'share.copied', session.id);
    return session;
  });
  router.on('readShare', async ({ c, params }) => {
    const shared = await shares.read(params.token);
    c.header('X-Robots-Tag', 'noindex');
    return { ...shared, canCopy: (await credentials.recognise(c.env.incoming.headers)) !== undefined };
  });
}

/** Names of agents in one share. An agent that no longer exists has a number instead of its id. */
function namesFor(displayName: (agentId: string) => string | undefined): (agentId: string) => string {
  const deleted = new Map<string, string>();
  return (agentId) => {
    const name = displayName(agentId) ?? deleted.get(agentId) ?? `Deleted agent ${deleted.size + 1}`;
    if (displayName(agentId) === undefined) deleted.set(agentId, name);
    return name;
  };
}

function note(
  { audit }: ShareDeps,
  c: Ctx,
  action: string,
  object: string,
  detail: string | null = null,
): Promise<void> {
  return audit({ owner: c.get('owner'), action, object, detail, request_id: c.get('requestId') });
}

function toShare(share: ListedShare, origin = share.origin): Share {
  const { id, session_id, token, title, tool_details, created_at } = share;
  return {
    id,
    sessionId: session_id,
    title,
    url: `${origin}/s/${token}`,
    toolDetails: tool_details === 1,
    createdAt: new Date(created_at).toISOString(),
  };
}
