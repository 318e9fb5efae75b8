import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Action, Decision } from '../../contract/actions.ts';
import { until } from '../harness/parley.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { ASKING, ASYNC, CREATE, type DelegatingAgents, startDelegating } from './delegating.ts';
import { answersIn, ask, call, type ScriptedAnswer } from './scripted-agents.ts';
import type { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: DelegatingAgents;
beforeAll(async () => {
  ({ server, scripted } = await startDelegating({
    agents: ['ada', 'bob', 'eve', 'finn', 'gus'],
    agent: ASKING,
    config: {
      delegation: { depth: 2, fanOut: 2, turnsPerRoot: 6, tokensPerRoot: 10_000, costPerRoot: 2 },
      limits: { stepsPerTurn: 4 },
      prices: { 'model-of-finn': { input: 1000, output: 0 } },
    },
  }));
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

async function openActions(sessionId: string, count = 1): Promise<Action[]> {
  const { actions } = await until(
    () => server.call('listActions', { query: { session: sessionId } }),
    (found) => found.actions.length === count,
  );
  return actions;
}

function answer(action: Action, decision: Decision) {
  return server.call('answerAction', { params: { actionId: action.id }, body: { decision } });
}

async function begin(by = 'ada') {
  const id = await server.open(by);
  const { turn } = await server.send(id, 'Go.');
  return { id, turn };
}

/** Its last words. */
async function lastWords(sessionId: string): Promise<string> {
  return (await server.messages(sessionId)).at(-1)!.text.split('\n\n').at(-1)!;
}

const codes: ScriptedAnswer = (request) =>
  answersIn(request)
    .map(({ status, code }) => code ?? status)
    .join();

describe('depth', () => {
  function chain() {
    scripted.answers('ada', [ask('bob', 'one', CREATE)], codes);
    scripted.answers('bob', [ask('eve', 'two', CREATE)], codes);
    scripted.answers('eve', [ask('finn', 'three', CREATE)], codes);
  }

  it('up to the limit nobody is asked', async () => {
    scripted.answers('ada', [ask('bob', 'one', CREATE)], codes);
    scripted.answers('bob', [ask('eve', 'two', CREATE)], codes);
    const { id } = await begin();
    await until(
      () => server.session(id),
      ({ status }) => status === 'active',
    );
    expect(await lastWords(id)).toBe('complete');
  });

  it('past it everybody waits for the person, who sees the chain; continue goes on', async () => {
    chain();
    const { id, turn } = await begin();
    const [action] = await openActions(id);
    expect(action).toMatchObject({ kind: 'limit', agentId: 'eve', limit: { limit: 'depth', allowed: 2, wanted: 3 } });
    expect(action!.chain.map(({ agentId }) => agentId)).toEqual(['ada', 'bob', 'eve']);
    await until(
      () => server.turn(turn.id),
      ({ state }) => state === 'waiting',
    );
    await answer(action!, 'continue');
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
    expect(await lastWords(id)).toBe('complete');
  });

  it('stop refuses that one step with a stable code, and the rest goes on', async () => {
    chain();
    const { id, turn } = await begin();
    const [action] = await openActions(id);
    await answer(action!, 'stop');
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
    const eve = server.provider.requests.findLast(({ body }) => body.model === 'model-of-eve')!;
    expect(answersIn(eve)[0]).toMatchObject({ status: 'error', code: 'delegation_stopped', agentId: 'finn' });
  });
});

describe('fan-out', () => {
  const many = (...agents: string[]) => agents.map((agentId, index) => ask(agentId, 'x'.repeat(index + 1), CREATE));

  it('counts those who work at the same moment, also when all are asked in one step', async () => {
    const done = gate();
    const slow: ScriptedAnswer = [...text('Hm'), { kind: 'gate', until: done.until }];
    for (const agentId of ['bob', 'eve', 'finn', 'gus']) scripted.answers(agentId, slow);
    scripted.answers('ada', many('bob', 'eve', 'finn', 'gus'), codes);
    const { id, turn } = await begin();
    const [action] = await openActions(id);
    expect(action).toMatchObject({ kind: 'limit', agentId: 'ada', limit: { limit: 'fanOut', allowed: 2, wanted: 3 } });
    const { root } = await server.call('turnTree', { params: { turnId: turn.id } });
    expect(root.children).toHaveLength(2);
    await answer(action!, 'continue');
    await until(
      () => server.call('turnTree', { params: { turnId: turn.id } }),
      (tree) => tree.root.children.length === 4,
    );
    done.open();
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
    expect(await lastWords(id)).toBe('complete,complete,complete,complete');
    expect((await server.call('listActions', { query: { session: id } })).actions).toEqual([]);
  });

  it('stop refuses all that were too many', async () => {
    const done = gate();
    const slow: ScriptedAnswer = [...text('Hm'), { kind: 'gate', until: done.until }];
    for (const agentId of ['bob', 'eve', 'finn', 'gus']) scripted.answers(agentId, slow);
    scripted.answers('ada', many('bob', 'eve', 'finn', 'gus'), codes);
    const { id, turn } = await begin();
    await answer((await openActions(id))[0]!, 'stop');
    done.open();
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
    const results = (await lastWords(id)).split(',').toSorted();
    expect(results).toEqual(['complete', 'complete', 'delegation_stopped', 'delegation_stopped']);
  });

  it('two at a time are two at a time, however many there are', async () => {
    scripted.answers('ada', many('bob', 'eve'), many('finn', 'gus'), codes);
    const { id } = await begin();
    await until(
      () => server.session(id),
      ({ status }) => status === 'active',
    );
    expect(await lastWords(id)).toBe('complete,complete');
  });
});

describe('turns for one request', () => {
  /** Two agents that would talk to each other until the end of time. */
  function pingPong(rounds: number) {
    const lines: ScriptedAnswer[] = [];
    for (let round = 0; round < rounds; round++) lines.push([ask('bob', `round ${round}`, ASYNC)], 'I wait.');
    scripted.answers('ada', ...lines);
  }

  async function turnsIn(turnId: string): Promise<number> {
    const { root } = await server.call('turnTree', { params: { turnId } });
    return 1 + root.children.length + root.children.flatMap((child) => child.children).length;
  }

  it('an endless exchange of async messages comes to a stop at the limit, and ends there when the person says so', async () => {
    pingPong(10);
    const { id, turn } = await begin();
    const [action] = await openActions(id);
    expect(action).toMatchObject({ kind: 'limit', limit: { limit: 'turnsPerRoot', allowed: 6, wanted: 8 } });
    expect((await server.session(id)).status).toBe('waiting');
    await answer(action!, 'stop');
    await until(
      () => server.session(id),
      ({ status }) => status === 'active',
    );
    expect(await turnsIn(turn.id)).toBeLessThanOrEqual(7);
    expect((await server.call('listActions', { query: { session: id } })).actions).toEqual([]);
  });

  it('continue allows as many again, and then asks again', async () => {
    pingPong(10);
    const { id, turn } = await begin();
    const [first] = await openActions(id);
    await answer(first!, 'continue');
    const second = await until(
      async () => (await openActions(id))[0]!,
      (action) => action.id !== first!.id,
    );
    expect(second).toMatchObject({ limit: { limit: 'turnsPerRoot', allowed: 12, wanted: 14 } });
    expect(await turnsIn(turn.id)).toBeGreaterThan(9);
    await answer(second, 'stop');
    await until(
      () => server.session(id),
      ({ status }) => status === 'active',
    );
  });
});

describe('steps of one turn', () => {
  const steps = (count: number): ScriptedAnswer[] => Array.from({ length: count }, () => [call('agents_list', {})]);

  it('past the limit the person is asked; continue goes on', async () => {
    scripted.answers('ada', ...steps(4), 'Done.');
    const { id, turn } = await begin();
    const [action] = await openActions(id);
    expect(action).toMatchObject({ limit: { limit: 'stepsPerTurn', allowed: 4, wanted: 5 } });
    await answer(action!, 'continue');
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete', stopReason: 'stop' });
    expect(await lastWords(id)).toBe('Done.');
  });

  it('stop ends the turn with what was done', async () => {
    scripted.answers('ada', ...steps(4), 'Done.');
    const { id, turn } = await begin();
    await answer((await openActions(id))[0]!, 'stop');
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete', stopReason: 'limit_stop' });
    expect((await server.session(id)).status).toBe('active');
  });
});

describe('budgets', () => {
  const dear = (input: number, steps: readonly ReturnType<typeof call>[] = []) => ({
    steps: steps.length > 0 ? steps : text('Said.'),
    usage: { input, output: 5 },
  });

  it('tokens of the whole tree count; past the budget the next step asks', async () => {
    scripted.answers('ada', dear(4000, [ask('bob', 'one', CREATE)]), 'All done.');
    scripted.answers('bob', dear(6000));
    const { id, turn } = await begin();
    const [action] = await openActions(id);
    expect(action).toMatchObject({
      agentId: 'ada',
      limit: { limit: 'tokensPerRoot', allowed: 10_000, wanted: 10_010 },
    });
    await answer(action!, 'continue');
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete', stopReason: 'stop' });
    expect(await lastWords(id)).toBe('All done.');
  });

  it('stop ends it there', async () => {
    scripted.answers('ada', dear(10_000, [ask('bob', 'one', CREATE)]), 'Never said.');
    const { id, turn } = await begin();
    // The delegate asks first: it works for the same budget.
    const [action] = await openActions(id);
    expect(action).toMatchObject({ agentId: 'bob', limit: { limit: 'tokensPerRoot' } });
    await answer(action!, 'stop');
    await answer((await openActions(id))[0]!, 'stop');
    expect(await server.settled(turn.id)).toMatchObject({ stopReason: 'limit_stop' });
    expect(await server.transcript(id)).not.toContain('ada: Never said.');
  });

  it('money counts by the configured prices', async () => {
    scripted.answers('finn', dear(2000, [call('agents_list', {})]), 'Done.');
    const { id, turn } = await begin('finn');
    const [action] = await openActions(id);
    expect(action).toMatchObject({ limit: { limit: 'costPerRoot', allowed: 2, wanted: 2 } });
    await answer(action!, 'continue');
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete', usage: { cost: expect.closeTo(2.01) } });
  });
});

describe('a limit that nobody is there to answer', () => {
  it('goes with the turn when that is cancelled', async () => {
    scripted.answers('ada', ...Array.from({ length: 4 }, () => [call('agents_list', {})]), 'Done.');
    const { id, turn } = await begin();
    const [action] = await openActions(id);
    expect((await server.cancelTurn(turn.id)).cancelled).toEqual([turn.id]);
    expect(await server.call('getAction', { params: { actionId: action!.id } })).toMatchObject({ state: 'withdrawn' });
    await server.refused('action_settled', 'answerAction', {
      params: { actionId: action!.id },
      body: { decision: 'continue' },
    });
    expect((await server.session(id)).status).toBe('active');
  });

  it('takes only the answers that fit it', async () => {
    scripted.answers('ada', ...Array.from({ length: 4 }, () => [call('agents_list', {})]), 'Done.');
    const { id, turn } = await begin();
    const [action] = await openActions(id);
    const params = { actionId: action!.id };
    await server.refused('action_answer_invalid', 'answerAction', { params, body: { decision: 'once' } });
    await server.cancelTurn(turn.id);
  });
});
