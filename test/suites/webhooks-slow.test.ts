import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import { signedHeaders, WebhookTarget } from '../harness/webhook-target.ts';
import { TestServer } from './test-server.ts';

const SILENT = 8;

let target: WebhookTarget;
let silent: WebhookTarget;
let server: TestServer;
beforeAll(async () => {
  [target, silent] = await Promise.all([WebhookTarget.start(), WebhookTarget.start()]);
  server = await TestServer.start({
    agents: ['ada'],
    config: { tools: { fetch: { allowHosts: [target.host, silent.host] } }, webhooks: { timeoutMs: 3000 } },
  });
});
afterEach(() => target.reset());
afterAll(async () => {
  await server.close();
  target.close();
  silent.close();
});

const make = (name: string, url: string, events = ['session.created']) =>
  server.call('createOutgoingWebhook', { body: { name, url, events } });
const arrived = (count: number) =>
  until(
    async () => target.received,
    (received) => received.length >= count,
  );

it('what is deleted while an earlier event is on its way to a slow receiver is not told', async () => {
  const { webhook } = await make('Slow', target.url, ['turn.settled']);
  const first = Promise.withResolvers<void>();
  target.patience = first.promise;
  const kept = await server.open();
  await server.say(kept, 'one');
  await arrived(1);
  await server.say(kept, 'two');
  const gone = await server.open();
  await server.say(gone, 'a secret plan');
  const second = Promise.withResolvers<void>();
  target.patience = second.promise;
  first.resolve();
  await arrived(2);
  await server.call('deleteSession', { params: { sessionId: gone } });
  second.resolve();
  const params = { outgoingId: webhook.id };
  await until(
    async () => (await server.call('listWebhookDeliveries', { params })).deliveries,
    (deliveries) => deliveries.every(({ state }) => state === 'delivered' || state === 'withdrawn'),
  );
  expect(target.received.map(({ raw }) => raw).join()).not.toContain(gone);
  await server.call('deleteOutgoingWebhook', { params });
});

it('receivers that never answer do not hold up another one', async () => {
  silent.patience = new Promise(() => {});
  for (let count = 0; count < SILENT; count++) await make(`Silent ${count}`, silent.url);
  for (let count = 0; count < 10; count++) await server.open();
  await until(
    async () => silent.received,
    (received) => received.length >= SILENT,
  );
  await make('Quick', target.url);
  const sessionId = await server.open();
  const [told] = await arrived(1);
  expect(told!.payload.data).toMatchObject({ session: { id: sessionId } });
});

it('a large body is a message in one line, and one that is almost only empty lines is read at once', async () => {
  const sessionId = await server.open();
  const { webhook, secret } = await server.call('createIncomingWebhook', { body: { name: 'In', sessionId } });
  const values = JSON.stringify({ values: new Array(200_000).fill(1) });
  const gaps = `${'\n'.repeat(900_000)}x`;
  for (const [id, body] of Object.entries({ values, gaps })) {
    const headers = signedHeaders(secret, body, id);
    expect((await fetch(server.parley.url + webhook.path, { method: 'POST', body, headers })).status).toBe(202);
  }
  const { messages } = await server.call('listMessages', { params: { sessionId } });
  expect(messages[0]!.text).toBe(`\`\`\`json\n${values}\n\`\`\``);
});
