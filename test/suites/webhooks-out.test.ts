import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { NewOutgoingWebhook, OutgoingWebhook, WebhookDelivery } from '../../contract/webhooks.ts';
import { until } from '../harness/parley.ts';
import { type ReceivedCall, standardSignature, WebhookTarget } from '../harness/webhook-target.ts';
import { answer, waitingIn } from './answering.ts';
import { callAsTold } from './calling.ts';
import { TestServer } from './test-server.ts';

const LIMITS = { webhooksPerUser: 3, webhookPending: 8 };
const ALL = ['session.created', 'turn.settled', 'action.opened', 'action.settled', 'artifact.changed', 'schedule.ran'];

let target: WebhookTarget;
let server: TestServer;
beforeAll(async () => {
  target = await WebhookTarget.start();
  server = await TestServer.start({
    agents: ['ada', { agentId: 'bob', toolAllowlist: ['todo_*'], approvals: { todo_add: 'ask' } }],
    config: {
      limits: LIMITS,
      tools: { fetch: { allowHosts: [target.host] } },
      webhooks: { retryAfterSeconds: [0, 0], timeoutMs: 2000 },
    },
  });
  server.provider.script(callAsTold);
});
afterEach(async () => {
  for (const { id } of await list()) await server.call('deleteOutgoingWebhook', { params: { outgoingId: id } });
  target.reset();
});
afterAll(async () => {
  await server.close();
  target.close();
});

const list = async () => (await server.call('listOutgoingWebhooks')).webhooks;
const make = (wanted: Partial<NewOutgoingWebhook> = {}) =>
  server.call('createOutgoingWebhook', { body: { name: 'CI', url: target.url, events: ALL, ...wanted } });
const at = ({ id }: OutgoingWebhook) => ({ params: { outgoingId: id } });
const get = (webhook: OutgoingWebhook) => server.call('getOutgoingWebhook', at(webhook));
const deliveriesOf = async (webhook: OutgoingWebhook) =>
  (await server.call('listWebhookDeliveries', at(webhook))).deliveries;
const settled = (webhook: OutgoingWebhook, count = 1) =>
  until(
    () => deliveriesOf(webhook),
    (deliveries) => deliveries.length >= count && deliveries.every(({ state }) => state !== 'pending'),
  );
const arrived = (count: number) =>
  until(
    async () => target.received,
    (received) => received.length >= count,
  );
const types = (calls: readonly ReceivedCall[]) => calls.map(({ payload }) => payload.type);

it('what happens is told in order, signed with the secret that was shown once', async () => {
  const { webhook, secret } = await make();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const sessionId = await server.open();
  const { turn } = await server.say(sessionId, 'hello');
  const calls = await arrived(2);
  expect(types(calls)).toEqual(['session.created', 'turn.settled']);
  for (const { headers, raw, payload } of calls) {
    const [id, timestamp] = [headers['webhook-id'] as string, headers['webhook-timestamp'] as string];
    expect(id).toBe(payload.id);
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
    expect(headers['webhook-signature']).toBe(standardSignature(secret, id, timestamp, raw));
  }
  expect(calls.map(({ payload }) => payload.sequence)).toEqual([1, 2]);
  expect(calls[1]!.payload.data).toMatchObject({
    session: { id: sessionId, title: 'hello' },
    turn: { id: turn.id, agentId: 'ada', state: 'complete', error: null },
    answer: { text: 'No tools for “hello”.' },
  });
  const [newest] = await settled(webhook, 2);
  expect(newest).toMatchObject({ state: 'delivered', attempts: 1, status: 204, error: null, nextAt: null });
  expect(JSON.stringify([await list(), await server.call('listAudit', { query: { limit: 100 } })])).not.toContain(
    secret,
  );
});

it('actions, artifacts and schedules are told, too', async () => {
  await make();
  const sessionId = await server.open('bob');
  await server.send(sessionId, 'call todo_add {"title":"milk"}');
  const [action] = await waitingIn(server, sessionId);
  await answer(server, action!, { decision: 'once' });
  const note = await server.call('createNote', { body: { name: 'Plan', text: 'first' } });
  const body = { name: 'Soon', content: 'now', when: 'in 2 hours', agentId: 'ada' };
  const schedule = await server.call('createSchedule', { body });
  const run = await server.call('runSchedule', { params: { scheduleId: schedule.id } });
  await until(
    async () => types(target.received),
    (found) => ALL.every((type) => (found as string[]).includes(type)),
  );
  const dataOf = (type: string) =>
    target.received.filter(({ payload }) => payload.type === type).map(({ payload }) => payload.data);
  expect(dataOf('action.opened')[0]).toMatchObject({ action: { id: action!.id, tool: 'todo_add', state: 'open' } });
  expect(dataOf('action.settled')[0]).toMatchObject({ action: { id: action!.id, agentId: 'bob' } });
  expect(dataOf('artifact.changed')).toContainEqual({
    artifact: { id: note.id, kind: 'note', version: 1, name: 'Plan' },
    changes: ['created'],
    by: { kind: 'person', agentId: null, sessionId: null, turnId: null },
  });
  expect(dataOf('schedule.ran')[0]).toMatchObject({
    schedule: { id: schedule.id, name: 'Soon' },
    run: { id: run.id, state: 'sent', sessionId: run.sessionId },
  });
  await server.call('deleteSchedule', { params: { scheduleId: schedule.id } });
});

it('only what was chosen is told: events, agents and a session; without texts, no words of anybody', async () => {
  const sessionId = await server.open();
  await make({ name: 'By agent', events: ['turn.settled'], agents: ['bob'] });
  await make({ name: 'By session', events: ['turn.settled'], sessionId, texts: false });
  await server.say(await server.open('bob'), 'to bob');
  await server.say(await server.open('ada'), 'to ada elsewhere');
  await server.say(sessionId, 'to ada here');
  const calls = await arrived(2);
  const told = calls.map(({ payload }) => (payload.data as { turn: { agentId: string } }).turn.agentId);
  expect(told.toSorted()).toEqual(['ada', 'bob']);
  const plain = calls.find(({ raw }) => raw.includes(sessionId))!;
  expect(plain.raw).not.toMatch(/to ada|No tools/);
  expect(plain.payload.data).toMatchObject({ session: { id: sessionId }, answer: { messageId: expect.any(String) } });
});

it('what fails is sent again under the same id, and has failed after the last attempt', async () => {
  const { webhook } = await make({ events: ['session.created'] });
  target.replies = [500, { status: 503, body: 'busy' }, 204];
  await server.open();
  const [first] = await settled(webhook);
  expect(first).toMatchObject({ state: 'delivered', attempts: 3, status: 204 });
  expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect((await get(webhook)).failingSince).toBeNull();
  target.replies = [{ status: 500, body: 'broken' }];
  await server.open();
  const [second] = await settled(webhook, 2);
  expect(second).toMatchObject({ state: 'failed', attempts: 3, status: 500, response: 'broken', error: 'HTTP 500' });
  expect((await get(webhook)).failingSince).not.toBeNull();
});

it('a redirect is not followed, and an answer without end counts by its status', async () => {
  const { webhook } = await make({ events: ['session.created'] });
  target.replies = [{ status: 307, headers: { location: target.url } }];
  await server.open();
  expect((await settled(webhook))[0]).toMatchObject({ state: 'failed', status: 307 });
  target.reset();
  target.replies = [{ status: 200, body: 'x'.repeat(500_000) }];
  await server.open();
  const [newest] = await settled(webhook, 2);
  expect(newest).toMatchObject({ state: 'delivered', status: 200 });
  expect(newest!.response!.length).toBeLessThanOrEqual(1000);
});

it('410 disables it and says so; resumed, it goes on, and what failed can be sent once more', async () => {
  const { webhook } = await make({ events: ['session.created'] });
  target.replies = [410];
  await server.open();
  const [gone] = await settled(webhook);
  expect(gone).toMatchObject({ state: 'failed', attempts: 1, status: 410 });
  expect(await get(webhook)).toMatchObject({ state: 'disabled', disabledBecause: expect.stringContaining('410') });
  await server.open();
  expect(await deliveriesOf(webhook)).toHaveLength(1);
  target.reset();
  expect((await server.call('resumeOutgoingWebhook', at(webhook))).state).toBe('active');
  const params = { outgoingId: webhook.id, deliveryId: gone!.id };
  expect(await server.call('redeliverWebhook', { params })).toMatchObject({ id: gone!.id, state: 'delivered' });
  expect(target.received.map(({ payload }) => payload.id)).toEqual([gone!.id]);
});

it('a test is sent once, at once, also by a paused webhook', async () => {
  const { webhook } = await make({ events: ['session.created'] });
  expect((await server.call('pauseOutgoingWebhook', at(webhook))).state).toBe('paused');
  expect(await server.call('testOutgoingWebhook', at(webhook))).toMatchObject({
    event: 'webhook.test',
    state: 'delivered',
  });
  target.replies = [500];
  const failed: WebhookDelivery = await server.call('testOutgoingWebhook', at(webhook));
  expect(failed).toMatchObject({ state: 'failed', attempts: 1, error: 'HTTP 500' });
  await server.open();
  expect((await deliveriesOf(webhook)).map(({ event }) => event)).toEqual(['webhook.test', 'webhook.test']);
});

it('a new secret counts at once, the old one for a day as well', async () => {
  const { webhook, secret } = await make({ events: ['session.created'] });
  const { secret: renewed } = await server.call('renewOutgoingSecret', at(webhook));
  expect(renewed).not.toBe(secret);
  await server.open();
  const [{ headers, raw }] = (await arrived(1)) as [ReceivedCall];
  const [id, timestamp] = [headers['webhook-id'] as string, headers['webhook-timestamp'] as string];
  const expected = [renewed, secret].map((one) => standardSignature(one, id, timestamp, raw)).join(' ');
  expect(headers['webhook-signature']).toBe(expected);
});

it('what waits is bounded: past the limit it is disabled, and what waits is sent once it is resumed', async () => {
  const { webhook } = await make({ events: ['session.created'], url: 'http://webhook.invalid/' });
  await server.call('patchOutgoingWebhook', { ...at(webhook), body: { url: target.url } });
  target.replies = [{ status: 429, headers: { 'retry-after': '600' } }];
  for (let count = 0; count < LIMITS.webhookPending; count++) await server.open();
  await until(
    () => get(webhook),
    ({ pending, state }) => pending === LIMITS.webhookPending && state === 'active',
  );
  await server.open();
  const disabled = await get(webhook);
  expect(disabled).toMatchObject({ state: 'disabled', pending: LIMITS.webhookPending });
  expect(disabled.disabledBecause).toContain(`${LIMITS.webhookPending}`);
});

it('what is deleted is not told any more, and the history does not quote it', async () => {
  const { webhook } = await make({ events: ['turn.settled'] });
  target.replies = [{ status: 429, headers: { 'retry-after': '600' } }];
  const sessionId = await server.open();
  await server.say(sessionId, 'a secret plan');
  await arrived(1);
  await server.call('deleteSession', { params: { sessionId } });
  const [withdrawn] = await settled(webhook);
  expect(withdrawn).toMatchObject({ state: 'withdrawn', body: null, response: null });
  const params = { outgoingId: webhook.id, deliveryId: withdrawn!.id };
  await server.refused('webhook_delivery_withdrawn', 'redeliverWebhook', { params });
});

it('a deleted message takes its words out of what waits and of the history, and others stay', async () => {
  const { webhook } = await make({ events: ['turn.settled'] });
  const sessionId = await server.open();
  const kept = await server.say(sessionId, 'kept');
  const gone = await server.say(sessionId, 'gone');
  await settled(webhook, 2);
  await server.call('deleteMessage', { params: { messageId: gone.message.id } });
  const bodies = new Map(
    (await deliveriesOf(webhook)).map(({ body }) => [body?.includes(kept.turn.id) ?? false, body]),
  );
  expect(bodies.get(true)).toContain('kept');
  expect(bodies.get(false)).toBeNull();
});

it('an artifact that is deleted for good is not named any more', async () => {
  const { webhook } = await make({ events: ['artifact.changed'] });
  const note = await server.call('createNote', { body: { name: 'Confidential', text: 'x' } });
  await settled(webhook);
  const params = { artifactId: note.id };
  await server.call('deleteArtifact', { params, query: { permanently: 'true' } });
  expect((await deliveriesOf(webhook)).map(({ body }) => body)).toEqual([null]);
});

it('a name that leads to this machine is called only if it is allowed', async () => {
  const url = target.url.replace('127.0.0.1', 'localhost');
  const { webhook } = await make({ events: ['session.created'], url });
  const refused = await server.call('testOutgoingWebhook', at(webhook));
  expect(refused).toMatchObject({ state: 'failed', status: null, error: expect.stringContaining('private network') });
  expect(target.received).toEqual([]);
});

it('a private address, a name that is taken, one webhook too many and unknown ids are refused', async () => {
  const { webhook } = await make();
  const body = { name: 'b', url: target.url, events: ['turn.settled'] };
  await server.refused('webhook_name_taken', 'createOutgoingWebhook', { body: { ...body, name: 'CI' } });
  await server.refused('webhook_url_refused', 'createOutgoingWebhook', {
    body: { ...body, url: 'http://127.0.0.1:9/' },
  });
  await server.refused('webhook_url_refused', 'patchOutgoingWebhook', {
    ...at(webhook),
    body: { url: 'http://10.1.2.3/' },
  });
  await server.refused('invalid_request', 'createOutgoingWebhook', { body: { ...body, url: 'ftp://example.com' } });
  await server.refused('invalid_request', 'createOutgoingWebhook', { body: { ...body, events: [] } });
  await server.refused('session_not_found', 'createOutgoingWebhook', { body: { ...body, sessionId: 'gone' } });
  await server.refused('webhook_not_found', 'getOutgoingWebhook', { params: { outgoingId: 'gone' } });
  const params = { outgoingId: webhook.id, deliveryId: 'gone' };
  await server.refused('webhook_delivery_not_found', 'redeliverWebhook', { params });
  for (let number = 1; number < LIMITS.webhooksPerUser; number++) await make({ name: `number ${number}` });
  await server.refused('too_many_webhooks', 'createOutgoingWebhook', { body: { ...body, name: 'one more' } });
});
