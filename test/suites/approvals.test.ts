import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, answerNext, waitingIn } from './answering.ts';
import { callsIn, resultsIn, wireMessages } from './calling.ts';
import { follow, isDurable } from './following.ts';
import { reconfigure, reconfigureAgent } from './reconfigure.ts';
import { type ShopPlugin, startWithShop } from './shop-plugin.ts';
import type { TestServer } from './test-server.ts';

let shop: ShopPlugin;
let server: TestServer;

const BOB = { agentId: 'bob', approvals: { shop_count: 'deny', 'shop_*': 'ask' } };

beforeAll(async () => {
  ({ server, shop } = await startWithShop({
    agents: ['ada', BOB],
    agent: { toolAllowlist: ['shop_*'] },
  }));
});
afterAll(async () => {
  await server.close();
  shop.close();
});

/** A turn that waits for an approval of every call. */
async function asking(calls: string, { agent = 'ada', count = 1 } = {}) {
  const sessionId = await server.open(agent);
  const { turn } = await server.send(sessionId, `call ${calls}`);
  const actions = await waitingIn(server, sessionId, count);
  return { sessionId, turnId: turn.id, actions, action: actions[0]! };
}

async function ended(turnId: string) {
  const turn = await server.settled(turnId);
  const said = (await server.call('getTurn', { params: { turnId } })).answer!;
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
    const { calls } = await server.call('listToolCalls', { params: { turnId } });
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
    expect((await server.turn(turnId)).state).toBe('waiting');
    expect((await server.session(sessionId)).status).toBe('waiting');
    expect(shop.count('a1')).toBe(0);
    await server.cancelTurn(turnId);
  });

  it('runs once when it is approved once, and asks again the next time', async () => {
    const { sessionId, turnId, action } = await asking(`${risky('a2')} then ${risky('a2')}`);
    const answered = await answer(server, action, { decision: 'once' });
    expect(answered).toMatchObject({ state: 'answered', answer: { decision: 'once' }, settledAt: expect.any(String) });
    await answerNext(server, sessionId, { decision: 'deny' });
    const { turn, said } = await ended(turnId);
    expect(turn.state).toBe('complete');
    expect(callsIn(said).map(({ state }) => state)).toEqual(['complete', 'denied']);
    expect(shop.count('a2')).toBe(1);
    expect((await server.call('listGrants')).grants).toEqual([]);
    const { lastSeq } = await server.session(sessionId);
    const frames = await follow(server, `/api/sessions/${sessionId}/events?after=0`, lastSeq);
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
    await answer(server, action, body);
    const { turn, call, result } = await ended(turnId);
    expect(turn.state).toBe('complete');
    expect(call).toMatchObject({ state: 'denied', reason: words });
    expect(result).toMatchObject({ isError: true, output: words });
    expect(wireMessages(server.provider.requests.at(-1)!).at(-1)).toMatchObject({ content: `Error: ${words}` });
    expect(shop.count('a3')).toBe(0);
  });

  it('runs with the arguments the person made of it, and shows them everywhere', async () => {
    const { turnId, action } = await asking(risky('asked'));
    await answer(server, action, { decision: 'once', input: { key: 'edited' } });
    const { call, result } = await ended(turnId);
    expect([shop.count('asked'), shop.count('edited')]).toEqual([0, 1]);
    expect(call).toMatchObject({ state: 'complete', input: '{"key":"edited"}' });
    expect(result.output).toBe('edited counted');
    const { calls } = await server.call('listToolCalls', { params: { turnId } });
    expect(calls[0]!.input).toBe('{"key":"edited"}');
    const shown = await server.call('getAction', { params: { actionId: action.id } });
    expect(shown).toMatchObject({ approval: { input: '{"key":"asked"}' }, answer: { input: { key: 'edited' } } });
    const told = wireMessages(server.provider.requests.at(-1)!).find(({ tool_calls }) => tool_calls);
    expect(told!.tool_calls![0]!.function.arguments).toBe('{"key":"edited"}');
  });

  it('beside others waits for its own answer; none takes the place of another', async () => {
    const wanted = `${risky('b1')}; shop_wait {"key":"b2"}; ${risky('b3')}; ${risky('b4')}`;
    const { sessionId, turnId, actions } = await asking(wanted, { count: 3 });
    expect(actions.map(({ approval }) => approval!.input)).toEqual(['{"key":"b1"}', '{"key":"b3"}', '{"key":"b4"}']);
    await answer(server, actions[2]!, { decision: 'once' });
    shop.release('b2');
    expect((await server.turn(turnId)).state).toBe('waiting');
    await Promise.all([
      answer(server, actions[0]!, { decision: 'deny', reason: 'No b1.' }),
      answer(server, actions[1]!, { decision: 'once', input: { key: 'b3 edited' } }),
    ]);
    const { said } = await ended(turnId);
    expect(callsIn(said).map(({ state }) => state)).toEqual(['denied', 'complete', 'complete', 'complete']);
    expect(resultsIn(said).map(({ output }) => output)).toEqual([
      'The user denied this call: No b1.',
      'b2 done',
      'b3 edited counted',
      'b4 counted',
    ]);
    expect(await server.session(sessionId)).toMatchObject({ status: 'active' });
  });

  it('needs none where the policy says deny: the rule is named', async () => {
    const { turn, answer: said } = await server.say(await server.open('bob'), 'call shop_count {"key":"never"}');
    expect(turn.state).toBe('complete');
    expect(callsIn(said!)[0]).toMatchObject({
      state: 'denied',
      reason: 'Blocked by the configuration: approvals of bob sets "shop_count" to deny.',
    });
    expect(shop.count('never')).toBe(0);
  });

  it('is not asked for when it could not be carried out anyway', async () => {
    const { answer: said } = await server.say(await server.open(), 'call shop_risky {"wrong":1}');
    expect(callsIn(said!)[0]).toMatchObject({ state: 'failed' });
  });
});

describe('an answer', () => {
  it('counts once: whoever comes second is told what was answered', async () => {
    const { turnId, action } = await asking(risky('c1'));
    const params = { actionId: action.id };
    const all = await Promise.all(
      ['once', 'deny', 'once', 'deny'].map((decision) => server.ask('answerAction', { params, body: { decision } })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const { state } = (await ended(turnId)).call;
    const { answer: kept } = await server.call('getAction', { params });
    expect(state).toBe(kept!.decision === 'once' ? 'complete' : 'denied');
    const problem = await server.refused('action_settled', 'answerAction', { params, body: { decision: 'always' } });
    expect(problem.detail).toContain(`answered (${kept!.decision})`);
    expect(shop.count('c1')).toBe(state === 'complete' ? 1 : 0);
    expect((await server.call('listGrants')).grants).toEqual([]);
  });

  it('of the wrong kind is refused, and what was asked stays open', async () => {
    const { turnId, action } = await asking(risky('c2'));
    const params = { actionId: action.id };
    for (const decision of ['answer', 'decline', 'continue', 'stop', 'retry', 'dismiss'])
      await server.refused('action_answer_invalid', 'answerAction', { params, body: { decision } });
    for (const body of [
      { decision: 'deny', input: { key: 'x' } },
      { decision: 'once', input: { wrong: 1 } },
    ])
      await server.refused('action_answer_invalid', 'answerAction', { params, body });
    for (const body of [{}, { decision: 'yes' }, { decision: 'once', extra: 1 }])
      await server.refused('invalid_request', 'answerAction', { params, body });
    expect((await server.call('getAction', { params })).state).toBe('open');
    await answer(server, action, { decision: 'once' });
    expect((await ended(turnId)).call.state).toBe('complete');
  });

  it('to something that there is not is refused', async () => {
    const params = { actionId: 'nothing' };
    await server.refused('action_not_found', 'getAction', { params });
    await server.refused('action_not_found', 'answerAction', { params, body: { decision: 'once' } });
  });
});

describe('between the question and the answer', () => {
  it('the scope may change: then an approval no longer helps, and the rule is named', async () => {
    const { turnId, action } = await asking(risky('d1'));
    await reconfigureAgent(server, 'ada', { toolDenylist: ['shop_risky'] });
    await answer(server, action, { decision: 'always' });
    const { turn, call } = await ended(turnId);
    expect(turn.state).toBe('complete');
    expect(call).toMatchObject({ state: 'rejected', reason: expect.stringContaining('toolDenylist') });
    expect(shop.count('d1')).toBe(0);
    await reconfigureAgent(server, 'ada', { toolDenylist: [] });
    for (const { id: grantId } of (await server.call('listGrants')).grants)
      await server.call('revokeGrant', { params: { grantId } });
  });

  it('the policy may change to deny', async () => {
    const { turnId, action } = await asking(risky('d2'));
    await reconfigure(server, (settings) => Object.assign(settings, { approvals: { execute: 'deny' } }));
    await answer(server, action, { decision: 'once' });
    expect((await ended(turnId)).call).toMatchObject({ state: 'denied', reason: expect.stringContaining('deny') });
    await reconfigure(server, (settings) => Object.assign(settings, { approvals: {} }));
    expect(shop.count('d2')).toBe(0);
  });

  it('the session may be made read-only', async () => {
    const { sessionId, turnId, action } = await asking(risky('d3'));
    await server.call('patchSession', { params: { sessionId }, body: { mode: 'read-only' } });
    await answer(server, action, { decision: 'once' });
    expect((await ended(turnId)).call).toMatchObject({ state: 'rejected' });
    expect(shop.count('d3')).toBe(0);
  });

  it('the agent may go', async () => {
    const { turnId, action } = await asking(risky('d4'), { agent: 'bob' });
    await reconfigure(server, (settings) => settings.agents.pop());
    expect((await ended(turnId)).call).toMatchObject({ state: 'cancelled' });
    await server.refused('action_settled', 'answerAction', {
      params: { actionId: action.id },
      body: { decision: 'once' },
    });
    expect(shop.count('d4')).toBe(0);
    await reconfigure(server, (settings) => settings.agents.push({ ...settings.agents[0], ...BOB }));
  });

  it('the turn may be cancelled: what was asked is withdrawn, and nothing was done', async () => {
    const { sessionId, turnId, action } = await asking(risky('d5'));
    await server.cancelTurn(turnId);
    const { call, result } = await ended(turnId);
    expect(call).toMatchObject({ state: 'cancelled' });
    expect(result.output).toContain('Not run');
    expect(await waitingIn(server, sessionId, 0)).toEqual([]);
    const params = { actionId: action.id };
    expect(await server.call('getAction', { params })).toMatchObject({ state: 'withdrawn', answer: null });
    const problem = await server.refused('action_settled', 'answerAction', { params, body: { decision: 'once' } });
    expect(problem.detail).toContain('withdrawn');
    expect(shop.count('d5')).toBe(0);
    expect((await server.session(sessionId)).status).toBe('active');
  });

  it('a message may interrupt it', async () => {
    const { sessionId, turnId, action } = await asking(risky('d6'));
    const { turn } = await server.say(sessionId, { content: 'Forget it.', busy: 'interrupt' });
    expect(turn.state).toBe('complete');
    expect((await ended(turnId)).call).toMatchObject({ state: 'cancelled' });
    expect((await server.call('getAction', { params: { actionId: action.id } })).state).toBe('withdrawn');
  });

  it('a message may queue: the session still says that it waits', async () => {
    const { sessionId, turnId, action } = await asking(risky('d7'));
    const queued = await server.send(sessionId, 'Later.');
    expect((await server.session(sessionId)).status).toBe('waiting');
    const removed = await server.send(sessionId, 'Taken back.');
    await server.call('removeQueued', { params: { turnId: removed.turn.id } });
    expect((await server.session(sessionId)).status).toBe('waiting');
    await answer(server, action, { decision: 'once' });
    expect((await server.settled(queued.turn.id)).state).toBe('complete');
    expect((await server.turn(turnId)).state).toBe('complete');
  });

  it.each(['clearSession', 'deleteSession'] as const)('the session may be wiped by %s', async (route) => {
    const { sessionId, action } = await asking(risky('d8'));
    await server.call(route, { params: { sessionId } });
    await server.refused('action_not_found', 'answerAction', {
      params: { actionId: action.id },
      body: { decision: 'once' },
    });
    expect((await server.call('listActions')).actions.map(({ id }) => id)).not.toContain(action.id);
    expect(shop.count('d8')).toBe(0);
  });
});
