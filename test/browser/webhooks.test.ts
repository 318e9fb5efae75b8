import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { CreatedIncomingWebhook, IncomingWebhookList, OutgoingWebhookList } from '../../contract/webhooks.ts';
import { until } from '../harness/parley.ts';
import { text } from '../harness/scripted-script.ts';
import { signedHeaders, WebhookTarget } from '../harness/webhook-target.ts';
import { violations } from './axe.ts';
import { said, WebApp } from './web-app.ts';

let app: WebApp;
let target: WebhookTarget;
beforeAll(async () => {
  target = await WebhookTarget.start();
  const config = { tools: { fetch: { allowHosts: [target.host] } } };
  const agents = ['ada', 'bob', 'cyd'].map((agentId) => ({
    agentId,
    displayName: `${agentId[0]!.toUpperCase()}${agentId.slice(1)}`,
  }));
  app = await WebApp.start({ agents, config });
  app.provider.script(({ said: words }) => ({ steps: text(`Re: ${words}`) }));
}, 60_000);
afterEach(async () => {
  target.reset();
  for (const { id } of await outgoing()) await app.parley.ok('DELETE', `/api/outgoing-webhooks/${id}`);
  for (const { id } of await incoming()) await app.parley.ok('DELETE', `/api/incoming-webhooks/${id}`);
});
afterAll(async () => {
  await app.close();
  target.close();
});

const outgoing = async () => (await app.parley.ok<OutgoingWebhookList>('GET', '/api/outgoing-webhooks')).webhooks;
const incoming = async () => (await app.parley.ok<IncomingWebhookList>('GET', '/api/incoming-webhooks')).webhooks;
const field = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name, { exact: true });
const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

test('an outgoing webhook is made by keyboard, shows its secret once, is tested, and shows what it sent', async () => {
  const page = await app.open('/webhooks');
  await page.getByText('No outgoing webhooks yet.').waitFor();
  await page.getByRole('button', { name: 'New outgoing webhook' }).press('Enter');
  await field(page, 'Name').fill('CI');
  await field(page, 'URL to call').fill(target.url);
  await field(page, 'A session started').press('Space');
  expect(await violations(page)).toEqual([]);
  await field(page, 'Name').press('Enter');
  const secret = await field(page, 'Secret').inputValue();
  expect(secret).toMatch(/^whsec_/);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'I have copied it' }).press('Enter');
  await page.getByRole('button', { name: 'Send a test to CI' }).click();
  await page.getByText('The test was accepted (HTTP 204)').waitFor();
  await page.getByRole('button', { name: 'Deliveries of CI' }).click();
  await page.getByText(/^Delivered · HTTP 204/).waitFor();
  expect(await outgoing()).toMatchObject([{ name: 'CI', events: ['session.created', 'turn.settled'] }]);
  expect(await violations(page)).toEqual([]);
  expect(await page.content()).not.toContain(secret);
});

test('an incoming webhook gives an address; what it sends appears under its name', async () => {
  const page = await app.open('/webhooks');
  await page.getByRole('button', { name: 'New incoming webhook' }).click();
  await field(page, 'Name').fill('Alerts');
  await field(page, 'Agent').selectOption('ada');
  await field(page, 'Message').fill('Alert: {{what}}');
  await page.getByRole('button', { name: 'Save' }).click();
  const [secret, address] = [await field(page, 'Secret').inputValue(), await field(page, 'Address').inputValue()];
  await page.getByRole('button', { name: 'I have copied it' }).click();
  const body = '{"what":"disk full"}';
  const answer = await fetch(address, { method: 'POST', body, headers: signedHeaders(secret, body, 'one') });
  expect(answer.status).toBe(202);
  const wrong = await fetch(address, { method: 'POST', body, headers: signedHeaders(secret, `${body} `, 'two') });
  expect(wrong.status).toBe(401);
  await row(page, 'Alerts')
    .getByText(/The signature does not match/)
    .waitFor({ timeout: 15_000 });
  await page.getByRole('button', { name: 'Requests of Alerts' }).click();
  await row(page, 'Alerts').getByRole('link', { name: 'Open session' }).click();
  await page
    .getByRole('article', { name: /^Webhook “Alerts”/ })
    .getByText('Alert: disk full')
    .waitFor();
  await said(page, 'Re: Alert: disk full').waitFor();
  expect(await page.getByRole('article', { name: /^You,/ }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
});

test('what happens without the page is shown in it', async () => {
  const page = await app.open('/webhooks');
  await page.getByText('No incoming webhooks yet.').waitFor();
  const created = { name: 'Remote', agentId: 'ada' };
  const { secret, webhook } = await app.parley.ok<CreatedIncomingWebhook>('POST', '/api/incoming-webhooks', created);
  await page.getByRole('button', { name: 'Requests of Remote' }).click();
  await page.getByText('No requests accepted yet.').waitFor();
  const body = '{"what":"ready"}';
  const address = app.parley.url + webhook.path;
  await fetch(address, { method: 'POST', body, headers: signedHeaders(secret, body, 'first') });
  await row(page, 'Remote').getByRole('link', { name: 'Open session' }).waitFor();
  await app.parley.ok('POST', '/api/outgoing-webhooks', { name: 'Out', url: target.url, events: ['turn.settled'] });
  await page.getByRole('button', { name: 'Deliveries of Out' }).click();
  await page.getByText('Nothing sent yet.').waitFor();
  const session = await app.parley.createSession({ agentId: 'ada' });
  await app.parley.say(session.id, { content: 'Hello' });
  await page.getByText(/^Delivered · HTTP 204/).waitFor();
});

test('every setting that the API has is offered, and shown again when the webhook is edited', async () => {
  const page = await app.open('/webhooks');
  await page.getByRole('button', { name: 'New incoming webhook' }).click();
  await field(page, 'Name').fill('Nightly');
  await field(page, 'Agent').selectOption('ada');
  await field(page, 'Folder').fill('Alerts');
  await field(page, 'Read-only tools').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect(await incoming()).toMatchObject([{ folder: 'Alerts', mode: 'read-only', agentId: 'ada' }]);
  await page.getByRole('button', { name: 'Edit Nightly' }).click();
  expect(await field(page, 'Folder').inputValue()).toBe('Alerts');
  await field(page, 'Read-only tools').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await until(incoming, ([webhook]) => webhook?.mode === 'full' && webhook.folder === 'Alerts');

  await app.parley.ok('POST', '/api/outgoing-webhooks', { name: 'Out', url: target.url, events: ['turn.settled'] });
  await page.getByRole('button', { name: 'Edit Out' }).click();
  await field(page, 'Ada').check();
  await field(page, 'Cyd').check();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await until(outgoing, ([webhook]) => webhook?.agents.join() === 'ada,cyd');
  await row(page, 'Out').getByText('Ada · Cyd', { exact: false }).waitFor();
});

test('it is paused, renewed and deleted after a question', async () => {
  const body = { name: 'Hook', agentId: 'ada' };
  await app.parley.ok('POST', '/api/incoming-webhooks', body);
  const page = await app.open('/webhooks');
  await page.getByRole('button', { name: 'Pause Hook' }).click();
  await row(page, 'Hook').getByText('Paused').waitFor();
  await page.getByRole('button', { name: 'New secret for Hook' }).click();
  await page.getByText('The old secret stays valid for one day.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Delete Hook' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete Hook' }).click();
  // Behind the dialog nothing is a list item, so the row seems gone before it is.
  await until(incoming, (webhooks) => webhooks.length === 0);
  await row(page, 'Hook').waitFor({ state: 'detached' });
});

test('everything is reached by touch on a narrow screen, in German as well', async () => {
  await app.parley.ok('POST', '/api/incoming-webhooks', { name: 'Alerts', agentId: 'ada' });
  const events = ['turn.settled', 'artifact.changed'];
  await app.parley.ok('POST', '/api/outgoing-webhooks', { name: 'CI', url: target.url, events });
  for (const locale of ['en-US', 'de-DE']) {
    const page = await app.open('/webhooks', {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
      locale,
    });
    await row(page, 'Alerts').waitFor();
    for (const button of await page.getByRole('main').getByRole('button').all()) {
      const box = (await button.boundingBox())!;
      expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44);
      expect(box.x + box.width).toBeLessThanOrEqual(360);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(await violations(page)).toEqual([]);
    await until(
      () => page.getByRole('heading', { name: locale === 'de-DE' ? 'Ausgehend' : 'Outgoing' }).count(),
      (count) => count === 1,
    );
  }
});
