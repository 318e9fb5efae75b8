import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Turn } from '../../contract/turns.ts';
import { until } from '../harness/parley.ts';
import { gate } from '../harness/scripted-script.ts';
import { readFrames } from '../harness/sse-frames.ts';
import { type AgentsAnswer, answersIn, ask } from './cast.ts';
import { ASYNC, CREATE, type DelegatingCast, held, PEERS, startDelegating } from './delegating.ts';
import { eventsOf, idle } from './looking.ts';
import type { Stage } from './stage.ts';

let stage: Stage;
let cast: DelegatingCast;
beforeAll(async () => {
  ({ stage, cast } = await startDelegating(PEERS));
});
beforeEach(() => cast.clear());
afterAll(() => stage.close());

/** Has an agent answer in its session with a sender; gives back that session. */
async function sendByKey(agent: string, sender: string): Promise<string> {
  const response = await stage.parley.fetch('POST', '/api/stream', { agent, sender, content: 'Go.' });
  const frames = [];
  for await (const frame of readFrames(response)) frames.push(frame);
  return frames[0]!.data.sessionId;
}

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
    const request = stage.provider.requests.findLast(({ body }) => body.model === 'model-of-bob')!;
    await stage.call('deleteSession', { params: { sessionId } });
    await request.closed;
    expect(request.abortedAt).toBeDefined();
    await stage.refused('session_not_found', 'getSession', { params: { sessionId: child.sessionId } });
  });

  describe.each([
    ['session', ({ sessionId }: Turn) => stage.call('cancelSession', { params: { sessionId } })],
    ['turn', ({ id }: Turn) => stage.cancelTurn(id)],
    ['key', () => stage.call('kill', { body: { agent: 'ada', sender: 'key' } })],
  ] as const)('a caller that is done, cancelled by its %s', (sender, cancel) => {
    it('stops the async work it left behind, and is not woken', async () => {
      const never = gate();
      cast.plays('bob', [ask('eve', 'Deeper.', ASYNC)], 'Eve is at it.');
      cast.plays('eve', held(never));
      cast.plays('ada', [ask('bob', 'Slowly.', CREATE)], 'I go on.');
      const sessionId = await sendByKey('ada', sender);
      const turn = (await stage.turns(sessionId))[0]!;
      expect(turn.state).toBe('complete');
      const { root } = await stage.call('turnTree', { params: { turnId: turn.id } });
      const eve = root.children[0]!.children[0]!.turn;
      await stage.speaking(eve.sessionId, 'So far');
      const { cancelled } = await cancel(turn);
      expect(cancelled).toEqual([eve.id]);
      expect(await stage.turn(eve.id)).toMatchObject({ state: 'cancelled', stopReason: 'parent_stopped' });
      expect(await stage.turns(turn.sessionId)).toHaveLength(1);
    });
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

/** An async delegate at work for a caller whose turn is over. */
async function leaveAtWork(later = 'Noted.') {
  const { answers, sessionId, turnId } = await cast.asks('ada', [ask('bob', 'Paint the quagga.', ASYNC)], later);
  const { responseId, sessionId: childId } = answers[0]!;
  await stage.speaking(childId!, 'So far');
  return { sessionId, turnId, childId: childId!, childTurnId: responseId };
}

describe('a session that is removed while a delegate works', () => {
  it.each([
    ['deleteSession', 'deleted'],
    ['clearSession', 'cleared'],
  ] as const)('%s of the delegate tells its caller, once', async (route, how) => {
    cast.plays('bob', held(gate()));
    const { sessionId, childId, childTurnId } = await leaveAtWork();
    await stage.call(route, { params: { sessionId: childId } });
    expect(
      await until(
        () => idle(stage, sessionId),
        (said) => said.length === 4,
      ),
    ).toEqual(['user: Go.', 'ada: I go on.', `bob: [bob did not finish: Its session was ${how}.]`, 'ada: Noted.']);
    const ended = (await eventsOf(stage, sessionId)).filter(({ type }) => type === 'delegation.ended');
    expect(ended).toMatchObject([{ delegation: { turnId: childTurnId, state: 'cancelled' } }]);
    if (route === 'clearSession')
      expect(await stage.session(childId)).toMatchObject({ parentSessionId: null, status: 'idle', messageCount: 0 });
  });

  it('a caller that waits for the delegate is told, and the log says that it ended', async () => {
    cast.plays('bob', held(gate()));
    let got: AgentsAnswer[] = [];
    cast.plays('ada', [ask('bob', 'Paint.', CREATE)], (request) => {
      got = answersIn(request);
      return 'Then not.';
    });
    const sessionId = await stage.open('ada');
    const { turn } = await stage.send(sessionId, 'Go.');
    const { root } = await until(
      () => stage.call('turnTree', { params: { turnId: turn.id } }),
      (found) => found.root.children.length === 1,
    );
    const child = root.children[0]!.turn;
    await stage.speaking(child.sessionId, 'So far');
    await stage.call('deleteSession', { params: { sessionId: child.sessionId } });
    expect((await stage.settled(turn.id)).state).toBe('complete');
    expect(got[0]?.status).not.toBe('complete');
    const types = (await eventsOf(stage, sessionId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'delegation.ended')).toHaveLength(1);
  });

  it.each([
    ['clearing it', ({ sessionId }: { sessionId: string }) => stage.call('clearSession', { params: { sessionId } })],
    [
      'deleting the message',
      async ({ sessionId }: { sessionId: string }) => {
        const messageId = (await stage.messages(sessionId))[0]!.id;
        return stage.call('deleteMessage', { params: { messageId } });
      },
    ],
  ] as const)('%s of the caller stops the delegate, and nothing arrives there any more', async (_, remove) => {
    cast.plays('bob', held(gate()));
    const { sessionId, childId, childTurnId } = await leaveAtWork();
    await remove({ sessionId });
    expect(await stage.settled(childTurnId)).toMatchObject({ state: 'cancelled', stopReason: 'parent_stopped' });
    expect(await stage.call('listDelegations', { params: { sessionId } })).toEqual({ delegations: [] });
    expect(await idle(stage, childId)).toEqual(['ada: Paint the quagga.', 'bob: So far']);
    expect(await idle(stage, sessionId)).toEqual([]);
    expect(await stage.turns(sessionId)).toEqual([]);
  });

  it('deleting the caller takes along the sessions made for its work, with what runs and waits in them', async () => {
    cast.plays('bob', held(gate()));
    const { sessionId, childId, childTurnId } = await leaveAtWork();
    cast.plays('ada', [ask('bob', 'And then that.', { session: childId, mode: 'async' })], 'Done asking.');
    await stage.say(sessionId, 'More.');
    await stage.call('deleteSession', { params: { sessionId } });
    await stage.refused('session_not_found', 'getSession', { params: { sessionId: childId } });
    await stage.refused('turn_not_found', 'getTurn', { params: { turnId: childTurnId } });
  });
});

describe('the sessions made for the work of a session that is deleted', () => {
  /** ada asks bob, and bob asks eve, each in a session of its own. */
  async function chain() {
    cast.plays('eve', 'Eve knows of the okapi.');
    cast.plays('bob', [ask('eve', 'Find the okapi.', CREATE)], 'Found.');
    const { sessionId, answers } = await cast.asks('ada', [ask('bob', 'Look for the okapi.', CREATE)]);
    const bobs = String(answers[0]!.sessionId);
    const { delegations } = await stage.call('listDelegations', { params: { sessionId: bobs } });
    return { sessionId, bobs, eves: delegations[0]!.sessionId };
  }
  const isThere = async (sessionId: string) =>
    (await stage.ask('getSession', { params: { sessionId } })).status === 200;

  it('go with it, also those further down', async () => {
    const { sessionId, bobs, eves } = await chain();
    await stage.call('deleteSession', { params: { sessionId } });
    expect([await isThere(bobs), await isThere(eves)]).toEqual([false, false]);
    expect((await stage.call('search', { query: { q: 'okapi' } })).hits).toEqual([]);
  });

  it('stay as the person’s own where the person has written, with those made for them', async () => {
    const { sessionId, bobs, eves } = await chain();
    await stage.say(bobs, 'Let me see, too.');
    await stage.call('deleteSession', { params: { sessionId } });
    expect(await stage.session(bobs)).toMatchObject({ delegatedFrom: null, messageCount: 4 });
    expect(await stage.session(eves)).toMatchObject({ delegatedFrom: bobs });
    await stage.call('deleteSession', { params: { sessionId: bobs } });
    expect(await isThere(eves)).toBe(false);
  });

  it('stay where another session has given work to them, and belong to that one', async () => {
    const { sessionId, bobs } = await chain();
    cast.plays('bob', 'Once more.');
    const other = await cast.asks('ada', [ask('bob', 'Again.', { session: bobs })]);
    await stage.call('deleteSession', { params: { sessionId } });
    expect(await stage.session(bobs)).toMatchObject({ delegatedFrom: other.sessionId });
    await stage.call('deleteSession', { params: { sessionId: other.sessionId } });
    expect(await isThere(bobs)).toBe(false);
  });
});
