import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyToActions, type OpenActions } from '../../client/open-actions.ts';
import type { Action } from '../../contract/actions.ts';
import type { StreamFrame } from '../../contract/events.ts';
import { until } from '../harness/parley.ts';
import { answer, answerNext, waitingIn } from './answering.ts';
import { callAsTold, callsIn, resultsIn } from './calling.ts';
import { follow } from './following.ts';
import { reconfigure } from './reconfigure.ts';
import { type ShopPlugin, startWithShop } from './shop-plugin.ts';
import type { TestServer } from './test-server.ts';

let shop: ShopPlugin;
let server: TestServer;

beforeAll(async () => {
  ({ server, shop } = await startWithShop({
    agents: ['ada', 'bob'],
    agent: { toolAllowlist: ['shop_*', 'ask_user'] },
    config: { limits: { stepsPerTurn: 3 } },
  }));
  server.provider.script((request) => {
    if (request.said.startsWith('fail')) return { status: 401, body: '{}' };
    return callAsTold(request);
  });
});
afterAll(async () => {
  await server.close();
  shop.close();
});

const RISKY = 'call shop_risky {"key":"k"}';
const FOUR = `call ${Array.from({ length: 4 }, (_, step) => `shop_count {"key":"step ${step}"}`).join(' then ')}`;

async function asking(wanted = RISKY) {
  const sessionId = await server.open();
  const { turn } = await server.send(sessionId, wanted);
  const [action] = await waitingIn(server, sessionId);
  return { sessionId, turnId: turn.id, action: action! };
}

describe('what waits for a person', () => {
  it('is listed oldest first, by session and by state', async () => {
    const [first, second] = [await asking(), await asking('call ask_user {"question":"?"}')];
    const listed = await server.call('listActions');
    expect(listed.actions.map(({ id }) => id)).toEqual([first.action.id, second.action.id]);
    expect((await server.call('listActions', { query: { limit: 1 } })).actions).toHaveLength(1);
    const query = { session: second.sessionId };
    expect((await server.call('listActions', { query })).actions).toMatchObject([{ kind: 'question' }]);
    await answer(server, second.action, { decision: 'decline' });
    expect((await server.call('listActions', { query })).actions).toEqual([]);
    const answered = await server.call('listActions', { query: { ...query, state: 'answered' } });
    expect(answered.actions).toMatchObject([{ id: second.action.id, answer: { decision: 'decline' } }]);
    await server.refused('session_not_found', 'listActions', { query: { session: 'nowhere' } });
    await server.cancelTurn(first.turnId);
  });

  it('is on the shared stream, so that a client knows it without asking', async () => {
    const since = (await server.call('listSessions')).position;
    const kept = await asking();
    const dropped = await asking();
    const answered = await asking();
    const wiped = await asking();
    await server.cancelTurn(dropped.turnId);
    await answer(server, answered.action, { decision: 'deny' });
    await server.settled(answered.turnId);
    await server.call('deleteSession', { params: { sessionId: wiped.sessionId } });
    const now = (await server.call('listSessions')).position;
    const frames = await follow(server, `/api/events?after=${since}`, now);
    const known = frames.reduce<OpenActions>((all, { data }) => applyToActions(all, data as StreamFrame), new Map());
    expect([...known.values()]).toEqual((await server.call('listActions')).actions);
    expect([...known.keys()]).toEqual([kept.action.id]);
    await server.cancelTurn(kept.turnId);
  });

  it('needs no room among the turns that run, and gets it back at once', async () => {
    await reconfigure(server, ({ limits }) => Object.assign(limits, { runningTurns: 1 }));
    const waiting = await asking();
    const { turn } = await server.send(await server.open(), 'call shop_wait {"key":"room"}');
    await shop.arrived('room');
    await answer(server, waiting.action, { decision: 'once' });
    expect((await server.settled(waiting.turnId)).state).toBe('complete');
    const queued = await server.send(await server.open(), 'Is there room?');
    expect((await server.turn(queued.turn.id)).state).toBe('queued');
    shop.release('room');
    expect((await server.settled(queued.turn.id)).state).toBe('complete');
    expect((await server.turn(turn.id)).state).toBe('complete');
    await reconfigure(server, ({ limits }) => Object.assign(limits, { runningTurns: 100 }));
  });
});

describe('a turn that takes very many steps', () => {
  it('goes on as far again when the person says so', async () => {
    const { sessionId, turnId, action } = await asking(FOUR);
    expect(action).toMatchObject({ kind: 'limit', limit: { limit: 'stepsPerTurn', allowed: 3, wanted: 4 } });
    expect(action.title).toContain('ada');
    expect((await server.session(sessionId)).status).toBe('waiting');
    expect((await server.turn(turnId)).state).toBe('waiting');
    await server.refused('action_answer_invalid', 'answerAction', {
      params: { actionId: action.id },
      body: { decision: 'once' },
    });
    await answer(server, action, { decision: 'continue' });
    expect((await server.settled(turnId)).state).toBe('complete');
    const { answer: said } = await server.call('getTurn', { params: { turnId } });
    expect(callsIn(said!)).toHaveLength(4);
    expect(said!.text).toContain('Tools said: step 3 counted');
  });

  it('ends with what it has when the person says stop', async () => {
    const { turnId, action } = await asking(FOUR);
    await answer(server, action, { decision: 'stop' });
    expect(await server.settled(turnId)).toMatchObject({ state: 'complete', stopReason: 'limit_stop' });
    const { answer: said } = await server.call('getTurn', { params: { turnId } });
    expect(callsIn(said!)).toHaveLength(3);
  });

  it('is cancelled like any other', async () => {
    const { sessionId, turnId, action } = await asking(FOUR);
    await server.cancelTurn(turnId);
    expect((await server.turn(turnId)).state).toBe('cancelled');
    expect((await server.call('getAction', { params: { actionId: action.id } })).state).toBe('withdrawn');
    expect((await server.session(sessionId)).status).toBe('active');
  });
});

describe('a turn that failed', () => {
  async function failed() {
    const sessionId = await server.open();
    const { turn, message } = await server.say(sessionId, 'fail please');
    expect(turn.state).toBe('failed');
    const [action] = await waitingIn(server, sessionId);
    return { sessionId, turnId: turn.id, messageId: message.id, action: action! };
  }

  const stateOf = async ({ id: actionId }: Action) => (await server.call('getAction', { params: { actionId } })).state;

  it('can be tried again where it is shown', async () => {
    const { sessionId, turnId, action } = await failed();
    expect(action).toMatchObject({ kind: 'failure', turnId, failure: { code: expect.any(String) } });
    expect((await server.session(sessionId)).status).toBe('error');
    await answer(server, action, { decision: 'retry' });
    const [retry] = await until(
      () => server.turns(sessionId),
      (turns) => turns[0]!.retryOf === turnId && turns[0]!.endedAt !== null,
    );
    expect(retry!.state).toBe('failed');
    expect((await waitingIn(server, sessionId))[0]!.turnId).toBe(retry!.id);
  });

  it('can be put aside', async () => {
    const { sessionId, action } = await failed();
    await answer(server, action, { decision: 'dismiss' });
    expect(await waitingIn(server, sessionId, 0)).toEqual([]);
  });

  it.each([
    ['sends something else', (of: { sessionId: string }) => server.say(of.sessionId, 'Fine.')],
    [
      'retries the turn',
      (of: { turnId: string }) => server.call('retryTurn', { params: { turnId: of.turnId }, body: {} }),
    ],
    [
      'says it differently',
      (of: { messageId: string }) =>
        server.call('reviseMessage', {
          params: { messageId: of.messageId },
          query: { wait: 10 },
          body: { content: 'Better.' },
        }),
    ],
  ] as const)('needs no answer any more once the person %s', async (_, goOn) => {
    const one = await failed();
    await goOn(one);
    await until(
      () => stateOf(one.action),
      (state) => state === 'withdrawn',
    );
  });

  it('that cannot be retried now stays where it is', async () => {
    const { sessionId, action } = await failed();
    await reconfigure(server, ({ limits }) => Object.assign(limits, { runningTurns: 1 }));
    const { turn } = await server.send(await server.open(), 'call shop_wait {"key":"busy"}');
    await shop.arrived('busy');
    await server.send(sessionId, 'Waits for room.');
    const problem = await server.refused('session_busy', 'answerAction', {
      params: { actionId: action.id },
      body: { decision: 'retry' },
    });
    expect(problem.detail).toContain('busy');
    expect(await stateOf(action)).toBe('open');
    shop.release('busy');
    await server.settled(turn.id);
    await reconfigure(server, ({ limits }) => Object.assign(limits, { runningTurns: 100 }));
  });
});

it('what nobody answers is given up only where the configuration says so', async () => {
  const patient = await asking();
  await reconfigure(server, (settings) => Object.assign(settings, { approvals: { expireAfterSeconds: 1 } }));
  const approval = await asking();
  const question = await asking('call ask_user {"question":"Anybody?"}');
  const limit = await asking(FOUR);
  for (const { action } of [approval, question, limit])
    expect(Date.parse(action.expiresAt!) - Date.parse(action.createdAt)).toBe(1000);
  const [refused, declined, stopped] = await Promise.all(
    [approval, question, limit].map(({ turnId }) => server.settled(turnId)),
  );
  expect([refused, declined, stopped].map((turn) => turn!.state)).toEqual(['complete', 'complete', 'complete']);
  expect(stopped!.stopReason).toBe('limit_stop');
  const outputOf = async ({ turnId }: { turnId: string }) =>
    resultsIn((await server.call('getTurn', { params: { turnId } })).answer!)[0]!.output;
  expect(await outputOf(approval)).toBe('Not run: the approval request was expired.');
  expect(await outputOf(question)).toBe('The user declined to answer.');
  expect(await server.call('getAction', { params: { actionId: approval.action.id } })).toMatchObject({
    state: 'expired',
  });
  expect(patient.action.expiresAt).toBeNull();
  await answerNext(server, patient.sessionId, { decision: 'once' });
  expect((await server.settled(patient.turnId)).state).toBe('complete');
});
