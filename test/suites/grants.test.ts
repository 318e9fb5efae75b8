import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Decision } from '../../contract/actions.ts';
import { answerNext, waitingIn } from './answering.ts';
import { callsIn } from './calling.ts';
import { type ShopPlugin, startWithShop } from './shop-plugin.ts';
import type { TestServer } from './test-server.ts';

let shop: ShopPlugin;
let server: TestServer;

beforeAll(async () => {
  ({ server, shop } = await startWithShop({
    agents: ['ada', { agentId: 'bob', approvals: { shop_count: 'ask' } }],
    agent: { toolAllowlist: ['shop_*'] },
  }));
});
afterAll(async () => {
  await server.close();
  shop.close();
});
afterEach(async () => {
  for (const { id: grantId } of await grants()) await server.call('revokeGrant', { params: { grantId } });
});

const RISKY = 'call shop_risky {"key":"k"}';

async function grants() {
  return (await server.call('listGrants')).grants;
}

/** Has something approved, and waits until it is done. */
async function approve(sessionId: string, decision: Decision, wanted = RISKY) {
  const { turn } = await server.send(sessionId, wanted);
  await answerNext(server, sessionId, { decision });
  await server.settled(turn.id);
}

async function asksIn(sessionId: string, wanted = RISKY): Promise<boolean> {
  const { turn } = await server.send(sessionId, wanted);
  for (;;) {
    const { state } = await server.turn(turn.id);
    if (state === 'complete') return false;
    if (state !== 'waiting') continue;
    await waitingIn(server, sessionId);
    await server.cancelTurn(turn.id);
    return true;
  }
}

test('for the session holds there and nowhere else', async () => {
  const [here, there] = [await server.open(), await server.open()];
  await approve(here, 'session');
  expect(await grants()).toMatchObject([{ agentId: 'ada', tool: 'shop_risky', sessionId: here }]);
  expect(await asksIn(here)).toBe(false);
  expect(await asksIn(there)).toBe(true);
});

test('for always holds in every session, for that agent and that tool', async () => {
  await approve(await server.open(), 'always');
  expect(await grants()).toMatchObject([{ agentId: 'ada', tool: 'shop_risky', sessionId: null }]);
  const other = await server.open();
  expect(await asksIn(other)).toBe(false);
  expect(await asksIn(other, 'call shop_slow_risky {"key":"k"}')).toBe(true);
  expect(await asksIn(await server.open('bob'))).toBe(true);
});

test('with changed arguments approves the tool, not these arguments', async () => {
  const session = await server.open();
  const { turn } = await server.send(session, RISKY);
  await answerNext(server, session, { decision: 'session', input: { key: 'edited' } });
  await server.settled(turn.id);
  const before = shop.count('k');
  expect(await asksIn(session)).toBe(false);
  expect(shop.count('k')).toBe(before + 1);
});

test('given twice is one; taken back, the agent asks again', async () => {
  const session = await server.open();
  const { turn } = await server.send(session, `${RISKY}; shop_risky {"key":"k2"}`);
  const actions = await waitingIn(server, session, 2);
  for (const { id: actionId } of actions)
    await server.call('answerAction', { params: { actionId }, body: { decision: 'always' } });
  await server.settled(turn.id);
  const [grant, ...more] = await grants();
  expect(more).toEqual([]);
  await server.call('revokeGrant', { params: { grantId: grant!.id } });
  expect(await grants()).toEqual([]);
  expect(await asksIn(session)).toBe(true);
  await server.refused('grant_not_found', 'revokeGrant', { params: { grantId: grant!.id } });
});

test('outlives a restart; that of a session goes with the session', async () => {
  const [kept, gone] = [await server.open(), await server.open('bob')];
  await approve(kept, 'always');
  await approve(gone, 'session', 'call shop_count {"key":"b"}');
  expect(await grants()).toHaveLength(2);
  await server.parley.restart();
  expect(await asksIn(await server.open())).toBe(false);
  await server.call('deleteSession', { params: { sessionId: gone } });
  expect(await grants()).toMatchObject([{ agentId: 'ada' }]);
});

test('is written down in the audit, when given, used and taken back', async () => {
  const session = await server.open();
  await approve(session, 'always');
  await server.say(session, RISKY);
  const [grant] = await grants();
  await server.call('revokeGrant', { params: { grantId: grant!.id } });
  const db = new DatabaseSync(path.join(server.parley.home, 'parley.db'), { readOnly: true, timeout: 5000 });
  const rows = db.prepare('SELECT action, detail FROM audit ORDER BY id DESC LIMIT 4').all();
  db.close();
  expect(rows.reverse()).toMatchObject([
    { action: 'tool.call', detail: 'ada shop_risky waiting' },
    { action: 'action.answer', detail: 'approval always shop_risky' },
    { action: 'tool.call', detail: 'ada shop_risky running' },
    { action: 'grant.revoked' },
  ]);
});

test('given for one of two that wait leaves the other to the person', async () => {
  const session = await server.open();
  const { turn } = await server.send(session, `${RISKY}; shop_risky {"key":"other"}`);
  const [first] = await waitingIn(server, session, 2);
  await server.call('answerAction', { params: { actionId: first!.id }, body: { decision: 'session' } });
  await answerNext(server, session, { decision: 'deny' });
  await server.settled(turn.id);
  const { answer } = await server.call('getTurn', { params: { turnId: turn.id } });
  expect(callsIn(answer!).map(({ state }) => state)).toEqual(['complete', 'denied']);
});
