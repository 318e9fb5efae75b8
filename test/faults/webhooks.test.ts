import { expect, it } from 'vitest';
import type { Problem } from '../../contract/errors.ts';
import type { MemoryChangeList, MemoryList } from '../../contract/memory.ts';
import type {
  CreatedIncomingWebhook,
  CreatedOutgoingWebhook,
  WebhookCallList,
  WebhookDeliveryList,
} from '../../contract/webhooks.ts';
import { until } from '../harness/parley.ts';
import { signedHeaders, WebhookTarget } from '../harness/webhook-target.ts';
import { AGENTS, Fixture } from './fixture.ts';

/** What may be asked of the sender at any moment: everything that happened, at least once, in order, under one id each. */
async function withTarget(
  env: Record<string, string>,
  work: (fixture: Fixture, target: WebhookTarget) => Promise<void>,
) {
  const target = await WebhookTarget.start();
  const config = { tools: { fetch: { allowHosts: [target.host] } }, webhooks: { retryAfterSeconds: [0, 0, 0] } };
  const fixture = await Fixture.open({ env, config, delayMs: 1 });
  try {
    await work(fixture, target);
  } finally {
    await fixture.close();
    target.close();
  }
}

const make = ({ parley }: Fixture, target: WebhookTarget) =>
  parley.ok<CreatedOutgoingWebhook>('POST', '/api/outgoing-webhooks', {
    name: 'CI',
    url: target.url,
    events: ['session.created', 'turn.settled'],
  });

function delivered({ parley }: Fixture, { webhook }: CreatedOutgoingWebhook, count: number) {
  return until(
    () => parley.ok<WebhookDeliveryList>('GET', `/api/outgoing-webhooks/${webhook.id}/deliveries`),
    ({ deliveries }) => deliveries.length >= count && deliveries.every(({ state }) => state === 'delivered'),
    15_000,
  );
}

it(
  'a kill between sending and noting it sends again under the same id, and loses nothing',
  () =>
    withTarget({ PARLEY_FAULT: 'webhook.sent:2' }, async (fixture, target) => {
      const made = await make(fixture, target);
      for (let count = 0; count < 3; count++) await fixture.session().catch(() => {});
      await fixture.parley.waitForExit();
      await fixture.parley.restart({});
      const { sessions } = await fixture.parley.ok<{ sessions: { id: string }[] }>('GET', '/api/sessions?limit=200');
      await delivered(fixture, made, sessions.length);
      const told = target.received.map(({ payload }) => (payload.data as { session: { id: string } }).session.id);
      expect(new Set(told)).toEqual(new Set(sessions.map(({ id }) => id)));
      const ids = target.received.map(({ headers }) => headers['webhook-id']);
      expect(ids.length).toBe(sessions.length + 1);
      expect(new Set(ids).size).toBe(sessions.length);
    }),
  40_000,
);

it.each(['write.before-commit:9', 'write.committed:9', 'settle.before-commit', 'settle.committed'])(
  'a kill at %s: what is in the database is told, and nothing else',
  (point) =>
    withTarget({ PARLEY_FAULT: point }, async (fixture, target) => {
      const made = await make(fixture, target);
      const { id } = await fixture.session();
      await fixture.send(id, { content: 'hello' }).catch(() => {});
      for (let count = 0; count < 9; count++) await fixture.session().catch(() => {});
      await fixture.parley.waitForExit();
      await fixture.parley.restart({});
      const { sessions } = await fixture.parley.ok<{ sessions: { id: string }[] }>('GET', '/api/sessions?limit=200');
      await delivered(fixture, made, sessions.length);
      const created = target.received.filter(({ payload }) => payload.type === 'session.created');
      const told = created.map(({ payload }) => (payload.data as { session: { id: string } }).session.id);
      expect(new Set(told)).toEqual(new Set(sessions.map((one) => one.id)));
      const { turns } = await fixture.parley.ok<{ turns: { id: string; endedAt: string | null }[] }>(
        'GET',
        `/api/sessions/${id}/turns`,
      );
      const settled = target.received.filter(({ payload }) => payload.type === 'turn.settled');
      const ended = settled.map(({ payload }) => (payload.data as { turn: { id: string } }).turn.id);
      expect(new Set(ended)).toEqual(new Set(turns.filter(({ endedAt }) => endedAt !== null).map((turn) => turn.id)));
    }),
  40_000,
);

it.each(['accept.committed', 'webhook.accepted'])(
  'a kill at %s: an incoming request that comes again is one message',
  async (point) => {
    const fixture = await Fixture.open({ env: { PARLEY_FAULT: point }, delayMs: 1 });
    try {
      const body = { name: 'CI', agentId: AGENTS[0] };
      const { webhook, secret } = await fixture.parley.ok<CreatedIncomingWebhook>(
        'POST',
        '/api/incoming-webhooks',
        body,
      );
      const send = (id: string) =>
        fetch(fixture.parley.url + webhook.path, {
          method: 'POST',
          body: '{"n":1}',
          headers: signedHeaders(secret, '{"n":1}', id),
        });
      await send('one').catch(() => {});
      await send('two').catch(() => {});
      await fixture.parley.waitForExit();
      await fixture.parley.restart({});
      for (const id of ['one', 'two', 'one']) expect((await send(id)).status).toBe(202);
      const path = `/api/incoming-webhooks/${webhook.id}/calls`;
      const { calls } = await fixture.parley.ok<WebhookCallList>('GET', path);
      expect(calls.map(({ callerId }) => callerId).toSorted()).toEqual(['one', 'two']);
      const { sessions } = await fixture.parley.ok<{ sessions: { id: string }[] }>('GET', '/api/sessions?limit=200');
      expect(sessions).toHaveLength(2);
      const said = await Promise.all(sessions.map(({ id }) => fixture.parley.messages(id)));
      expect(said.flat().filter(({ role }) => role === 'user')).toHaveLength(2);
    } finally {
      await fixture.close();
    }
  },
  40_000,
);

it.each(['write.before-commit', 'write.committed'])(
  'a kill at %s: a memory is there with its history, or not at all',
  async (point) => {
    const fixture = await Fixture.open({ env: { PARLEY_FAULT: `${point}:8` }, delayMs: 1 });
    try {
      const said: string[] = [];
      const add = async (text: string) => {
        await fixture.parley.ok('POST', '/api/memories', { agentId: AGENTS[0], text });
        said.push(text);
      };
      for (let count = 0; count < 12; count++) await add(`fact ${count}`).catch(() => {});
      await fixture.parley.waitForExit();
      await fixture.parley.restart({});
      const { memories } = await fixture.parley.ok<MemoryList>('GET', '/api/memories');
      const kept = memories.map(({ text }) => text).reverse();
      expect(kept.slice(0, said.length)).toEqual(said);
      expect(kept.length - said.length).toBeLessThanOrEqual(1);
      for (const { id } of memories) {
        const { changes } = await fixture.parley.ok<MemoryChangeList>('GET', `/api/memories/${id}/changes`);
        expect(changes.map(({ type }) => type)).toEqual(['created']);
      }
    } finally {
      await fixture.close();
    }
  },
  40_000,
);

it('a test that is on its way when the server is ended answers that it shuts down, and counts as failed', () =>
  withTarget({}, async (fixture, target) => {
    const { webhook } = await make(fixture, target);
    target.patience = new Promise(() => {});
    const tests = `/api/outgoing-webhooks/${webhook.id}/tests`;
    const answer = fixture.parley.request<Problem>('POST', tests);
    await until(
      async () => target.received.length,
      (count) => count === 1,
    );
    expect(await fixture.parley.stop()).toBe(0);
    expect((await answer).body).toMatchObject({ status: 503, code: 'shutting_down' });
    await fixture.parley.restart({});
    const { deliveries } = await fixture.parley.ok<WebhookDeliveryList>(
      'GET',
      `/api/outgoing-webhooks/${webhook.id}/deliveries`,
    );
    expect(deliveries).toMatchObject([{ event: 'webhook.test', state: 'failed' }]);
  }));
