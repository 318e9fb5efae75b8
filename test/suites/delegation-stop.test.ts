import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Turn } from '../../contract/turns.ts';
import { until } from '../harness/parley.ts';
import { gate } from '../harness/scripted-script.ts';
import { readFrames } from '../harness/sse-frames.ts';
import { ASYNC, CREATE, type DelegatingAgents, held, PEERS, startDelegating } from './delegating.ts';
import { eventsOf, idle } from './looking.ts';
import { type AgentsAnswer, answersIn, ask } from './scripted-agents.ts';
import type { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: DelegatingAgents;
beforeAll(async () => {
  ({ server, scripted } = await startDelegating(PEERS));
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

/** Has an agent answer in its session with a sender; gives back that session. */
async function sendByKey(agent: string, sender: string): Promise<string> {
  const response = await server.parley.fetch('POST', '/api/stream', { agent, sender, content: 'Go.' });
  const frames = [];
  for await (const frame of readFrames(response)) frames.push(frame);
  return frames[0]!.data.sessionId;
}

describe('stopping', () => {
  it('a caller stops everything done for it, what works and what waits, and nobody is woken by that', async () => {
    const never = gate();
    const busy = await server.open('eve');
    scripted.answers('eve', held(never));
    await server.send(busy, 'Be busy.');
    await server.speaking(busy, 'So far');
    scripted.answers('bob', held(never));
    scripted.answers(
      'ada',
      [ask('bob', 'async', ASYNC), ask('eve', 'queued one', { session: busy, mode: 'async' })],
      held(never),
    );
    const sessionId = await server.open('ada');
    const { turn } = await server.send(sessionId, 'Go.');
    await server.speaking(sessionId, 'So far');
    const { root } = await server.call('turnTree', { params: { turnId: turn.id } });
    const children = root.children.map((child) => child.turn);
    expect(children.map(({ agentId, state }) => [agentId, state])).toEqual([
      ['bob', 'running'],
      ['eve', 'queued'],
    ]);
    const { cancelled } = await server.cancelTurn(turn.id);
    expect(cancelled.toSorted()).toEqual([turn.id, ...children.map(({ id }) => id)].toSorted());
    for (const { id } of children)
      expect(await server.turn(id)).toMatchObject({ state: 'cancelled', stopReason: 'parent_stopped' });
    expect(await idle(server, sessionId)).toEqual(['user: Go.', 'ada: So far']);
    expect(await server.turns(sessionId)).toHaveLength(1);
    await server.call('cancelSession', { params: { sessionId: busy } });
  });

  it('a sync chain stops from the top to the bottom', async () => {
    const never = gate();
    scripted.answers('ada', [ask('eve', 'one', CREATE)]);
    scripted.answers('eve', [ask('bob', 'two', CREATE)]);
    scripted.answers('bob', held(never));
    const sessionId = await server.open('ada');
    const { turn } = await server.send(sessionId, 'Go.');
    const tree = () => server.call('turnTree', { params: { turnId: turn.id } });
    const { root } = await until(tree, (found) => found.root.children[0]?.children.length === 1);
    const leaf = root.children[0]!.children[0]!.turn;
    await server.speaking(leaf.sessionId, 'So far');
    expect((await server.call('cancelSession', { params: { sessionId } })).cancelled).toHaveLength(3);
    const { root: over } = await tree();
    expect([over, over.children[0]!, over.children[0]!.children[0]!].map((node) => node.turn.state)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    expect(await server.messages(leaf.sessionId)).toMatchObject([
      { agent: 'eve' },
      { text: 'So far', status: 'interrupted' },
    ]);
  });

  it('a caller whose session is deleted takes along what it waits for', async () => {
    const never = gate();
    scripted.answers('ada', [ask('bob', 'one', CREATE)]);
    scripted.answers('bob', held(never));
    const sessionId = await server.open('ada');
    const { turn } = await server.send(sessionId, 'Go.');
    const { root } = await until(
      () => server.call('turnTree', { params: { turnId: turn.id } }),
      (found) => found.root.children.length === 1,
    );
    const child = root.children[0]!.turn;
    await server.speaking(child.sessionId, 'So far');
    const request = server.provider.requests.findLast(({ body }) => body.model === 'model-of-bob')!;
    await server.call('deleteSession', { params: { sessionId } });
    await request.closed;
    expect(request.abortedAt).toBeDefined();
    await server.refused('session_not_found', 'getSession', { params: { sessionId: child.sessionId } });
  });

  describe.each([
    ['session', ({ sessionId }: Turn) => server.call('cancelSession', { params: { sessionId } })],
    ['turn', ({ id }: Turn) => server.cancelTurn(id)],
    ['key', () => server.call('kill', { body: { agent: 'ada', sender: 'key' } })],
  ] as const)('a caller that is done, cancelled by its %s', (sender, cancel) => {
    it('stops the async work it left behind, and is not woken', async () => {
      const never = gate();
      scripted.answers('bob', [ask('eve', 'Deeper.', ASYNC)], 'Eve is at it.');
      scripted.answers('eve', held(never));
      scripted.answers('ada', [ask('bob', 'Slowly.', CREATE)], 'I go on.');
      const sessionId = await sendByKey('ada', sender);
      const turn = (await server.turns(sessionId))[0]!;
      expect(turn.state).toBe('complete');
      const { root } = await server.call('turnTree', { params: { turnId: turn.id } });
      const eve = root.children[0]!.children[0]!.turn;
      await server.speaking(eve.sessionId, 'So far');
      const { cancelled } = await cancel(turn);
      expect(cancelled).toEqual([eve.id]);
      expect(await server.turn(eve.id)).toMatchObject({ state: 'cancelled', stopReason: 'parent_stopped' });
      expect(await server.turns(turn.sessionId)).toHaveLength(1);
    });
  });

  it('a message that interrupts the caller stops what it waits for, and leaves async work alone', async () => {
    const [never, done] = [gate(), gate()];
    scripted.answers('bob', held(done));
    scripted.answers('eve', held(never));
    scripted.answers(
      'ada',
      [ask('bob', 'async', { ...ASYNC, notify: 'message' }), ask('eve', 'and now', CREATE)],
      'Yes?',
    );
    const sessionId = await server.open('ada');
    const { turn } = await server.send(sessionId, 'Go.');
    const { root } = await until(
      () => server.call('turnTree', { params: { turnId: turn.id } }),
      (found) => found.root.children.length === 2,
    );
    const [bob, eve] = root.children.map((child) => child.turn);
    await server.speaking(eve!.sessionId, 'So far');
    const second = await server.say(sessionId, { content: 'Stop that.', busy: 'interrupt' });
    expect(second.turn.state).toBe('complete');
    expect(await server.turn(turn.id)).toMatchObject({ state: 'interrupted', stopReason: 'interrupted_by_message' });
    expect(await server.settled(eve!.id)).toMatchObject({ state: 'cancelled', stopReason: 'parent_stopped' });
    expect((await server.turn(bob!.id)).state).toBe('running');
    done.open();
    await server.settled(bob!.id);
    expect(await idle(server, sessionId)).toEqual([
      'user: Go.',
      'ada: ',
      'user: Stop that.',
      'ada: Yes?',
      'bob: So far and done.',
    ]);
  });

  it('a waiting delegate is cancelled, never taken back: somebody waits for it', async () => {
    const first = gate();
    const busy = await server.open('bob');
    scripted.answers('bob', held(first));
    await server.send(busy, 'Something long.');
    await server.speaking(busy, 'So far');
    let got: AgentsAnswer[] = [];
    scripted.answers('ada', [ask('bob', 'Me next.', { session: busy })], (request) => {
      got = answersIn(request);
      return 'Then not.';
    });
    const { turn } = await server.send(await server.open('ada'), 'Go.');
    const { queue } = await until(
      () => server.call('listQueue', { params: { sessionId: busy } }),
      (found) => found.queue.length === 1,
    );
    const queued = queue[0]!.turn.id;
    await server.refused('turn_not_queued', 'removeQueued', { params: { turnId: queued } });
    expect((await server.cancelTurn(queued)).cancelled).toEqual([queued]);
    await server.settled(turn.id);
    expect(got[0]).toMatchObject({ status: 'cancelled', code: 'delegate_cancelled' });
    first.open();
    await idle(server, busy);
  });
});

/** An async delegate at work for a caller whose turn is over. */
async function leaveAtWork(later = 'Noted.') {
  const { answers, sessionId, turnId } = await scripted.asks('ada', [ask('bob', 'Paint the quagga.', ASYNC)], later);
  const { responseId, sessionId: childId } = answers[0]!;
  await server.speaking(childId!, 'So far');
  return { sessionId, turnId, childId: childId!, childTurnId: responseId };
}

describe('a session that is removed while a delegate works', () => {
  it.each([
    ['deleteSession', 'deleted'],
    ['clearSession', 'cleared'],
  ] as const)('%s of the delegate tells its caller, once', async (route, how) => {
    scripted.answers('bob', held(gate()));
    const { sessionId, childId, childTurnId } = await leaveAtWork();
    await server.call(route, { params: { sessionId: childId } });
    expect(
      await until(
        () => idle(server, sessionId),
        (said) => said.length === 4,
      ),
    ).toEqual(['user: Go.', 'ada: I go on.', `bob: [bob did not finish: Its session was ${how}.]`, 'ada: Noted.']);
    const ended = (await eventsOf(server, sessionId)).filter(({ type }) => type === 'delegation.ended');
    expect(ended).toMatchObject([{ delegation: { turnId: childTurnId, state: 'cancelled' } }]);
    if (route === 'clearSession')
      expect(await server.session(childId)).toMatchObject({ parentSessionId: null, status: 'idle', messageCount: 0 });
  });

  it('a caller that waits for the delegate is told, and the log says that it ended', async () => {
    scripted.answers('bob', held(gate()));
    let got: AgentsAnswer[] = [];
    scripted.answers('ada', [ask('bob', 'Paint.', CREATE)], (request) => {
      got = answersIn(request);
      return 'Then not.';
    });
    const sessionId = await server.open('ada');
    const { turn } = await server.send(sessionId, 'Go.');
    const { root } = await until(
      () => server.call('turnTree', { params: { turnId: turn.id } }),
      (found) => found.root.children.length === 1,
    );
    const child = root.children[0]!.turn;
    await server.speaking(child.sessionId, 'So far');
    await server.call('deleteSession', { params: { sessionId: child.sessionId } });
    expect((await server.settled(turn.id)).state).toBe('complete');
    expect(got[0]?.status).not.toBe('complete');
    const types = (await eventsOf(server, sessionId)).map(({ type }) => type);
    expect(types.filter((type) => type === 'delegation.ended')).toHaveLength(1);
  });

  it.each([
    ['clearing it', ({ sessionId }: { sessionId: string }) => server.call('clearSession', { params: { sessionId } })],
    [
      'deleting the message',
      async ({ sessionId }: { sessionId: string }) => {
        const messageId = (await server.messages(sessionId))[0]!.id;
        return server.call('deleteMessage', { params: { messageId } });
      },
    ],
  ] as const)('%s of the caller stops the delegate, and nothing arrives there any more', async (_, remove) => {
    scripted.answers('bob', held(gate()));
    const { sessionId, childId, childTurnId } = await leaveAtWork();
    await remove({ sessionId });
    expect(await server.settled(childTurnId)).toMatchObject({ state: 'cancelled', stopReason: 'parent_stopped' });
    expect(await server.call('listDelegations', { params: { sessionId } })).toEqual({ delegations: [] });
    expect(await idle(server, childId)).toEqual(['ada: Paint the quagga.', 'bob: So far']);
    expect(await idle(server, sessionId)).toEqual([]);
    expect(await server.turns(sessionId)).toEqual([]);
  });

  it('deleting the caller takes along the sessions made for its work, with what runs and waits in them', async () => {
    scripted.answers('bob', held(gate()));
    const { sessionId, childId, childTurnId } = await leaveAtWork();
    scripted.answers('ada', [ask('bob', 'And then that.', { session: childId, mode: 'async' })], 'Done asking.');
    await server.say(sessionId, 'More.');
    await server.call('deleteSession', { params: { sessionId } });
    await server.refused('session_not_found', 'getSession', { params: { sessionId: childId } });
    await server.refused('turn_not_found', 'getTurn', { params: { turnId: childTurnId } });
  });
});

describe('the sessions made for the work of a session that is deleted', () => {
  /** ada asks bob, and bob asks eve, each in a session of its own. */
  async function chain() {
    scripted.answers('eve', 'Eve knows of the okapi.');
    scripted.answers('bob', [ask('eve', 'Find the okapi.', CREATE)], 'Found.');
    const { sessionId, answers } = await scripted.asks('ada', [ask('bob', 'Look for the okapi.', CREATE)]);
    const bobs = String(answers[0]!.sessionId);
    const { delegations } = await server.call('listDelegations', { params: { sessionId: bobs } });
    return { sessionId, bobs, eves: delegations[0]!.sessionId };
  }
  const isThere = async (sessionId: string) =>
    (await server.ask('getSession', { params: { sessionId } })).status === 200;

  it('go with it, also those further down', async () => {
    const { sessionId, bobs, eves } = await chain();
    await server.call('deleteSession', { params: { sessionId } });
    expect([await isThere(bobs), await isThere(eves)]).toEqual([false, false]);
    expect((await server.call('search', { query: { q: 'okapi' } })).hits).toEqual([]);
  });

  it('stay as the person’s own where the person has written, with those made for them', async () => {
    const { sessionId, bobs, eves } = await chain();
    await server.say(bobs, 'Let me see, too.');
    await server.call('deleteSession', { params: { sessionId } });
    expect(await server.session(bobs)).toMatchObject({ delegatedFrom: null, messageCount: 4 });
    expect(await server.session(eves)).toMatchObject({ delegatedFrom: bobs });
    await server.call('deleteSession', { params: { sessionId: bobs } });
    expect(await isThere(eves)).toBe(false);
  });

  it('stay where another session has given work to them, and belong to that one', async () => {
    const { sessionId, bobs } = await chain();
    scripted.answers('bob', 'Once more.');
    const other = await scripted.asks('ada', [ask('bob', 'Again.', { session: bobs })]);
    await server.call('deleteSession', { params: { sessionId } });
    expect(await server.session(bobs)).toMatchObject({ delegatedFrom: other.sessionId });
    await server.call('deleteSession', { params: { sessionId: other.sessionId } });
    expect(await isThere(bobs)).toBe(false);
  });
});
