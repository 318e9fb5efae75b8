import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathTo } from '../../client/message-tree.ts';
import { applyFrame, emptyState, type SessionState } from '../../client/session-state.ts';
import type { StreamFrame } from '../../contract/events.ts';
import { until } from '../harness/parley.ts';
import { text } from '../harness/scripted-script.ts';
import { framesUntil, TestServer } from './test-server.ts';

let server: TestServer;
/** The model of an agent that answers nothing now. */
let failing = '';

beforeAll(async () => {
  server = await TestServer.start();
  server.provider.script(({ said, body }) => {
    if (said.includes('fails') || body.model === failing) return { status: 401, body: '{}' };
    const words = text('Well, ', `about "${said.slice(0, 20)}"`);
    return { steps: said.includes('slow') ? [words[0]!, { kind: 'wait', ms: 60 }, words[1]!] : words };
  });
});
afterAll(() => server.close());

/** The same choices for the same seed. */
class Choice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(limit: number): number {
    this.#state = (this.#state * 1103515245 + 12345) & 0x7fffffff;
    return Math.floor((this.#state / 0x80000000) * limit);
  }

  of<T>(all: readonly T[]): T | undefined {
    return all[this.below(all.length)];
  }
}

const AGENTS = ['ada', 'bob', 'wisp/eve'];

/** One thing that a person might do next. What is refused, because of the moment, changes nothing. */
async function act(sessionId: string, choice: Choice, index: number): Promise<void> {
  const params = { sessionId };
  const messages = await server.messages(sessionId);
  const message = choice.of(messages);
  const turn = choice.of(await server.turns(sessionId));
  const content = `${index} ${choice.of(['quick', 'quick', 'slow', 'fails'])}`;
  const send = (more: object) => server.ask('sendMessage', { params, body: { content, ...more } });
  const actions: (() => Promise<unknown>)[] = [
    () => send({}),
    () => send({ guest: choice.of(AGENTS) }),
    () => send({ content: `@bob @wisp/eve ${content}` }),
    async () => turn && server.ask('retryTurn', { params: { turnId: turn.id }, body: { agent: choice.of(AGENTS) } }),
    () => send({ agent: choice.of(AGENTS) }),
    () => send({ busy: choice.of(['interrupt', 'steer', 'reject']) }),
    () => server.ask('sendMessage', { params, query: { wait: 5 }, body: { content } }),
    async () => turn && server.ask('retryTurn', { params: { turnId: turn.id } }),
    async () => turn && server.ask('cancelTurn', { params: { turnId: turn.id } }),
    async () => turn && server.ask('editQueued', { params: { turnId: turn.id }, body: { position: choice.below(3) } }),
    async () => turn && server.ask('removeQueued', { params: { turnId: turn.id } }),
    async () => message && server.ask('reviseMessage', { params: { messageId: message.id }, body: { content } }),
    async () => message && server.ask('chooseHead', { params, body: { messageId: message.id } }),
    () => server.ask('compactSession', { params, body: { keep: 2 } }),
    () => server.ask('cancelSession', { params }),
    () => server.ask('patchSession', { params, body: { folder: content, attributes: { [`k${index % 3}`]: index } } }),
    () =>
      server.ask(choice.of(['pinSession', 'unpinSession', 'archiveSession', 'unarchiveSession'] as const)!, { params }),
    () => server.ask('markRead', { params }),
    () => server.ask('renameSession', { params, body: { name: `${sessionId} ${index}` } }),
  ];
  await actions[choice.below(actions.length)]!();
}

async function replay(sessionId: string, lastSeq: number): Promise<SessionState> {
  const leave = new AbortController();
  const stream = server.parley.events(`/api/sessions/${sessionId}/events?after=0`, {}, leave.signal);
  const frames = await framesUntil(stream, ({ id }) => Number.parseInt(id ?? '', 10) === lastSeq);
  leave.abort();
  return frames.reduce((state, { data }) => applyFrame(state, data as StreamFrame), emptyState(sessionId));
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'whatever a person does (seed %i), the events alone give the state that the API shows',
  async (seed) => {
    const choice = new Choice(seed * 7919);
    const { id: sessionId } = await server.create({ agentId: 'ada' });
    for (let index = 0; index < 40; index++) await act(sessionId, choice, index);
    const session = await until(
      () => server.session(sessionId),
      ({ status, queuedCount }) => status !== 'working' && queuedCount === 0,
    );
    const state = await replay(sessionId, session.lastSeq);
    expect(state.stale).toBe(false);
    expect([state.status, state.queue, state.live]).toEqual([session.status, [], null]);
    const shown = await server.messages(sessionId);
    const plain = (all: typeof shown) => all.map(({ siblings: _, ...message }) => message);
    expect(plain(pathTo(state.messages, state.headId))).toEqual(plain(shown));
    expect(session.messageCount).toBe(shown.length);
    expect(session.headId).toBe(shown.at(-1)?.id ?? null);
    const { agentId, name, folder, attributes, pinnedAt, archivedAt } = session;
    expect(state.session).toMatchObject({ agentId, name, folder, attributes, pinnedAt, archivedAt });
    for (const turn of await server.turns(sessionId)) expect(state.turns.get(turn.id)).toEqual(turn);
    const exported = await server.call('exportSession', { params: { sessionId } });
    expect(exported.messages.filter(({ onPath }) => onPath).map(({ id }) => id)).toEqual(shown.map(({ id }) => id));
  },
);

test('the answers of others stay while one of several answers again, also for clients that follow and when that fails', async () => {
  const sessionId = await server.open('ada');
  const { turns } = await server.say(sessionId, '@bob @wisp/eve Which colour?');
  failing = 'model-of-wisp/eve';
  const { turn } = await server.retry(turns[1]!.id);
  failing = '';
  expect(turn.state).toBe('failed');
  const shown = async () => (await server.messages(sessionId)).map(({ id }) => id);
  const followed = async () => {
    const state = await replay(sessionId, (await server.session(sessionId)).lastSeq);
    return pathTo(state.messages, state.headId).map(({ id }) => id);
  };
  expect(await shown()).toHaveLength(2);
  expect(await followed()).toEqual(await shown());
  await server.retry(turns[1]!.id);
  expect(await shown()).toHaveLength(3);
  expect(await followed()).toEqual(await shown());
  await server.parley.kill();
  await server.parley.restart();
  expect(await followed()).toEqual(await shown());
});
