import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyToActions, type OpenActions } from '../../client/open-actions.ts';
import type { Action } from '../../contract/actions.ts';
import type { StreamFrame } from '../../contract/events.ts';
import { until } from '../harness/parley.ts';
import { answer, answerNext, waitingIn } from './answering.ts';
import { callAsTold, callsIn, resultsIn } from './calling.ts';
import { follow } from './following.ts';
import { reconfigure } from './reconfigure.ts';
import type { Stage } from './stage.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

let shop: Workshop;
let stage: Stage;

beforeAll(async () => {
  ({ stage, shop } = await openWorkshop({
    agents: ['ada', 'bob'],
    agent: { toolAllowlist: ['shop_*', 'ask_user'] },
    config: { limits: { stepsPerTurn: 3 } },
  }));
  stage.provider.script((request) => {
    if (request.said.startsWith('fail')) return { status: 401, body: '{}' };
    return callAsTold(request);
  });
});
afterAll(async () => {
  await stage.close();
  shop.close();
});

const RISKY = 'call shop_risky {"key":"k"}';
const FOUR = `call ${Array.from({ length: 4 }, (_, step) => `shop_count {"key":"step ${step}"}`).join(' then ')}`;

async function asking(wanted = RISKY) {
  const sessionId = await stage.open();
  const { turn } = await stage.send(sessionId, wanted);
  const [action] = await waitingIn(stage, sessionId);
  return { sessionId, turnId: turn.id, action: action! };
}

describe('what waits for a person', () => {
  it('is listed oldest first, by session and by state', async () => {
    const [first, second] = [await asking(), await asking('call ask_user {"question":"?"}')];
    const listed = await stage.call('listActions');
    expect(listed.actions.map(({ id }) => id)).toEqual([first.action.id, second.action.id]);
    expect((await stage.call('listActions', { query: { limit: 1 } })).actions).toHaveLength(1);
    const query = { session: second.sessionId };
    expect((await stage.call('listActions', { query })).actions).toMatchObject([{ kind: 'question' }]);
    await answer(stage, second.action, { decision: 'decline' });
    expect((await stage.call('listActions', { query })).actions).toEqual([]);
    const answered = await stage.call('listActions', { query: { ...query, state: 'answered' } });
    expect(answered.actions).toMatchObject([{ id: second.action.id, answer: { decision: 'decline' } }]);
    await stage.refused('session_not_found', 'listActions', { query: { session: 'nowhere' } });
    await stage.cancelTurn(first.turnId);
  });

  it('is on the shared stream, so that a client knows it without asking', async () => {
    const since = (await stage.call('listSessions')).position;
    const kept = await asking();
    const dropped = await asking();
    const answered = await asking();
    const wiped = await asking();
    await stage.cancelTurn(dropped.turnId);
    await answer(stage, answered.action, { decision: 'deny' });
    await stage.settled(answered.turnId);
    await stage.call('deleteSession', { params: { sessionId: wiped.sessionId } });
    const now = (await stage.call('listSessions')).position;
    const frames = await follow(stage, `/api/events?after=${since}`, now);
    const known = frames.reduce<OpenActions>((all, { data }) => applyToActions(all, data as StreamFrame), new Map());
    expect([...known.values()]).toEqual((await stage.call('listActions')).actions);
    expect([...known.keys()]).toEqual([kept.action.id]);
    await stage.cancelTurn(kept.turnId);
  });

  it('needs no room among the turns that run, and gets it back at once', async () => {
    await reconfigure(stage, ({ limits }) => Object.assign(limits, { runningTurns: 1 }));
    const waiting = await asking();
    const { turn } = await stage.send(await stage.open(), 'call shop_wait {"key":"room"}');
    await shop.arrived('room');
    await answer(stage, waiting.action, { decision: 'once' });
    expect((await stage.settled(waiting.turnId)).state).toBe('complete');
    const queued = await stage.send(await stage.open(), 'Is there room?');
    expect((await stage.turn(queued.turn.id)).state).toBe('queued');
    shop.release('room');
    expect((await stage.settled(queued.turn.id)).state).toBe('complete');
    expect((await stage.turn(turn.id)).state).toBe('complete');
    await reconfigure(stage, ({ limits }) => Object.assign(limits, { runningTurns: 100 }));
  });
});

describe('a turn that takes very many steps', () => {
  it('goes on as far again when the person says so', async () => {
    const { sessionId, turnId, action } = await asking(FOUR);
    expect(action).toMatchObject({ kind: 'limit', limit: { limit: 'stepsPerTurn', allowed: 3, wanted: 4 } });
    expect(action.title).toContain('ada');
    expect((await stage.session(sessionId)).status).toBe('waiting');
    expect((await stage.turn(turnId)).state).toBe('waiting');
    await stage.refused('action_answer_invalid', 'answerAction', {
      params: { actionId: action.id },
      body: { decision: 'once' },
    });
    await answer(stage, action, { decision: 'continue' });
    expect((await stage.settled(turnId)).state).toBe('complete');
    const { answer: said } = await stage.call('getTurn', { params: { turnId } });
    expect(callsIn(said!)).toHaveLength(4);
    expect(said!.text).toContain('Tools said: step 3 counted');
  });

  it('ends with what it has when the person says stop', async () => {
    const { turnId, action } = await asking(FOUR);
    await answer(stage, action, { decision: 'stop' });
    expect(await stage.settled(turnId)).toMatchObject({ state: 'complete', stopReason: 'limit_stop' });
    const { answer: said } = await stage.call('getTurn', { params: { turnId } });
    expect(callsIn(said!)).toHaveLength(3);
  });

  it('is cancelled like any other', async () => {
    const { sessionId, turnId, action } = await asking(FOUR);
    await stage.cancelTurn(turnId);
    expect((await stage.turn(turnId)).state).toBe('cancelled');
    expect((await stage.call('getAction', { params: { actionId: action.id } })).state).toBe('withdrawn');
    expect((await stage.session(sessionId)).status).toBe('active');
  });
});

describe('a turn that failed', () => {
  async function failed() {
    const sessionId = await stage.open();
    const { turn, message } = await stage.say(sessionId, 'fail please');
    expect(turn.state).toBe('failed');
    const [action] = await waitingIn(stage, sessionId);
    return { sessionId, turnId: turn.id, messageId: message.id, action: action! };
  }

  const stateOf = async ({ id: actionId }: Action) => (await stage.call('getAction', { params: { actionId } })).state;

  it('can be tried again where it is shown', async () => {
    const { sessionId, turnId, action } = await failed();
    expect(action).toMatchObject({ kind: 'failure', turnId, failure: { code: expect.any(String) } });
    expect((await stage.session(sessionId)).status).toBe('error');
    await answer(stage, action, { decision: 'retry' });
    const [retry] = await until(
      () => stage.turns(sessionId),
      (turns) => turns[0]!.retryOf === turnId && turns[0]!.endedAt !== null,
    );
    expect(retry!.state).toBe('failed');
    expect((await waitingIn(stage, sessionId))[0]!.turnId).toBe(retry!.id);
  });

  it('can be put aside', async () => {
    const { sessionId, action } = await failed();
    await answer(stage, action, { decision: 'dismiss' });
    expect(await waitingIn(stage, sessionId, 0)).toEqual([]);
  });

  it.each([
    ['sends something else', (of: { sessionId: string }) => stage.say(of.sessionId, 'Fine.')],
    [
      'retries the turn',
      (of: { turnId: string }) => stage.call('retryTurn', { params: { turnId: of.turnId }, body: {} }),
    ],
    [
      'says it differently',
      (of: { messageId: string }) =>
        stage.call('reviseMessage', {
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
    await reconfigure(stage, ({ limits }) => Object.assign(limits, { runningTurns: 1 }));
    const { turn } = await stage.send(await stage.open(), 'call shop_wait {"key":"busy"}');
    await shop.arrived('busy');
    await stage.send(sessionId, 'Waits for room.');
    const problem = await stage.refused('session_busy', 'answerAction', {
      params: { actionId: action.id },
      body: { decision: 'retry' },
    });
    expect(problem.detail).toContain('busy');
    expect(await stateOf(action)).toBe('open');
    shop.release('busy');
    await stage.settled(turn.id);
    await reconfigure(stage, ({ limits }) => Object.assign(limits, { runningTurns: 100 }));
  });
});

it('what nobody answers is given up only where the configuration says so', async () => {
  const patient = await asking();
  await reconfigure(stage, (settings) => Object.assign(settings, { approvals: { expireAfterSeconds: 1 } }));
  const approval = await asking();
  const question = await asking('call ask_user {"question":"Anybody?"}');
  const limit = await asking(FOUR);
  for (const { action } of [approval, question, limit])
    expect(Date.parse(action.expiresAt!) - Date.parse(action.createdAt)).toBe(1000);
  const [refused, declined, stopped] = await Promise.all(
    [approval, question, limit].map(({ turnId }) => stage.settled(turnId)),
  );
  expect([refused, declined, stopped].map((turn) => turn!.state)).toEqual(['complete', 'complete', 'complete']);
  expect(stopped!.stopReason).toBe('limit_stop');
  const outputOf = async ({ turnId }: { turnId: string }) =>
    resultsIn((await stage.call('getTurn', { params: { turnId } })).answer!)[0]!.output;
  expect(await outputOf(approval)).toBe('Not run: the approval request was expired.');
  expect(await outputOf(question)).toBe('The user declined to answer.');
  expect(await stage.call('getAction', { params: { actionId: approval.action.id } })).toMatchObject({
    state: 'expired',
  });
  expect(patient.action.expiresAt).toBeNull();
  await answerNext(stage, patient.sessionId, { decision: 'once' });
  expect((await stage.settled(patient.turnId)).state).toBe('complete');
});
