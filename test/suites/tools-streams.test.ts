import { afterAll, beforeAll, expect, test } from 'vitest';
import { liveCalls } from '../../client/live-turn.ts';
import { applyFrame, emptyState, fromSnapshot, type SessionState, shownMessages } from '../../client/session-state.ts';
import { type SessionEvent, type StreamFrame, WireFrame } from '../../contract/events.ts';
import { until } from '../harness/parley.ts';
import type { Frame } from '../harness/sse-frames.ts';
import { answerNext, waitingIn } from './answering.ts';
import { follow, isDurable, watch } from './following.ts';
import { type ShopPlugin, startWithShop } from './shop-plugin.ts';
import { matches, type TestServer } from './test-server.ts';

let shop: ShopPlugin;
let server: TestServer;

beforeAll(async () => {
  ({ server, shop } = await startWithShop({
    agents: ['ada'],
    agent: { toolAllowlist: ['shop_*', 'ask_user'] },
  }));
});
afterAll(async () => {
  await server.close();
  shop.close();
});

function reduce(state: SessionState, frames: readonly Frame[]): SessionState {
  return frames.reduce((known, { data }) => {
    matches(WireFrame, data);
    return applyFrame(known, data as StreamFrame);
  }, state);
}

/** What a client knows that loads the session now. */
async function load(sessionId: string): Promise<SessionState> {
  const params = { sessionId };
  const [session, messages, turns] = [
    await server.session(sessionId),
    await server.messages(sessionId),
    await server.turns(sessionId),
  ];
  const { queue } = await server.call('listQueue', { params });
  const { actions } = await server.call('listActions', { query: { session: sessionId } });
  return fromSnapshot({ session, messages, queue, turns, actions });
}

/** Everything of it that does not depend on how a client came to know it. */
function known(state: SessionState) {
  const { status, queue, turns, actions, headId, lastSeq, stale } = state;
  return {
    ...{ status, queue, headId, lastSeq, stale },
    turns: [...turns.values()],
    actions: [...actions.values()],
    live: state.live && { parts: state.live.parts.map((part) => ({ ...part, progress: null })) },
    messages: shownMessages(state).map(({ siblings: _, ...message }) => message),
  };
}

/** Streams may cut the same words differently. */
function wordsIn(frames: readonly Frame[]): string {
  return frames.map(({ type, data }) => (type === 'delta' ? data.text : '')).join('');
}

const isPartial = ({ type }: Frame) => type === 'turn.partial';

test('whoever watches, reconnects, replays or loads knows the same, in the middle of calls and at the end', async () => {
  const sessionId = await server.open();
  const route = `/api/sessions/${sessionId}/events`;
  const [before, { position }] = [await load(sessionId), await server.call('listSessions')];
  const [live, shared] = [await watch(server, route), await watch(server, '/api/events')];
  const wanted =
    'call shop_count {"key":"r1"} then shop_risky {"key":"r2"}; shop_wait {"key":"r3"}; ask_user {"question":"Well?"}';
  const sent = server.parley.sendStream(sessionId, { content: wanted });
  const own: Frame[] = [];
  const owned = (async () => {
    for await (const frame of sent) own.push(frame);
  })();
  await shop.arrived('r3');
  await waitingIn(server, sessionId, 2);
  const middle = await server.session(sessionId);

  const replayed = reduce(emptyState(sessionId), await follow(server, `${route}?after=0`, isPartial));
  const loaded = await load(sessionId);
  const joined = reduce(loaded, await follow(server, route, isPartial, { 'Last-Event-ID': String(loaded.lastSeq) }));
  const early = before.lastSeq + 3;
  const left = reduce(before, await follow(server, `${route}?after=${before.lastSeq}`, early));
  const resumed = reduce(left, await follow(server, route, isPartial, { 'Last-Event-ID': String(early) }));
  expect(liveCalls(joined.live!).map(({ name, state }) => [name, state])).toEqual([
    ['shop_count', 'complete'],
    ['shop_risky', 'waiting'],
    ['shop_wait', 'running'],
    ['ask_user', 'waiting'],
  ]);
  expect(joined.live!.parts.map(({ kind }) => kind)).toEqual(['text', 'call', 'text', 'call', 'call', 'call']);
  expect(joined).toMatchObject({ status: 'waiting', lastSeq: middle.lastSeq });
  expect(known(replayed)).toEqual(known(joined));
  expect(known(resumed)).toEqual(known(joined));

  const [approval, question] = [...joined.actions.values()];
  expect([approval!.kind, question!.kind].sort()).toEqual(['approval', 'question']);
  for (const { id: actionId, kind } of [approval!, question!]) {
    const body = kind === 'approval' ? { decision: 'once' } : { decision: 'answer', text: 'Yes.' };
    await server.call('answerAction', { params: { actionId }, body });
  }
  shop.release('r3');
  await owned;
  const isOver = ({ type }: Frame) => type === 'turn.settled';
  const after = known(await load(sessionId));
  expect(after).toMatchObject({ status: 'active', actions: [], live: null });
  const watched = await live(isOver);
  expect(known(reduce(before, watched))).toEqual(after);
  // Whoever sent the message is told everything about its turn, and nothing else.
  const ofTurn = watched.filter(({ type }) => !type.startsWith('session.'));
  expect(own.filter(isDurable).map(({ data }) => data)).toEqual(ofTurn.filter(isDurable).map(({ data }) => data));
  expect(wordsIn(own)).toEqual(wordsIn(watched));
  expect(known(reduce(before, await shared(isOver)))).toEqual(after);
  expect(known(reduce(emptyState(sessionId), await follow(server, `${route}?after=0`, isOver)))).toEqual(after);
  const everything = await follow(server, `/api/events?after=${position}`, isOver);
  expect(known(reduce(before, everything))).toEqual(after);
  expect(
    known(reduce(joined, await follow(server, route, isOver, { 'Last-Event-ID': String(joined.lastSeq) }))),
  ).toEqual(after);
});

test('what the calls came to is told by events exactly as it is stored', async () => {
  const sessionId = await server.open();
  const { turn } = await server.send(
    sessionId,
    'call shop_risky {"key":"e1"}; shop_fail {"why":"No."}; nothing {} then shop_count {"key":"e2"}',
  );
  await answerNext(server, sessionId, { decision: 'session' });
  await server.settled(turn.id);
  const { lastSeq } = await server.session(sessionId);
  const frames = await follow(server, `/api/sessions/${sessionId}/events?after=0`, lastSeq);
  const events = frames.map(({ data }) => data as SessionEvent);
  const { calls } = await server.call('listToolCalls', { params: { turnId: turn.id } });
  for (const call of calls) {
    const told = events.flatMap((event) => ('call' in event && event.call.id === call.id ? [event] : []));
    expect(told.at(-1)).toMatchObject({ type: 'tool.ended', call });
    expect(told.filter(({ type }) => type === 'tool.ended')).toHaveLength(1);
  }
});

test('a turn that waits is told to whoever comes later, also after a restart', async () => {
  const sessionId = await server.open();
  await server.send(sessionId, 'call shop_risky {"key":"p1"}');
  await waitingIn(server, sessionId);
  const route = `/api/sessions/${sessionId}/events?after=0`;
  const before = reduce(emptyState(sessionId), await follow(server, route, isPartial));
  await server.parley.restart();
  const after = reduce(emptyState(sessionId), await follow(server, route, isPartial));
  expect(known(after)).toEqual(known(before));
  expect(liveCalls(after.live!)).toMatchObject([{ name: 'shop_risky', state: 'waiting' }]);
  await answerNext(server, sessionId, { decision: 'once' });
  const { status } = await until(
    () => server.session(sessionId),
    (session) => session.status !== 'waiting' && session.status !== 'working',
  );
  expect([status, shop.count('p1')]).toEqual(['active', 1]);
});
