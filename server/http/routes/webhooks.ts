import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../contract/errors.ts';
import { readBytes } from '../body.ts';
import type { Ctx, Router } from '../mount.ts';
import type { RouteDeps } from '../route-deps.ts';

type WebhookDeps = Pick<RouteDeps, 'attempts' | 'audit' | 'configuration' | 'webhooks'>;

export function webhookRoutes(router: Router, deps: WebhookDeps): void {
  outgoingRoutes(router, deps);
  incomingRoutes(router, deps);
  router.on('receiveWebhook', ({ c, params }) => receive(deps, c, params.incomingId));
}

function outgoingRoutes(router: Router, { webhooks: { outgoing: webhooks }, audit }: WebhookDeps): void {
  const note = notes(audit);
  router.on('listOutgoingWebhooks', async ({ owner }) => ({ webhooks: await webhooks.list(owner) }));
  router.on('createOutgoingWebhook', async ({ c, owner, body }) => {
    const created = await webhooks.create(owner, body);
    await note(c, 'webhook.created', created.webhook.id, hostOf(body.url));
    return created;
  });
  router.on('getOutgoingWebhook', ({ owner, params }) => webhooks.get(owner, params.outgoingId));
  router.on('patchOutgoingWebhook', async ({ c, owner, params, body }) => {
    const changed = await webhooks.patch(owner, params.outgoingId, body);
    await note(c, 'webhook.changed', changed.id, hostOf(changed.url));
    return changed;
  });
  router.on('deleteOutgoingWebhook', async ({ c, owner, params }) => {
    await webhooks.delete(owner, params.outgoingId);
    await note(c, 'webhook.deleted', params.outgoingId);
    return undefined;
  });
  router.on('pauseOutgoingWebhook', ({ owner, params }) => webhooks.pause(owner, params.outgoingId));
  router.on('resumeOutgoingWebhook', ({ owner, params }) => webhooks.resume(owner, params.outgoingId));
  router.on('renewOutgoingSecret', async ({ c, owner, params }) => {
    const renewed = await webhooks.renewSecret(owner, params.outgoingId);
    await note(c, 'webhook.secret-renewed', params.outgoingId);
    return renewed;
  });
  router.on('testOutgoingWebhook', ({ owner, params }) => webhooks.test(owner, params.outgoingId));
  router.on('listWebhookDeliveries', ({ owner, params, query }) =>
    webhooks.deliveries(owner, params.outgoingId, query),
  );
  router.on('redeliverWebhook', ({ owner, params }) => webhooks.redeliver(owner, params.outgoingId, params.deliveryId));
}

function incomingRoutes(router: Router, { webhooks: { incoming: webhooks }, audit }: WebhookDeps): void {
  const note = notes(audit);
  router.on('listIncomingWebhooks', async ({ owner }) => ({ webhooks: await webhooks.list(owner) }));
  router.on('createIncomingWebhook', async ({ c, owner, body }) => {
    const created = await webhooks.create(owner, body);
    await note(c, 'webhook.created', created.webhook.id);
    return created;
  });
  router.on('getIncomingWebhook', ({ owner, params }) => webhooks.get(owner, params.incomingId));
  router.on('patchIncomingWebhook', async ({ c, owner, params, body }) => {
    const changed = await webhooks.patch(owner, params.incomingId, body);
    await note(c, 'webhook.changed', changed.id);
    return changed;
  });
  router.on('deleteIncomingWebhook', async ({ c, owner, params }) => {
    await webhooks.delete(owner, params.incomingId);
    await note(c, 'webhook.deleted', params.incomingId);
    return undefined;
  });
  router.on('pauseIncomingWebhook', ({ owner, params }) => webhooks.pause(owner, params.incomingId));
  router.on('resumeIncomingWebhook', ({ owner, params }) => webhooks.resume(owner, params.incomingId));
  router.on('renewIncomingSecret', async ({ c, owner, params }) => {
    const renewed = await webhooks.renewSecret(owner, params.incomingId);
    await note(c, 'webhook.secret-renewed', params.incomingId);
    return renewed;
  });
  router.on('listWebhookCalls', ({ owner, params, query }) => webhooks.calls(owner, params.incomingId, query));
}

/** Only wrong signatures count as attempts. */
async function receive({ webhooks, attempts, configuration }: WebhookDeps, c: Ctx, webhookId: string) {
  const incoming = c.env.incoming as IncomingMessage;
  const body = await readBytes(incoming, configuration.current.limits.webhookBytes);
  try {
    return await webhooks.receiver.receive(webhookId, { headers: incoming.headers, body });
  } catch (error) {
    const isGuess = error instanceof AppError && error.code === 'webhook_refused';
    throw isGuess ? attempts.failed(incoming.socket.remoteAddress, error) : error;
  }
}

function notes(audit: RouteDeps['audit']) {
  return (c: Ctx, action: string, object: string, detail: string | null = null) =>
    audit({ owner: c.get('owner'), action, object, detail, request_id: c.get('requestId') });
}

/** Where it is sent to; the rest of an address may hold a key. */
function hostOf(url: string): string {
  return new URL(url).host;
}
