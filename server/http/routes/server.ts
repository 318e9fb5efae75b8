import type { z } from 'zod';
import type { Router } from '../mount.ts';
import { selectAudit } from '../store.ts';
import type { World } from '../world.ts';

export function serverRoutes(router: Router, world: World): void {
  const { version, instance, credentials, metrics, audit } = world;
  router.on('health', () => ({ status: 'ok' as const, name: 'parley' as const, version, instance }));
  router.on('openapi', async () => {
    // Asked for rarely: its making is not part of every start.
    const { openApiDocument } = await import('../../../contract/openapi.ts');
    return openApiDocument(version) as z.infer<ReturnType<typeof z.json>>;
  });
  router.on('metrics', ({ c }) =>
    c.text(metrics.write(), 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }),
  );
  router.on('listAudit', ({ owner, query }) => selectAudit(world.log.db, owner, query.limit));
  router.on('createSignInLink', () => world.signInLink());
  router.on('signIn', async ({ c, body }) => {
    c.header('Set-Cookie', await credentials.signIn(body.code));
    await audit({ owner: 'owner', action: 'sign-in', object: null, detail: null, request_id: c.get('requestId') });
    return undefined;
  });
  router.on('signOut', async ({ c }) => {
    c.header('Set-Cookie', await credentials.signOut(c.req.header('cookie')));
    return undefined;
  });
}
