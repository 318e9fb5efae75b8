import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, answerNext, waitingIn } from './answering.ts';
import { callsIn, resultsIn, wireMessages } from './calling.ts';
import { follow, isDurable } from './following.ts';
import { reconfigure, reconfigureAgent } from './reconfigure.ts';
import type { Stage } from './stage.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

let shop: Workshop;
let stage: Stage;

const BOB = { agentId: 'bob', approvals: { shop_count: 'deny', 'shop_*': 'ask' } };

beforeAll(async () => {
  ({ stage, shop } = await openWorkshop({
    agents: ['ada', BOB],
    agent: { toolAllowlist: ['shop_*'] },
  }));
});
afterAll(async () => {
  await stage.close();
  shop.close();
});

/** A turn that waits for an approval of every call. */
async function asking(calls: string, { agent = 'ada', count = 1 } = {}) {
  const sessionId = await stage.open(agent);
  const { turn } = await stage.send(sessionId, `call ${calls}`);
  const actions = await waitingIn(stage, sessionId, count);
  return { sessionId, turnId: turn.id, actions, action: actions[0]! };
}

async function ended(turnId: string) {
  const turn = await stage.settled(turnId);
  const said = (await stage.call('getTurn', { params: { turnId } })).answer!;
  return { turn, said, call: callsIn(said)[0]!, result: resultsIn(said)[0]! };
}

const risky = (key: string) => `shop_risky {"key":"${key}"}`;

describe('a call that needs approval', () => {
  it('is shown whole before anything happens; turn and session wait', async () => {
    const { sessionId, turnId, action } = await asking(risky('a1'));
    expect(action).toMatchObject({
      kind: 'approval',
      state: 'open',
      title: 'ada wants to use shop_risky',
      agentId: 'ada',
      sessionId,
      turnId,
      chain: [{ agentId: 'ada', turnId, sessionId }],
      question: null,
      answer: null,
      expiresAt: null,
    });
    const { calls } = await stage.call('listToolCalls', { params: { turnId } });
    expect(action.approval).toEqual({
      callId: calls[0]!.id,
      tool: 'shop_risky',
      description: 'Does risky.',
      input: '{"key":"a1"}',
      risk: 'execute',
      source: { kind: 'plugin', id: 'shop' },
      capabilities: ['shop.risky'],
      folder: null,
    });
    expect(calls).toMatchObject([{ state: 'waiting', actionId: action.id, startedAt: null }]);
    expect((await stage.turn(turnId)).state).toBe('waiting');
    expect((await stage.session(sessionId)).status).toBe('waiting');
    expect(shop.count('a1')).toBe(0);
    await stage.cancelTurn(turnId);
  });

  it('runs once when it is approved once, and asks again the next time', async () => {
    const { sessionId, turnId, action } = await asking(`${risky('a2')} then ${risky('a2')}`);
    const answered = await answer(stage, action, { decision: 'once' });
    expect(answered).toMatchObject({ state: 'answered', answer: { decision: 'once' }, settledAt: expect.any(String) });
    await answerNext(stage, sessionId, { decision: 'deny' });
    const { turn, said } = await ended(turnId);
    expect(turn.state).toBe('complete');
    expect(callsIn(said).map(({ state }) => state)).toEqual(['complete', 'denied']);
    expect(shop.count('a2')).toBe(1);
    expect((await stage.call('listGrants')).grants).toEqual([]);
    const { lastSeq } = await stage.session(sessionId);
    const frames = await follow(stage, `/api/sessions/${sessionId}/events?after=0`, lastSeq);
    const types = frames.filter(isDurable).map(({ type }) => type);
    expect(types.slice(types.indexOf('action.opened'))).toEqual([
      ...['action.opened', 'tool.started', 'turn.waiting'],
      ...['action.settled', 'tool.updated', 'turn.resumed', 'tool.ended'],
      ...['action.opened', 'tool.started', 'turn.waiting'],
      ...['action.settled', 'tool.ended', 'turn.resumed'],
      ...['message.created', 'turn.settled'],
    ]);
  });

  it.each([
    [{ decision: 'deny', reason: 'Not today.' }, 'The user denied this call: Not today.'],
    [{ decision: 'deny' }, 'The user denied this call.'],
  ] as const)('that is refused with %j is not carried out, and the agent is told why', async (body, words) => {
    const { turnId, action } = await asking(risky('a3'));
    await answer(stage, action, body);
    const { turn, call, result } = await ended(turnId);
    expect(turn.state).toBe('complete');
    expect(call).toMatchObject({ state: 'denied', reason: words });
    expect(result).toMatchObject({ isError: true, output: words });
    expect(wireMessages(stage.provider.requests.at(-1)!).at(-1)).toMatchObject({ content: `Error: ${words}` });
    expect(shop.count('a3')).toBe(0);
  });

  it('runs with the arguments the person made of it, and shows them everywhere', async () => {
    const { turnId, action } = await asking(risky('asked'));
    await answer(stage, action, { decision: 'once', input: { key: 'edited' } });
    const { call, result } = await ended(turnId);
    expect([shop.count('asked'), shop.count('edited')]).toEqual([0, 1]);
    expect(call).toMatchObject({ state: 'complete', input: '{"key":"edited"}' });
    expect(result.output).toBe('edited counted');
    const { calls } = await stage.call('listToolCalls', { params: { turnId } });
    expect(calls[0]!.input).toBe('{"key":"edited"}');
    const shown = await stage.call('getAction', { params: { actionId: action.id } });
    expect(shown).toMatchObject({ approval: { input: '{"key":"asked"}' }, answer: { input: { key: 'edited' } } });
    const told = wireMessages(stage.provider.requests.at(-1)!).find(({ tool_calls }) => tool_calls);
    expect(told!.tool_calls![0]!.function.arguments).toBe('{"key":"edited"}');
  });

  it('beside others waits for its own answer; none takes the place of another', async () => {
    const wanted = `${risky('b1')}; shop_wait {"key":"b2"}; ${risky('b3')}; ${risky('b4')}`;
    const { sessionId, turnId, actions } = await asking(wanted, { count: 3 });
    expect(actions.map(({ approval }) => approval!.input)).toEqual(['{"key":"b1"}', '{"key":"b3"}', '{"key":"b4"}']);
    await answer(stage, actions[2]!, { decision: 'once' });
    shop.release('b2');
    expect((await stage.turn(turnId)).state).toBe('waiting');
    await Promise.all([
      answer(stage, actions[0]!, { decision: 'deny', reason: 'No b1.' }),
      answer(stage, actions[1]!, { decision: 'once', input: { key: 'b3 edited' } }),
    ]);
    const { said } = await ended(turnId);
    expect(callsIn(said).map(({ state }) => state)).toEqual(['denied', 'complete', 'complete', 'complete']);
    expect(resultsIn(said).map(({ output }) => output)).toEqual([
      'The user denied this call: No b1.',
      'b2 done',
      'b3 edited counted',
      'b4 counted',
    ]);
    expect(await stage.session(sessionId)).toMatchObject({ status: 'active' });
  });

  it('needs none where the policy says deny: the rule is named', async () => {
    const { turn, answer: said } = await stage.say(await stage.open('bob'), 'call shop_count {"key":"never"}');
    expect(turn.state).toBe('complete');
    expect(callsIn(said!)[0]).toMatchObject({
      state: 'denied',
      reason: 'Blocked by the configuration: approvals of bob sets "shop_count" to deny.',
    });
    expect(shop.count('never')).toBe(0);
  });

  it('is not asked for when it could not be carried out anyway', async () => {
    const { answer: said } = await stage.say(await stage.open(), 'call shop_risky {"wrong":1}');
    expect(callsIn(said!)[0]).toMatchObject({ state: 'failed' });
  });
});

describe('an answer', () => {
  it('counts once: whoever comes second is told what was answered', async () => {
    const { turnId, action } = await asking(risky('c1'));
    const params = { actionId: action.id };
    const all = await Promise.all(
      ['once', 'deny', 'once', 'deny'].map((decision) => stage.ask('answerAction', { params, body: { decision } })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const { state } = (await ended(turnId)).call;
    const { answer: kept } = await stage.call('getAction', { params });
    expect(state).toBe(kept!.decision === 'once' ? 'complete' : 'denied');
    const problem = await stage.refused('action_settled', 'answerAction', { params, body: { decision: 'always' } });
    expect(problem.detail).toContain(`answered (${kept!.decision})`);
    expect(shop.count('c1')).toBe(state === 'complete' ? 1 : 0);
    expect((await stage.call('listGrants')).grants).toEqual([]);
  });

  it('of the wrong kind is refused, and what was asked stays open', async () => {
    const { turnId, action } = await asking(risky('c2'));
    const params = { actionId: action.id };
    for (const decision of ['answer', 'decline', 'continue', 'stop', 'retry', 'dismiss'])
      await stage.refused('action_answer_invalid', 'answerAction', { params, body: { decision } });
    for (const body of [
      { decision: 'deny', input: { key: 'x' } },
      { decision: 'once', input: { wrong: 1 } },
    ])
      await stage.refused('action_answer_invalid', 'answerAction', { params, body });
    for (const body of [{}, { decision: 'yes' }, { decision: 'once', extra: 1 }])
      await stage.refused('invalid_request', 'answerAction', { params, body });
    expect((await stage.call('getAction', { params })).state).toBe('open');
    await answer(stage, action, { decision: 'once' });
    expect((await ended(turnId)).call.state).toBe('complete');
  });

  it('to something that there is not is refused', async () => {
    const params = { actionId: 'nothing' };
    await stage.refused('action_not_found', 'getAction', { params });
    await stage.refused('action_not_found', 'answerAction', { params, body: { decision: 'once' } });
  });
});

describe('between the question and the answer', () => {
  it('the scope may change: then an approval no longer helps, and the rule is named', async () => {
    const { turnId, action } = await asking(risky('d1'));
    await reconfigureAgent(stage, 'ada', { toolDenylist: ['shop_risky'] });
    await answer(stage, action, { decision: 'always' });
    const { turn, call } = await ended(turnId);
    expect(turn.state).toBe('complete');
    expect(call).toMatchObject({ state: 'rejected', reason: expect.stringContaining('toolDenylist') });
    expect(shop.count('d1')).toBe(0);
    await reconfigureAgent(stage, 'ada', { toolDenylist: [] });
    for (const { id: grantId } of (await stage.call('listGrants')).grants)
      await stage.call('revokeGrant', { params: { grantId } });
  });

  it('the policy may change to deny', async () => {
    const { turnId, action } = await asking(risky('d2'));
    await reconfigure(stage, (settings) => Object.assign(settings, { approvals: { execute: 'deny' } }));
    await answer(stage, action, { decision: 'once' });
    expect((await ended(turnId)).call).toMatchObject({ state: 'denied', reason: expect.stringContaining('deny') });
    await reconfigure(stage, (settings) => Object.assign(settings, { approvals: {} }));
    expect(shop.count('d2')).toBe(0);
  });

  it('the session may be made read-only', async () => {
    const { sessionId, turnId, action } = await asking(risky('d3'));
    await stage.call('patchSession', { params: { sessionId }, body: { mode: 'read-only' } });
    await answer(stage, action, { decision: 'once' });
    expect((await ended(turnId)).call).toMatchObject({ state: 'rejected' });
    expect(shop.count('d3')).toBe(0);
  });

  it('the agent may go', async () => {
    const { turnId, action } = await asking(risky('d4'), { agent: 'bob' });
    await reconfigure(stage, (settings) => settings.agents.pop());
    expect((await ended(turnId)).call).toMatchObject({ state: 'cancelled' });
    await stage.refused('action_settled', 'answerAction', {
      params: { actionId: action.id },
      body: { decision: 'once' },
    });
    expect(shop.count('d4')).toBe(0);
    await reconfigure(stage, (settings) => settings.agents.push({ ...settings.agents[0], ...BOB }));
  });

  it('the turn may be cancelled: what was asked is withdrawn, and nothing was done', async () => {
    const { sessionId, turnId, action } = await asking(risky('d5'));
    await stage.cancelTurn(turnId);
    const { call, result } = await ended(turnId);
    expect(call).toMatchObject({ state: 'cancelled' });
    expect(result.output).toContain('Not run');
    expect(await waitingIn(stage, sessionId, 0)).toEqual([]);
    const params = { actionId: action.id };
    expect(await stage.call('getAction', { params })).toMatchObject({ state: 'withdrawn', answer: null });
    const problem = await stage.refused('action_settled', 'answerAction', { params, body: { decision: 'once' } });
    expect(problem.detail).toContain('withdrawn');
    expect(shop.count('d5')).toBe(0);
    expect((await stage.session(sessionId)).status).toBe('active');
  });

  it('a message may interrupt it', async () => {
    const { sessionId, turnId, action } = await asking(risky('d6'));
    const { turn } = await stage.say(sessionId, { content: 'Forget it.', busy: 'interrupt' });
    expect(turn.state).toBe('complete');
    expect((await ended(turnId)).call).toMatchObject({ state: 'cancelled' });
    expect((await stage.call('getAction', { params: { actionId: action.id } })).state).toBe('withdrawn');
  });

  it('a message may queue: the session still says that it waits', async () => {
    const { sessionId, turnId, action } = await asking(risky('d7'));
    const queued = await stage.send(sessionId, 'Later.');
    expect((await stage.session(sessionId)).status).toBe('waiting');
    const removed = await stage.send(sessionId, 'Taken back.');
    await stage.call('removeQueued', { params: { turnId: removed.turn.id } });
    expect((await stage.session(sessionId)).status).toBe('waiting');
    await answer(stage, action, { decision: 'once' });
    expect((await stage.settled(queued.turn.id)).state).toBe('complete');
    expect((await stage.turn(turnId)).state).toBe('complete');
  });

  it.each(['clearSession', 'deleteSession'] as const)('the session may be wiped by %s', async (route) => {
    const { sessionId, action } = await asking(risky('d8'));
    await stage.call(route, { params: { sessionId } });
    await stage.refused('action_not_found', 'answerAction', {
      params: { actionId: action.id },
      body: { decision: 'once' },
    });
    expect((await stage.call('listActions')).actions.map(({ id }) => id)).not.toContain(action.id);
    expect(shop.count('d8')).toBe(0);
  });
});
