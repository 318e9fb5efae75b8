import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RemoteCard } from '../../contract/agents.ts';
import type { Message } from '../../contract/messages.ts';
import type { Session } from '../../contract/sessions.ts';
import type { Turn } from '../../contract/turns.ts';
import { A2aPeer, type Refusal } from '../harness/a2a/peer.ts';
import { letGoOn } from '../harness/a2a/peer-script.ts';
import { Parley, until } from '../harness/parley.ts';

const TURN_MS = 2500;
let peers: Record<'far' | 'old' | 'plain', A2aPeer>;
let parley: Parley;

beforeAll(async () => {
  peers = {
    far: await A2aPeer.start('1.0'),
    old: await A2aPeer.start('0.3'),
    plain: await A2aPeer.start('1.0', { streams: false }),
  };
  const remote = (agentId: string, url: string, more: object = {}) => ({ agentId, type: 'a2a', a2a: { url, ...more } });
  const agents = [
    ...Object.entries(peers).map(([agentId, { url }]) => remote(agentId, url)),
    remote('hasty', peers.far.url, { taskSeconds: 1 }),
    { agentId: 'lead', chat: { provider: 'demo' }, delegation: { tags: true } },
  ];
  const allowHosts = Object.values(peers).map(({ host }) => host);
  const limits = { turnMs: TURN_MS, idleMs: 700, unreachableMs: 3000, retryAfterMs: 2500 };
  parley = await Parley.start({ config: { agents, tools: { fetch: { allowHosts } }, limits } });
  for (const agentId of [...Object.keys(peers), 'hasty']) {
    const { hash } = await parley.ok<RemoteCard>('GET', `/api/agent-cards/${agentId}`);
    await parley.ok('POST', `/api/agent-cards/${agentId}`, { hash });
  }
});

afterEach(() => {
  for (const peer of Object.values(peers)) peer.refuse = () => undefined;
});

afterAll(async () => {
  await parley.close();
  for (const peer of Object.values(peers)) await peer.close();
});

async function begin(agentId: string, content: string): Promise<{ sessionId: string; turnId: string }> {
  const { id: sessionId } = await parley.createSession({ agentId });
  const { turn } = await parley.send(sessionId, { content });
  return { sessionId, turnId: turn.id };
}

function settled(turnId: string): Promise<{ turn: Turn; answer: Message | null }> {
  return until(
    () => parley.ok<{ turn: Turn; answer: Message | null }>('GET', `/api/turns/${turnId}`),
    ({ turn }) => turn.endedAt !== null,
    20_000,
  );
}

/** Of the answer that is being given: its words, or what is told beside them. */
function said(sessionId: string, words: string): Promise<unknown> {
  return until(
    () => parley.ok<{ partials: unknown[] }>('GET', `/api/sessions/${sessionId}/snapshot`),
    ({ partials }) => JSON.stringify(partials).includes(words),
  );
}

describe('a remote task that takes longer than a turn may', () => {
  it('goes on as long as its agent says that it works, also where another agent or a workflow waits for it', async () => {
    const script = (name: string) => `say Begun.\nhold long\nsay  Done by ${name}.`;
    const flow = 'begin slow-work say Digging.; hold long; say Dug.\nflow Deposit|Deposit USDai|slow-work';
    const begun = await Promise.all([
      begin('far', script('far')),
      begin('old', script('old')),
      begin('plain', script('plain')),
      begin('lead', `Delegate to plain: ${script('plain')}`),
      begin('far', `${flow}\n${script('far')}`),
    ]);
    await Promise.all(begun.map(({ sessionId }) => said(sessionId, 'Begun.')));
    await pause(TURN_MS + 1500);
    letGoOn('long');
    const ends = await Promise.all(begun.map(({ turnId }) => settled(turnId)));
    expect(ends.map(({ turn }) => [turn.agentId, turn.state, turn.error])).toEqual(
      ['far', 'old', 'plain', 'lead', 'far'].map((agentId) => [agentId, 'complete', null]),
    );
    expect(ends.slice(0, 3).map(({ answer }) => answer?.text)).toEqual(
      ['far', 'old', 'plain'].map((name) => `Begun. Done by ${name}.`),
    );
    const [work] = (await parley.ok<{ sessions: Session[] }>('GET', `/api/sessions?parent=${begun[4]!.sessionId}`))
      .sessions;
    await until(
      () => parley.session(work!.id),
      ({ status }) => status === 'completed',
    );
    expect((await parley.messages(work!.id)).at(-1)!.text).toMatch(/Digging\.\s*Dug\./);
    expect(Object.values(peers).flatMap(({ cancelled }) => cancelled)).toEqual([]);
  });

  it('is taken up again after a kill, and goes on just as long', async () => {
    const { sessionId, turnId } = await begin('far', 'say Begun.\nhold killed\nsay  Done.');
    await said(sessionId, 'Begun.');
    const sent = peers.far.messages.length;
    await parley.kill();
    await parley.restart();
    await pause(TURN_MS + 500);
    expect((await parley.turn(turnId)).state).toBe('running');
    letGoOn('killed');
    expect((await settled(turnId)).turn).toMatchObject({ state: 'complete' });
    expect(peers.far.messages.length).toBe(sent);
  });

  it('is stopped when the person says so', async () => {
    const { sessionId, turnId } = await begin('plain', 'say Begun.\nhold person');
    await said(sessionId, 'Begun.');
    await pause(TURN_MS);
    await parley.ok('POST', `/api/turns/${turnId}/cancellation`);
    expect((await settled(turnId)).turn.state).toBe('cancelled');
    await until(
      async () => peers.plain.cancelled.length,
      (length) => length === 1,
    );
  });

  it('is stopped at the limit of its own', async () => {
    const { turnId } = await begin('hasty', 'say Begun.\nhold limit');
    const { turn, answer } = await settled(turnId);
    expect(turn).toMatchObject({ state: 'failed', error: { code: 'turn_timeout' } });
    expect(answer?.text).toBe('Begun.');
  });
});

const BROKEN: Refusal[] = ['drop', { status: 502 }, { status: 503 }, { status: 429, headers: { 'Retry-After': '1' } }];

describe('an agent that is away while it works', () => {
  it.each(BROKEN.map((refusal) => [JSON.stringify(refusal), refusal] as const))(
    'with %s is waited for, and the person is told',
    async (_, refusal) => {
      const name = `away ${JSON.stringify(refusal)}`;
      const { sessionId, turnId } = await begin('far', `say Begun.\nhold ${name}\nsay  Done.`);
      await said(sessionId, 'Begun.');
      peers.far.refuse = () => refusal;
      peers.far.dropConnections();
      await said(sessionId, '"retry":{"code":"agent_');
      letGoOn(name);
      await pause(500);
      peers.far.refuse = () => undefined;
      expect((await settled(turnId)).answer?.text).toBe('Begun. Done.');
    },
  );

  it('for too long ends the turn with what is known', async () => {
    const { sessionId, turnId } = await begin('far', 'say Begun.\nhold for ever');
    await said(sessionId, 'Begun.');
    peers.far.refuse = () => 'drop';
    peers.far.dropConnections();
    const { turn, answer } = await settled(turnId);
    expect(turn).toMatchObject({ state: 'interrupted', error: { code: 'agent_unreachable' } });
    expect(answer?.text).toBe('Begun.');
  });

  it('and as the server starts is waited for, too', async () => {
    const { sessionId, turnId } = await begin('far', 'say Begun.\nhold start\nsay  Done.');
    await said(sessionId, 'Begun.');
    await parley.kill();
    peers.far.refuse = () => 'drop';
    await parley.restart();
    await said(sessionId, '"retry":{"code":"agent_unreachable"');
    peers.far.refuse = () => undefined;
    letGoOn('start');
    expect((await settled(turnId)).answer?.text).toBe('Begun. Done.');
  });
});

/** Refuses the first requests of those whose names match; tells how many came. */
function refuseFirst(
  peer: A2aPeer,
  methods: RegExp,
  times: number,
  refusal: () => Refusal,
): { readonly count: number } {
  const seen = { count: 0 };
  peer.refuse = (method) => (methods.test(method) && ++seen.count <= times ? refusal() : undefined);
  return seen;
}

const SEND = /^(message\/|Send)/;
const inOneSecond = () => ({ status: 429, headers: { 'Retry-After': '1' } });
const atADate = () => ({
  status: 503,
  headers: { 'Retry-After': new Date(Date.now() + 2000).toUTCString() },
});

describe('a message to an agent that takes none at the moment', () => {
  it.each([
    ['far', 'seconds', inOneSecond],
    ['old', 'seconds', inOneSecond],
    ['plain', 'seconds', inOneSecond],
    ['far', 'a date', atADate],
  ] as const)('is sent again to %s when it says so in %s', async (agentId, _, refusal) => {
    const peer = peers[agentId];
    const sent = peer.messages.length;
    const seen = refuseFirst(peer, SEND, 1, refusal);
    const { sessionId, turnId } = await begin(agentId, 'say Hello.');
    await said(sessionId, '"retry":{"code":"agent_busy"');
    const { turn, answer } = await settled(turnId);
    expect([turn.state, answer?.text, seen.count, peer.messages.length - sent]).toEqual(['complete', 'Hello.', 2, 1]);
    expect(Date.parse(turn.endedAt!) - Date.parse(turn.startedAt!)).toBeGreaterThanOrEqual(900);
  });

  it('is sent again only so often', async () => {
    const seen = refuseFirst(peers.far, SEND, 99, () => ({ status: 429 }));
    const { turn } = await settled((await begin('far', 'say Hello.')).turnId);
    expect([turn.state, turn.error?.code, seen.count]).toEqual(['failed', 'agent_busy', 3]);
  });

  it('is not held back for longer than is allowed: the turn says when to try again', async () => {
    const seen = refuseFirst(peers.far, SEND, 99, () => ({ status: 429, headers: { 'Retry-After': '3600' } }));
    const { turn } = await settled((await begin('far', 'say Hello.')).turnId);
    expect([turn.error?.code, seen.count]).toEqual(['agent_busy', 1]);
    expect(turn.error?.message).toContain('3600 s');
  });

  it('is not sent any more once its turn is cancelled', async () => {
    const sent = peers.far.messages.length;
    refuseFirst(peers.far, SEND, 1, atADate);
    const { sessionId, turnId } = await begin('far', 'say Hello.');
    await said(sessionId, '"retry":{"code":"agent_busy"');
    await parley.ok('POST', `/api/turns/${turnId}/cancellation`);
    expect((await settled(turnId)).turn.state).toBe('cancelled');
    await pause(2200);
    expect(peers.far.messages.length).toBe(sent);
  });

  it.each([
    ['the connection was closed', 'drop', 'agent_unreachable'],
    ['a proxy had no answer', { status: 502 }, 'agent_unreachable'],
    ['a proxy waited in vain', { status: 504 }, 'agent_unreachable'],
    ['it is not said whether it was read', { status: 503 }, 'agent_busy'],
  ] as const)('is never sent twice where %s', async (_, refusal, code) => {
    for (const agentId of ['far', 'old', 'plain'] as const) {
      const seen = refuseFirst(peers[agentId], SEND, 99, () => refusal);
      const { turn } = await settled((await begin(agentId, 'say Hello.')).turnId);
      expect([turn.state, turn.error?.code, seen.count]).toEqual(['failed', code, 1]);
    }
  });
});

describe('a card that cannot be read at the moment', () => {
  it.each([
    ['429 and seconds', inOneSecond],
    ['503 and a date', atADate],
    ['503 alone', () => ({ status: 503 })],
  ])('is read again: %s', async (_, refusal) => {
    const seen = refuseFirst(peers.far, /^card$/, 1, refusal);
    expect((await settled((await begin('far', 'say Hello.')).turnId)).answer?.text).toBe('Hello.');
    expect(seen.count).toBe(2);
    const again = refuseFirst(peers.far, /^card$/, 1, refusal);
    expect((await parley.ok<RemoteCard>('GET', '/api/agent-cards/far')).approved).toBe(true);
    expect(again.count).toBe(2);
  });

  it('is read only so often, and what is wrong is said', async () => {
    const seen = refuseFirst(peers.far, /^card$/, 99, () => ({ status: 503 }));
    const { turn } = await settled((await begin('far', 'say Hello.')).turnId);
    expect([turn.state, turn.error?.code, seen.count]).toEqual(['failed', 'agent_busy', 3]);
    const { status, body } = await parley.request('GET', '/api/agent-cards/far');
    expect([status, body]).toMatchObject([502, { code: 'agent_card_unusable' }]);
  });
});

describe('an answer to a question of an agent', () => {
  it('that may have been lost is not sent again, and not waited for without end', async () => {
    const { sessionId, turnId } = await begin('far', 'say First.\nask Which one?');
    const open = async () =>
      (await parley.ok<{ actions: { id: string }[] }>('GET', `/api/actions?session=${sessionId}`)).actions;
    const [action] = await until(open, ({ length }) => length === 1);
    const seen = refuseFirst(peers.far, SEND, 99, () => 'drop');
    await parley.ok('POST', `/api/actions/${action!.id}/answer`, { decision: 'answer', text: 'This.' });
    const { turn } = await settled(turnId);
    expect([turn.state, turn.error?.code, seen.count]).toEqual(['failed', 'agent_idle', 1]);
  });
});
