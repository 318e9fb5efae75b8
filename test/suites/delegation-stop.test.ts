import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import { gate } from '../harness/scripted-script.ts';
import { type AgentsAnswer, answersIn, ask } from './cast.ts';
import { ASYNC, CREATE, type DelegatingCast, held, PEERS, startDelegating } from './delegating.ts';
import { idle } from './looking.ts';
import type { Stage } from './stage.ts';

let stage: Stage;
let cast: DelegatingCast;
beforeAll(async () => {
  ({ stage, cast } = await startDelegating(PEERS));
});
beforeEach(() => cast.clear());
afterAll(() => stage.close());

describe('stopping', () => {
  it('a caller stops everything done for it, what works and what waits, and nobody is woken by that', async () => {
    const never = gate();
    const busy = await stage.open('eve');
    cast.plays('eve', held(never));
    await stage.send(busy, 'Be busy.');
    await stage.speaking(busy, 'So far');
    cast.plays('bob', held(never));
    cast.plays(
      'ada',
      [ask('bob', 'async', ASYNC), ask('eve', 'queued one', { session: busy, mode: 'async' })],
      held(never),
    );
    const sessionId = await stage.open('ada');
    const { turn } = await stage.send(sessionId, 'Go.');
    await stage.speaking(sessionId, 'So far');
    const { root } = await stage.call('turnTree', { params: { turnId: turn.id } });
    const children = root.children.map((child) => child.turn);
    expect(children.map(({ agentId, state }) => [agentId, state])).toEqual([
      ['bob', 'running'],
      ['eve', 'queued'],
    ]);
    const { cancelled } = await stage.cancelTurn(turn.id);
    expect(cancelled.toSorted()).toEqual([turn.id, ...children.map(({ id }) => id)].toSorted());
    for (const { id } of children)
      expect(await stage.turn(id)).toMatchObject({ state: 'cancelled', stopReason: 'parent_stopped' });
    expect(await idle(stage, sessionId)).toEqual(['user: Go.', 'ada: So far']);
    expect(await stage.turns(sessionId)).toHaveLength(1);
    await stage.call('cancelSession', { params: { sessionId: busy } });
  });

  it('a sync chain stops from the top to the bottom', async () => {
    const never = gate();
    cast.plays('ada', [ask('eve', 'one', CREATE)]);
    cast.plays('eve', [ask('bob', 'two', CREATE)]);
    cast.plays('bob', held(never));
    const sessionId = await stage.open('ada');
    const { turn } = await stage.send(sessionId, 'Go.');
    const tree = () => stage.call('turnTree', { params: { turnId: turn.id } });
    const { root } = await until(tree, (found) => found.root.children[0]?.children.length === 1);
    const leaf = root.children[0]!.children[0]!.turn;
    await stage.speaking(leaf.sessionId, 'So far');
    expect((await stage.call('cancelSession', { params: { sessionId } })).cancelled).toHaveLength(3);
    const { root: over } = await tree();
    expect([over, over.children[0]!, over.children[0]!.children[0]!].map((node) => node.turn.state)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    expect(await stage.messages(leaf.sessionId)).toMatchObject([
      { agent: 'eve' },
      { text: 'So far', status: 'interrupted' },
    ]);
  });

  it('a caller whose session is deleted takes along what it waits for', async () => {
    const never = gate();
    cast.plays('ada', [ask('bob', 'one', CREATE)]);
    cast.plays('bob', held(never));
    const sessionId = await stage.open('ada');
    const { turn } = await stage.send(sessionId, 'Go.');
    const { root } = await until(
      () => stage.call('turnTree', { params: { turnId: turn.id } }),
      (found) => found.root.children.length === 1,
    );
    const child = root.children[0]!.turn;
    await stage.speaking(child.sessionId, 'So far');
    await stage.call('deleteSession', { params: { sessionId } });
    expect(await stage.settled(child.id)).toMatchObject({ state: 'cancelled', stopReason: 'parent_stopped' });
    expect((await stage.session(child.sessionId)).status).toBe('active');
  });

  it('leaves async work of a caller alone that is already done', async () => {
    const done = gate();
    cast.plays('bob', held(done));
    const { answers, sessionId, turnId } = await cast.asks('ada', [
      ask('bob', 'Slowly.', { ...ASYNC, notify: 'message' }),
    ]);
    await stage.cancelTurn(turnId);
    await stage.call('cancelSession', { params: { sessionId } });
    expect((await stage.turn(answers[0]!.responseId)).state).toBe('running');
    done.open();
    await stage.settled(answers[0]!.responseId);
    expect((await idle(stage, sessionId)).at(-1)).toBe('bob: So far and done.');
  });

  it('a message that interrupts the caller stops what it waits for, and leaves async work alone', async () => {
    const [never, done] = [gate(), gate()];
    cast.plays('bob', held(done));
    cast.plays('eve', held(never));
    cast.plays('ada', [ask('bob', 'async', { ...ASYNC, notify: 'message' }), ask('eve', 'and now', CREATE)], 'Yes?');
    const sessionId = await stage.open('ada');
    const { turn } = await stage.send(sessionId, 'Go.');
    const { root } = await until(
      () => stage.call('turnTree', { params: { turnId: turn.id } }),
      (found) => found.root.children.length === 2,
    );
    const [bob, eve] = root.children.map((child) => child.turn);
    await stage.speaking(eve!.sessionId, 'So far');
    const second = await stage.say(sessionId, { content: 'Stop that.', busy: 'interrupt' });
    expect(second.turn.state).toBe('complete');
    expect(await stage.turn(turn.id)).toMatchObject({ state: 'interrupted', stopReason: 'interrupted_by_message' });
    expect(await stage.settled(eve!.id)).toMatchObject({ state: 'cancelled', stopReason: 'parent_stopped' });
    expect((await stage.turn(bob!.id)).state).toBe('running');
    done.open();
    await stage.settled(bob!.id);
    expect(await idle(stage, sessionId)).toEqual([
      'user: Go.',
      'ada: ',
      'user: Stop that.',
      'ada: Yes?',
      'bob: So far and done.',
    ]);
  });

  it('a waiting delegate is cancelled, never taken back: somebody waits for it', async () => {
    const first = gate();
    const busy = await stage.open('bob');
    cast.plays('bob', held(first));
    await stage.send(busy, 'Something long.');
    await stage.speaking(busy, 'So far');
    let got: AgentsAnswer[] = [];
    cast.plays('ada', [ask('bob', 'Me next.', { session: busy })], (request) => {
      got = answersIn(request);
      return 'Then not.';
    });
    const { turn } = await stage.send(await stage.open('ada'), 'Go.');
    const { queue } = await until(
      () => stage.call('listQueue', { params: { sessionId: busy } }),
      (found) => found.queue.length === 1,
    );
    const queued = queue[0]!.turn.id;
    await stage.refused('turn_not_queued', 'removeQueued', { params: { turnId: queued } });
    expect((await stage.cancelTurn(queued)).cancelled).toEqual([queued]);
    await stage.settled(turn.id);
    expect(got[0]).toMatchObject({ status: 'cancelled', code: 'delegate_cancelled' });
    first.open();
    await idle(stage, busy);
  });
});
