import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAsTold, callsIn, kindsIn, resultsIn, wireMessages } from './calling.ts';
import { follow, isDurable } from './following.ts';
import { reconfigure } from './reconfigure.ts';
import { type ShopPlugin, startWithShop } from './shop-plugin.ts';
import type { TestServer } from './test-server.ts';

let shop: ShopPlugin;
let server: TestServer;

beforeAll(async () => {
  ({ server, shop } = await startWithShop({
    agents: ['ada', { agentId: 'bob', toolAllowlist: ['todo_*'], toolDenylist: ['todo_delete'] }],
    agent: { toolAllowlist: ['shop_*', 'todo_*'] },
    config: { approvals: { execute: 'allow' } },
  }));
});
afterAll(async () => {
  await server.close();
  shop.close();
});

describe('a turn that uses tools', () => {
  it('carries calls out, shows them in the message, and goes on with what came back', async () => {
    const { turn, answer } = await server.say(await server.open(), 'call todo_add {"title":"buy milk"}');
    expect(turn).toMatchObject({ state: 'complete', error: null });
    expect(kindsIn(answer!)).toEqual(['text', 'tool_call', 'tool_result', 'text']);
    const [call] = callsIn(answer!);
    expect(call).toMatchObject({ name: 'todo_add', input: '{"title":"buy milk"}', state: 'complete' });
    expect(call!.durationMs).toBeGreaterThanOrEqual(0);
    expect(resultsIn(answer!)[0]).toMatchObject({ callId: call!.callId, name: 'todo_add', isError: false });
    expect(answer!.text).toContain('Tools said: ');
    expect(answer!.text).toContain('buy milk');
    const list = await server.say(await server.open(), 'call todo_list {}');
    expect(list.answer!.text).toContain('buy milk');
  });

  it('takes as many steps as it needs; the results of each follow its calls', async () => {
    const wanted = 'call shop_count {"key":"s1"}; shop_count {"key":"s2"} then shop_count {"key":"s3"}';
    const { answer } = await server.say(await server.open(), wanted);
    expect(kindsIn(answer!)).toEqual([
      ...['text', 'tool_call', 'tool_call', 'tool_result', 'tool_result'],
      ...['text', 'tool_call', 'tool_result', 'text'],
    ]);
    expect(answer!.text).toBe('Step 0.\n\nStep 1.\n\nTools said: s3 counted');
    expect(['s1', 's2', 's3'].map((key) => shop.count(key))).toEqual([1, 1, 1]);
  });

  it('runs the calls of a step side by side: events in the order of completion, history in the order of calls', async () => {
    const id = await server.open();
    const keys = ['p1', 'p2', 'p3'];
    const { turn } = await server.send(id, `call ${keys.map((key) => `shop_wait {"key":"${key}"}`).join('; ')}`);
    await shop.arrived(...keys);
    for (const [index, key] of ['p3', 'p1', 'p2'].entries()) {
      shop.release(key);
      await follow(server, `/api/sessions/${id}/events?after=0`, endsOf(index + 1));
    }
    expect((await server.settled(turn.id)).state).toBe('complete');
    const frames = await follow(server, `/api/sessions/${id}/events?after=0`, (await server.session(id)).lastSeq);
    const ended = frames.filter(({ type }) => type === 'tool.ended').map(({ data }) => data.call.output);
    expect(ended).toEqual(['p3 done', 'p1 done', 'p2 done']);
    const [, answer] = await server.messages(id);
    expect(resultsIn(answer!).map(({ output }) => output)).toEqual(['p1 done', 'p2 done', 'p3 done']);
    const results = wireMessages(server.provider.requests.at(-1)!).filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => content)).toEqual(['p1 done', 'p2 done', 'p3 done']);
    expect(answer!.text).toContain('p1 done | p2 done | p3 done');
  });

  it('tells every step of a call, in order, before and after it happens', async () => {
    const id = await server.open();
    await server.say(id, 'call shop_count {"key":"told"}');
    const frames = await follow(server, `/api/sessions/${id}/events?after=0`, (await server.session(id)).lastSeq);
    const types = frames.filter(isDurable).map(({ type }) => type);
    expect(types.slice(types.indexOf('turn.started') + 1)).toEqual([
      'tool.started',
      'tool.ended',
      'message.created',
      'turn.settled',
    ]);
    const [started, ended] = frames.filter(({ type }) => type.startsWith('tool.')).map(({ data }) => data.call);
    expect(started).toMatchObject({ state: 'running', output: null, endedAt: null, via: 'model', step: 0, part: 1 });
    expect(ended).toMatchObject({ id: started.id, state: 'complete', output: 'told counted', actionId: null });
    expect(await server.call('getToolCall', { params: { callId: started.id } })).toEqual(ended);
  });

  it('lists what it did, in the order in which it was done', async () => {
    const { turn } = await server.say(
      await server.open(),
      'call shop_count {"key":"l1"}; shop_fail {"why":"no"} then todo_list {}',
    );
    const { calls } = await server.call('listToolCalls', { params: { turnId: turn.id } });
    expect(calls.map(({ name, state, step }) => [name, state, step])).toEqual([
      ['shop_count', 'complete', 0],
      ['shop_fail', 'failed', 0],
      ['todo_list', 'complete', 1],
    ]);
    await server.refused('turn_not_found', 'listToolCalls', { params: { turnId: 'nowhere' } });
    await server.refused('tool_call_not_found', 'getToolCall', { params: { callId: 'nowhere' } });
    await server.refused('tool_call_not_found', 'toolCallOutput', { params: { callId: 'nowhere' } });
  });

  it('may end without a word when it has done something', async () => {
    server.provider.script((request) =>
      request.body.messages && wireMessages(request).at(-1)!.role === 'tool' ? { steps: [] } : callAsTold(request),
    );
    const { turn, answer } = await server.say(await server.open(), 'call shop_count {"key":"silent"}');
    server.provider.script(callAsTold);
    expect(turn).toMatchObject({ state: 'complete', error: null });
    expect(answer!.text).toBe('Step 0.');
  });
});

function endsOf(count: number): (frame: { type: string }) => boolean {
  let seen = 0;
  return ({ type }) => type === 'tool.ended' && ++seen === count;
}

describe('a call that cannot be carried out', () => {
  it.each([
    ['of a tool that there is not', 'nothing_like_it {}', 'rejected', /Tool not found: nothing_like_it/],
    ['with arguments that are not JSON', 'shop_count {"key": oops', 'failed', /not valid JSON/],
    ['with arguments that are no object', 'shop_count [1]', 'failed', /shop_count: /],
    ['with arguments that are missing', 'shop_count {}', 'failed', /key is required/],
    [
      'with arguments nobody asked for',
      'shop_count {"key":"x","colour":"red"}',
      'failed',
      /colour is not a known field/,
    ],
    ['that fails', 'shop_fail {"why":"The shop is closed."}', 'failed', /^The shop is closed\.$/],
  ])('%s is told to the agent, and the turn goes on', async (_, call, state, words) => {
    const { turn, answer } = await server.say(await server.open(), `call ${call}; shop_count {"key":"beside"}`);
    expect(turn).toMatchObject({ state: 'complete', error: null });
    const [refused, beside] = resultsIn(answer!);
    expect(refused).toMatchObject({ isError: true, output: expect.stringMatching(words) });
    expect(beside).toMatchObject({ isError: false, output: 'beside counted' });
    expect(callsIn(answer!).map((part) => part.state)).toEqual([state, 'complete']);
    const told = wireMessages(server.provider.requests.at(-1)!).filter(({ role }) => role === 'tool');
    expect(told.map(({ content }) => content)).toEqual([`Error: ${refused!.output}`, 'beside counted']);
  });

  it('because of the agent’s scope names the rule; what is not offered cannot be called either', async () => {
    const { answer } = await server.say(
      await server.open('bob'),
      'call todo_delete {"id":"x"}; shop_count {"key":"forbidden"}',
    );
    const [denied, notAllowed] = callsIn(answer!);
    expect(denied).toMatchObject({ state: 'rejected', reason: expect.stringContaining('toolDenylist') });
    expect(notAllowed).toMatchObject({ state: 'rejected', reason: expect.stringContaining('toolAllowlist') });
    expect(denied!.reasonText).toMatchObject({ key: 'scope.blocked', values: { list: 'toolDenylist', agent: 'bob' } });
    expect(notAllowed!.reasonText).toMatchObject({ key: 'scope.notListed', values: { name: 'shop_count' } });
    expect(resultsIn(answer!).map(({ output }) => output)).toEqual([denied!.reason, notAllowed!.reason]);
    expect(shop.count('forbidden')).toBe(0);
    const offered = server.provider.requests.at(-1)!.body.tools as { function: { name: string } }[];
    const names = offered.map((tool) => tool.function.name);
    expect(names).toContain('todo_add');
    expect(names).not.toContain('todo_delete');
    expect(names).not.toContain('shop_count');
  });

  it('because of a defect does not tell what the defect said', async () => {
    const id = await server.open();
    const { turn, answer } = await server.say(id, 'call shop_break {}');
    expect(turn.state).toBe('complete');
    expect(resultsIn(answer!)[0]).toMatchObject({ isError: true, output: 'The tool failed unexpectedly.' });
    const frames = await follow(server, `/api/sessions/${id}/events?after=0`, (await server.session(id)).lastSeq);
    const everywhere = JSON.stringify([frames, answer, server.provider.requests.at(-1)!.body]);
    expect(everywhere).not.toMatch(/swordfish|shadow/);
    expect(server.parley.stderr).toContain('the tool shop_break failed with an internal error');
  });

  it('in the time a call may take is given up, and really stopped', async () => {
    await reconfigure(server, (settings) => Object.assign(settings, { limits: { toolMs: 300 } }));
    const { turn, answer } = await server.say(await server.open(), 'call shop_wait {"key":"never"}');
    expect(turn.state).toBe('complete');
    expect(callsIn(answer!)[0]).toMatchObject({ state: 'failed' });
    expect(resultsIn(answer!)[0]!.output).toBe('The tool call took longer than allowed.');
    await shop.gaveUp('never');
    await reconfigure(server, (settings) => Object.assign(settings, { limits: {} }));
  });
});

describe('a guest', () => {
  it('has no tools: none are offered, and a call is rejected in plain sight', async () => {
    const id = await server.open('bob');
    const { turn, answer } = await server.say(id, { content: 'call shop_count {"key":"guest"}', guest: 'ada' });
    expect(server.provider.requests.at(-1)!.body.tools).toBeUndefined();
    expect(turn).toMatchObject({ state: 'complete', guest: true });
    expect(callsIn(answer!)).toMatchObject([{ name: 'shop_count', state: 'rejected' }]);
    expect(resultsIn(answer!)).toEqual([]);
    expect(shop.count('guest')).toBe(0);
    expect((await server.call('listToolCalls', { params: { turnId: turn.id } })).calls).toEqual([]);
  });

  it('that has used tools as itself is not reminded of them', async () => {
    const id = await server.open();
    await server.say(id, 'call shop_count {"key":"before"}');
    await server.say(id, { content: 'Now bob.', agent: 'bob' });
    await server.say(id, { content: 'And you?', guest: 'ada' });
    const messages = wireMessages(server.provider.requests.at(-1)!);
    expect(messages.some(({ role, tool_calls }) => role === 'tool' || tool_calls)).toBe(false);
    expect(JSON.stringify(messages)).toContain('Tools said: before counted');
  });
});
