import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PushSubscriptionList } from '../../contract/push.ts';
import { until } from '../harness/parley.ts';
import { PushService } from '../harness/push-service.ts';
import { WebApp } from './web-app.ts';

let service: PushService;
let app: WebApp;
beforeAll(async () => {
  service = await PushService.start();
  app = await WebApp.start({
    agents: [{ agentId: 'ada', displayName: 'Ada', toolAllowlist: ['todo_*'], approvals: { todo_add: 'ask' } }],
    config: { tools: { fetch: { allowHosts: [service.host] } } },
  });
}, 60_000);
afterAll(async () => {
  await app.close();
  service.close();
});

/** The browser of the tests has no push service of its own: what it would give a page is made up here. */
function pretend(endpoint: string, keys: object): string {
  return `(() => {
    let made = null;
    PushManager.prototype.getSubscription = async () => made;
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
      if (!userVisibleOnly || !applicationServerKey) throw new Error('refused');
      made = {
        toJSON: () => ({ endpoint: ${JSON.stringify(endpoint)}, keys: ${JSON.stringify(keys)} }),
        unsubscribe: async () => { made = null; return true; },
      };
      return made;
    };
  })()`;
}

/** Hands a message to the worker of the page as its browser does, and says which notifications were shown since. */
async function deliver(page: Page, message: object): Promise<string[]> {
  const [worker] = await until(
    async () => page.context().serviceWorkers(),
    (workers) => workers.length > 0,
  );
  return worker!.evaluate<string[]>(`(async () => {
    const shown = [];
    const done = [];
    self.registration.showNotification = async (title, { body }) => shown.push(title + ' | ' + body);
    const event = new PushEvent('push', { data: ${JSON.stringify(JSON.stringify(message))} });
    event.waitUntil = (promise) => done.push(promise);
    self.dispatchEvent(event);
    await Promise.all(done);
    return shown;
  })()`);
}

test('a device is added, tested and removed in the settings; what arrives is shown in its language', async () => {
  const { endpoint, keys } = service.subscription();
  const page = await app.open('/');
  await page.context().grantPermissions(['notifications']);
  await page.addInitScript(pretend(endpoint, keys));
  await page.goto(`${app.parley.url}/settings#notifications`);
  await page.getByRole('button', { name: 'Notify this device' }).click();
  const row = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Stop notifying/ }) });
  await row.getByText('Not notified yet').waitFor();
  await row.getByRole('button', { name: /^Send a test/ }).click();
  await row.getByText(/^Last notified/).waitFor();
  expect(service.received[0]!.message).toMatchObject({ kind: 'test', language: 'en' });
  expect(await deliver(page, service.received[0]!.message)).toEqual(['Notifications work | ']);
  // A page in sight shows what waits by itself.
  const waiting = {
    kind: 'approval',
    language: 'de-DE',
    agent: 'Ada',
    tool: 'bash',
    session: 'Bau',
    url: '/',
    tag: 'a',
  };
  expect(await deliver(page, waiting)).toEqual([]);
  await row.getByRole('button', { name: /^Stop notifying/ }).click();
  await row.waitFor({ state: 'detached' });
  const { subscriptions } = await app.parley.ok<PushSubscriptionList>('GET', '/api/push-subscriptions');
  expect(subscriptions).toEqual([]);
  const [worker] = page.context().serviceWorkers();
  await worker!.evaluate('self.clients.matchAll = async () => []');
  expect(await deliver(page, waiting)).toEqual(['Ada möchte bash verwenden | Bau']);
  expect(app.trouble).toEqual([]);
});
