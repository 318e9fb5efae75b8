import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Decision } from '../../contract/actions.ts';
import { answerNext, waitingIn } from './answering.ts';
import { callsIn } from './calling.ts';
import type { Stage } from './stage.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

let shop: Workshop;
let stage: Stage;

beforeAll(async () => {
  ({ stage, shop } = await openWorkshop({
    agents: ['ada', { agentId: 'bob', approvals: { shop_count: 'ask' } }],
    agent: { toolAllowlist: ['shop_*'] },
  }));
});
afterAll(async () => {
  await stage.close();
  shop.close();
});
afterEach(async () => {
  for (const { id: grantId } of await grants()) await stage.call('revokeGrant', { params: { grantId } });
});

const RISKY = 'call shop_risky {"key":"k"}';

async function grants() {
  return (await stage.call('listGrants')).grants;
}

/** Has something approved, and waits until it is done. */
async function approve(sessionId: string, decision: Decision, wanted = RISKY) {
  const { turn } = await stage.send(sessionId, wanted);
  await answerNext(stage, sessionId, { decision });
  await stage.settled(turn.id);
}

async function asksIn(sessionId: string, wanted = RISKY): Promise<boolean> {
  const { turn } = await stage.send(sessionId, wanted);
  for (;;) {
    const { state } = await stage.turn(turn.id);
    if (state === 'complete') return false;
    if (state !== 'waiting') continue;
    await waitingIn(stage, sessionId);
    await stage.cancelTurn(turn.id);
    return true;
  }
}

test('for the session holds there and nowhere else', async () => {
  const [here, there] = [await stage.open(), await stage.open()];
  await approve(here, 'session');
  expect(await grants()).toMatchObject([{ agentId: 'ada', tool: 'shop_risky', sessionId: here }]);
  expect(await asksIn(here)).toBe(false);
  expect(await asksIn(there)).toBe(true);
});

test('for always holds in every session, for that agent and that tool', async () => {
  await approve(await stage.open(), 'always');
  expect(await grants()).toMatchObject([{ agentId: 'ada', tool: 'shop_risky', sessionId: null }]);
  const other = await stage.open();
  expect(await asksIn(other)).toBe(false);
  expect(await asksIn(other, 'call shop_slow_risky {"key":"k"}')).toBe(true);
  expect(await asksIn(await stage.open('bob'))).toBe(true);
});

test('with changed arguments approves the tool, not these arguments', async () => {
  const session = await stage.open();
  const { turn } = await stage.send(session, RISKY);
  await answerNext(stage, session, { decision: 'session', input: { key: 'edited' } });
  await stage.settled(turn.id);
  const before = shop.count('k');
  expect(await asksIn(session)).toBe(false);
  expect(shop.count('k')).toBe(before + 1);
});

test('given twice is one; taken back, the agent asks again', async () => {
  const session = await stage.open();
  const { turn } = await stage.send(session, `${RISKY}; shop_risky {"key":"k2"}`);
  const actions = await waitingIn(stage, session, 2);
  for (const { id: actionId } of actions)
    await stage.call('answerAction', { params: { actionId }, body: { decision: 'always' } });
  await stage.settled(turn.id);
  const [grant, ...more] = await grants();
  expect(more).toEqual([]);
  await stage.call('revokeGrant', { params: { grantId: grant!.id } });
  expect(await grants()).toEqual([]);
  expect(await asksIn(session)).toBe(true);
  await stage.refused('grant_not_found', 'revokeGrant', { params: { grantId: grant!.id } });
});

test('outlives a restart; that of a session goes with the session', async () => {
  const [kept, gone] = [await stage.open(), await stage.open('bob')];
  await approve(kept, 'always');
  await approve(gone, 'session', 'call shop_count {"key":"b"}');
  expect(await grants()).toHaveLength(2);
  await stage.parley.restart();
  expect(await asksIn(await stage.open())).toBe(false);
  await stage.call('deleteSession', { params: { sessionId: gone } });
  expect(await grants()).toMatchObject([{ agentId: 'ada' }]);
});

test('is written down in the audit, when given, used and taken back', async () => {
  const session = await stage.open();
  await approve(session, 'always');
  await stage.say(session, RISKY);
  const [grant] = await grants();
  await stage.call('revokeGrant', { params: { grantId: grant!.id } });
  const db = new DatabaseSync(path.join(stage.parley.home, 'parley.db'), { readOnly: true, timeout: 5000 });
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
  const session = await stage.open();
  const { turn } = await stage.send(session, `${RISKY}; shop_risky {"key":"other"}`);
  const [first] = await waitingIn(stage, session, 2);
  await stage.call('answerAction', { params: { actionId: first!.id }, body: { decision: 'session' } });
  await answerNext(stage, session, { decision: 'deny' });
  await stage.settled(turn.id);
  const { answer } = await stage.call('getTurn', { params: { turnId: turn.id } });
  expect(callsIn(answer!).map(({ state }) => state)).toEqual(['complete', 'denied']);
});
