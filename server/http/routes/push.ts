import type { Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

export function pushRoutes(router: Router, { push }: Pick<RouteDeps, 'push'>): void {
  router.on('getPushKey', () => push.key());
  router.on('listPushSubscriptions', async ({ owner }) => ({ subscriptions: await push.list(owner) }));
  router.on('subscribeToPush', ({ c, owner, body }) => push.subscribe(owner, body, c.get('signInId')));
  router.on('unsubscribeFromPush', async ({ owner, params }) => {
    await push.unsubscribe(owner, params.subscriptionId);
    return undefined;
  });
  router.on('testPush', ({ owner, params }) => push.test(owner, params.subscriptionId));
}
