import type { Share } from '../../../contract/shares.ts';
import type { ListedShare } from '../../shares/store.ts';
import type { Ctx, Router } from '../mount.ts';
import type { World } from '../world.ts';

export function shareRoutes(router: Router, world: World): void {
  const { shares, turns, credentials } = world;
  router.on('createShare', async ({ c, owner, params, body }) => {
    const nameOf = (agentId: string) => turns.agents.find(agentId)?.displayName ?? agentId;
    const shown = { toolDetails: body.toolDetails, nameOf };
    const share = await shares.create(owner, params.sessionId, shown, originOf(c));
    await note(world, c, 'share.created', share.id, share.session_id);
    return toShare(share);
  });
  router.on('listShares', async ({ owner, query }) => ({ shares: (await shares.list(owner, query)).map(toShare) }));
  router.on('revokeShare', async ({ c, owner, params }) => {
    await shares.revoke(owner, params.shareId);
    await note(world, c, 'share.revoked', params.shareId);
    return undefined;
  });
  router.on('copyShare', async ({ c, owner, params }) => {
    const knows = (agentId: string) => turns.agents.find(agentId) !== undefined;
    const session = await shares.copy(owner, params.token, knows);
    await note(world, c, 'share.copied', session.id);
    return session;
  });
  router.on('readShare', async ({ c, params }) => {
    const shared = await shares.read(params.token);
    c.header('Cache-Control', 'no-store');
    c.header('X-Robots-Tag', 'noindex');
    const { authorization, cookie } = c.env.incoming.headers;
    return { ...shared, canCopy: await credentials.recognises(authorization, cookie) };
  });
}

function note({ audit }: World, c: Ctx, action: string, object: string, detail: string | null = null): Promise<void> {
  return audit({ owner: c.get('owner'), action, object, detail, request_id: c.get('requestId') });
}

function toShare({ id, session_id, origin, token, title, tool_details, created_at }: ListedShare): Share {
  return {
    id,
    sessionId: session_id,
    title,
    url: `${origin}/s/${token}`,
    toolDetails: tool_details === 1,
    createdAt: new Date(created_at).toISOString(),
  };
}

/** As it was addressed, which has been checked; only a browser says by which scheme, and only when it changes something. */
function originOf(c: Ctx): string {
  const { origin, host } = c.env.incoming.headers;
  return origin ?? `http://${host}`;
}
