import { statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import { PushService } from '../harness/push-service.ts';
import { signInBrowser } from '../harness/signed-in-browser.ts';
import { answer, waitingIn } from './answering.ts';
import { callAsTold } from './calling.ts';
import { TestServer } from './test-server.ts';

let service: PushService;
let server: TestServer;
beforeAll(async () => {
  service = await PushService.start();
  server = await TestServer.start({
    agents: [{ agentId: 'ada', displayName: 'Ada', toolAllowlist: ['todo_*'], approvals: { todo_add: 'ask' } }],
    config: { tools: { fetch: { allowHosts: [service.host] } } },
  });
  server.provider.script(callAsTold);
});
beforeEach(() => {
  service.received.length = 0;
  service.statuses = [201];
});
afterEach(async () => {
  for (const { id } of await devices()) await server.call('unsubscribeFromPush', { params: { subscriptionId: id } });
});
afterAll(async () => {
  await server.close();
  service.close();
});

const subscribe = (name?: string, path?: string) =>
  server.call('subscribeToPush', { body: service.subscription(name, path) });
const devices = async () => (await server.call('listPushSubscriptions')).subscriptions;

async function askSomething() {
  const sessionId = await server.open();
  await server.send(sessionId, 'call todo_add {"title":"milk"}');
  const [action] = await waitingIn(server, sessionId);
  return { sessionId, action: action! };
}

const arrived = (count = 1) =>
  until(
    async () => service.received,
    (received) => received.length >= count,
  );

it('an approval reaches every device, encrypted for it, signed by the server, with what it is about', async () => {
  await subscribe('Phone', 'one');
  await subscribe('Laptop', 'two');
  const { sessionId, action } = await askSomething();
  const [first, second] = await arrived(2);
  const { title } = await server.session(sessionId);
  expect(first!.message).toEqual({
    kind: 'approval',
    language: 'de',
    agent: 'Ada',
    tool: 'todo_add',
    session: title,
    url: `/sessions/${sessionId}`,
    tag: action.id,
  });
  expect(second!.message).toEqual(first!.message);
  expect(first!.headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high' });
  const { publicKey } = await server.call('getPushKey');
  expect(first!.headers.authorization).toMatch(new RegExp(`^vapid t=[\\w-]+\\.[\\w-]+\\.[\\w-]+, ?k=${publicKey}$`));
  expect((await devices()).map(({ lastSentAt, problem }) => [lastSentAt !== null, problem])).toEqual([
    [true, null],
    [true, null],
  ]);
});

it('what is answered at once notifies no device', async () => {
  await subscribe();
  const { sessionId, action } = await askSomething();
  await answer(server, action, { decision: 'once' });
  await server.settled(action.turnId);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  expect(service.received).toEqual([]);
  expect(await waitingIn(server, sessionId, 0)).toEqual([]);
});

it('a service that is busy is asked again; a subscription that it no longer knows is forgotten', async () => {
  await subscribe();
  service.statuses = [503, 201];
  await askSomething();
  await until(
    async () => service.received,
    (received) => received.length === 1,
    8000,
  );
  service.statuses = [410];
  await askSomething();
  await until(devices, (list) => list.length === 0, 8000);
});

it('a service that is busy is not asked again once the action is answered', async () => {
  await subscribe();
  service.statuses = [503];
  const { action } = await askSomething();
  await until(devices, ([device]) => device!.problem === 'HTTP 503', 8000);
  await answer(server, action, { decision: 'once' });
  service.statuses = [201];
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(service.received).toEqual([]);
});

it('keys that are no point of the curve are refused, and keep nothing from other devices', async () => {
  const keys = { ...service.subscription().keys, p256dh: Buffer.alloc(65, 1).toString('base64url') };
  await server.refused('invalid_request', 'subscribeToPush', { body: { ...service.subscription(), keys } });
});

it('a test says what went wrong, and the list shows it', async () => {
  const { id } = await subscribe();
  const params = { subscriptionId: id };
  expect((await server.call('testPush', { params })).lastSentAt).not.toBeNull();
  expect((await arrived())[0]!.message.kind).toBe('test');
  service.statuses = [403];
  const { detail } = await server.refused('push_failed', 'testPush', { params });
  expect(detail).toContain('HTTP 403');
  expect((await devices())[0]).toMatchObject({ id, problem: 'HTTP 403' });
});

it('a browser that subscribes again is one device; keys that no browser makes, and one device too many, are refused', async () => {
  const before = await subscribe();
  const again = await subscribe('Renamed');
  expect(again.id).not.toBe(before.id);
  expect((await devices()).map(({ name }) => name)).toEqual(['Renamed']);
  const body = { ...service.subscription(), keys: { p256dh: 'AAAA', auth: 'AAAA' } };
  await server.refused('invalid_request', 'subscribeToPush', { body });
  await server.refused('invalid_request', 'subscribeToPush', { body: { ...body, endpoint: 'file:///etc/passwd' } });
  for (let number = 1; number < 20; number++) await subscribe('More', `more-${number}`);
  await server.refused('too_many_push_subscriptions', 'subscribeToPush', { body: service.subscription('x', 'x') });
});

it('a push service in the private network is not asked unless its host is allowed', async () => {
  const other = await PushService.start();
  const { id } = await server.call('subscribeToPush', { body: other.subscription() });
  const { detail } = await server.refused('push_failed', 'testPush', { params: { subscriptionId: id } });
  expect(detail).toMatch(/private|not allowed/i);
  expect(other.received).toEqual([]);
  other.close();
});

it('the private key is readable by its owner only, and stays the same', async () => {
  const { publicKey } = await server.call('getPushKey');
  expect(statSync(path.join(server.parley.home, 'push-keys.json')).mode & 0o777).toBe(0o600);
  await server.parley.restart();
  expect((await server.call('getPushKey')).publicKey).toBe(publicKey);
});

it('a browser is notified no longer than it is signed in: ended elsewhere, it gets nothing more', async () => {
  const browser = await signInBrowser(server.parley);
  const headers = { ...browser.headers, Authorization: '' };
  await server.call('subscribeToPush', { body: service.subscription('Lost phone', 'lost'), headers });
  await subscribe('Laptop', 'kept');
  await askSomething();
  await arrived(2);
  await server.call('endSignIn', { params: { signInId: browser.id } });
  expect((await devices()).map(({ name }) => name)).toEqual(['Laptop']);
  await askSomething();
  await arrived(3);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(service.received).toHaveLength(3);
});
