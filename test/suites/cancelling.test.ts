import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../harness/parley.ts';
import { type Script, type Step, text } from '../harness/scripted-script.ts';
import { isSummary } from './summarising.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ config: { limits: { turnMs: 1500 } } });
});
afterAll(() => server.close());
beforeEach(() => answer({ steps: text('Yes.') }));

const STALL: Step = { kind: 'stall' };

function answer(script: Script): void {
  server.provider.script(() => script);
}

async function requestOf(said: string) {
  return server.asked((request) => request.said === said);
}

describe('a turn can be stopped', () => {
  test('while it waits: the words keep their place, nobody is asked', async () => {
    answer({ steps: [...text('Begun'), STALL] });
    const session = await server.open();
    const first = await server.send(session, 'First');
    const second = await server.send(session, 'Never asked');
    expect((await server.cancelTurn(second.turn.id)).cancelled).toEqual([second.turn.id]);
    expect(await server.turn(second.turn.id)).toMatchObject({ state: 'cancelled', startedAt: null });
    expect(await server.session(session)).toMatchObject({ status: 'working', queuedCount: 0 });
    await server.cancelTurn(first.turn.id);
    expect((await server.messages(session)).map(({ text: words }) => words)).toContain('Never asked');
    expect(server.provider.requests.some(({ said }) => said === 'Never asked')).toBe(false);
  });

  test('with its session, also while the turn before it ends and it is just being started', async () => {
    answer({ steps: [...text('Begun'), STALL] });
    const race = async () => {
      const session = await server.open();
      const first = await server.send(session, 'First');
      const second = await server.send(session, 'Second');
      const params = { sessionId: session };
      await Promise.all([server.cancelTurn(first.turn.id), server.call('cancelSession', { params })]);
      return Promise.all([first, second].map(({ turn }) => server.turn(turn.id)));
    };
    for (let time = 0; time < 8; time++)
      for (const turns of await Promise.all(Array.from({ length: 4 }, race)))
        expect(turns.map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
  });

  test('before its model has answered at all', async () => {
    answer({ delayMs: 60_000 });
    const session = await server.open();
    const { turn } = await server.send(session, 'Silence');
    const request = await requestOf('Silence');
    expect((await server.cancelTurn(turn.id)).cancelled).toEqual([turn.id]);
    await request.closed;
    expect(request.abortedAt).toBeDefined();
    expect(await server.turn(turn.id)).toMatchObject({ state: 'cancelled', stopReason: 'cancelled', error: null });
    expect(await server.transcript(session)).toEqual(['user: Silence']);
    expect((await server.session(session)).status).toBe('active');
  });

  test('before the first word', async () => {
    answer({ steps: [STALL] });
    const session = await server.open();
    const { turn } = await server.send(session, 'No word yet');
    const request = await requestOf('No word yet');
    await server.cancelTurn(turn.id);
    await request.closed;
    expect(request.abortedAt).toBeDefined();
    expect(await server.transcript(session)).toEqual(['user: No word yet']);
  });

  test('in the middle: what was said stays, marked as interrupted', async () => {
    answer({ steps: [...text('One ', 'two '), STALL] });
    const session = await server.open();
    const { turn } = await server.send(session, 'Middle');
    await server.speaking(session, 'two');
    const request = await requestOf('Middle');
    await server.cancelTurn(turn.id);
    await request.closed;
    expect(request.abortedAt).toBeDefined();
    expect((await server.messages(session)).at(-1)).toMatchObject({
      text: 'One two ',
      status: 'interrupted',
      agent: 'ada',
    });
    answer({ steps: text('Three.') });
    await server.say(session, 'Go on');
    expect(server.prompt('ada').map(({ content }) => content)).toEqual(['You are ada.', 'Middle', 'One two ', 'Go on']);
  });

  test('while it thinks: the thoughts stay', async () => {
    answer({ steps: [{ kind: 'reasoning', text: 'Let me think' }, STALL] });
    const session = await server.open();
    const { turn } = await server.send(session, 'Think');
    await server.speaking(session, 'think');
    await server.cancelTurn(turn.id);
    expect((await server.messages(session)).at(-1)).toMatchObject({
      status: 'interrupted',
      text: '',
      parts: [{ type: 'reasoning', text: 'Let me think' }],
    });
    answer({ steps: text('Well.') });
    await server.say(session, 'So?');
    expect(server.prompt('ada').map(({ content }) => content)).toEqual([
      'You are ada.',
      'Think\n\n[Next message:]\n\nSo?',
    ]);
  });

  test('once only: what is over stays as it is', async () => {
    const session = await server.open();
    const { turn } = await server.say(session, 'Done');
    expect(await server.cancelTurn(turn.id)).toEqual({ cancelled: [] });
    expect(await server.turn(turn.id)).toEqual(turn);
  });

  test('at its very end: exactly one ending, whichever came first', async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      const session = await server.open();
      const { turn } = await server.send(session, `Race ${attempt}`);
      const { cancelled } = await server.cancelTurn(turn.id);
      const { state } = await server.settled(turn.id);
      expect(state).toBe(cancelled.length === 1 ? 'cancelled' : 'complete');
      const leave = new AbortController();
      const { lastSeq } = await server.session(session);
      let endings = 0;
      for await (const { type, id } of server.parley.events(
        `/api/sessions/${session}/events?after=0`,
        {},
        leave.signal,
      )) {
        if (type === 'turn.settled') endings += 1;
        if (Number.parseInt(id ?? '', 10) === lastSeq) break;
      }
      leave.abort();
      expect(endings).toBe(1);
    }
  });

  test('twice at the same time', async () => {
    answer({ steps: [...text('Begun'), STALL] });
    const session = await server.open();
    const { turn } = await server.send(session, 'Twice');
    await server.speaking(session);
    const stops = await Promise.all([server.cancelTurn(turn.id), server.cancelTurn(turn.id)]);
    expect(stops.flatMap(({ cancelled }) => cancelled)).toContain(turn.id);
    expect((await server.messages(session)).filter(({ role }) => role === 'assistant')).toHaveLength(1);
  });
});

describe('a session can be stopped', () => {
  test('with everything that waits; the words keep the order in which they were sent', async () => {
    answer({ steps: [...text('Begun'), STALL] });
    const session = await server.open();
    const turns = [];
    for (const content of ['One', 'Two', 'Three', 'Four']) turns.push((await server.send(session, content)).turn.id);
    await server.speaking(session);
    const { cancelled } = await server.call('cancelSession', { params: { sessionId: session } });
    expect(new Set(cancelled)).toEqual(new Set(turns));
    const said = (await server.messages(session)).map(({ text: words }) => words);
    expect(said).toEqual(['One', 'Begun', 'Two', 'Three', 'Four']);
    expect(await server.session(session)).toMatchObject({ status: 'active', queuedCount: 0, messageCount: 5 });
    for (const turn of await server.turns(session)) expect(turn.state).toBe('cancelled');
    for (const name of ['Two', 'Three', 'Four'])
      expect(server.provider.requests.some(({ said: words, at }) => words === name && at > Date.now() - 5000)).toBe(
        false,
      );
  });

  test('when nothing goes on, to no effect', async () => {
    const session = await server.open();
    expect(await server.call('cancelSession', { params: { sessionId: session } })).toEqual({ cancelled: [] });
    await server.refused('session_not_found', 'cancelSession', { params: { sessionId: 'nowhere' } });
  });

  test('while it makes room: the turn ends and nothing is archived', async () => {
    const small = { agentId: 'small', ...SMALL, chat: { ...SMALL.chat, baseUrl: `${server.provider.url}/v1` } };
    await server.call('createAgent', { body: small });
    const session = await server.open('small');
    for (let index = 0; index < 3; index++) await server.say(session, `${index} ${'long '.repeat(150)}`);
    server.provider.script(({ body }) => (isSummary(body) ? { steps: [STALL] } : { steps: text('Yes.') }));
    const { turn } = await server.send(session, `last ${'long '.repeat(400)}`);
    const request = await server.asked(({ body }) => isSummary(body));
    await server.cancelTurn(turn.id);
    await request.closed;
    expect(request.abortedAt).toBeDefined();
    expect((await server.turn(turn.id)).state).toBe('cancelled');
    expect((await server.messages(session)).some(({ archived }) => archived)).toBe(false);
  });
});

const SMALL = {
  description: 'Reads little.',
  chat: { provider: 'openai-compatible', model: 'model-of-small', contextWindow: 1000, compactionThreshold: 0.9 },
  // Schemas of tools count as well: with them, the first message alone would not fit.
  toolAllowlist: [],
};

test('a turn that takes too long is stopped, keeps what it said, and says so', async () => {
  answer({ steps: [...text('Slow'), { kind: 'stall', pingMs: 50 }] });
  const session = await server.open();
  const { turn, answer: said } = await server.say(session, 'Too long');
  expect(turn).toMatchObject({ state: 'failed', stopReason: 'turn_timeout', error: { code: 'turn_timeout' } });
  expect(said).toMatchObject({ text: 'Slow', status: 'interrupted' });
  expect((await server.session(session)).status).toBe('error');
});

describe('a turn that runs is not disturbed', () => {
  test('when its session is renamed, moved, pinned and archived', async () => {
    answer({ steps: [...text('Begun'), { kind: 'wait', ms: 250 }, ...text(', done.')] });
    const session = await server.open();
    const { turn } = await server.send(session, 'Hi');
    await server.speaking(session);
    const params = { sessionId: session };
    await server.call('renameSession', { params, body: { name: 'Renamed while working' } });
    await server.call('patchSession', { params, body: { folder: 'Work', attributes: { a: 1 } } });
    await server.call('pinSession', { params });
    await server.call('archiveSession', { params });
    expect((await server.settled(turn.id)).state).toBe('complete');
    expect(await server.session(session)).toMatchObject({
      name: 'Renamed while working',
      folder: 'Work',
      attributes: { a: 1 },
      messageCount: 2,
      status: 'active',
    });
    expect((await server.messages(session)).at(-1)?.text).toBe('Begun, done.');
  });

  test('when the primary is switched: the next turn is the other’s', async () => {
    answer({ steps: [...text('Begun'), { kind: 'wait', ms: 150 }, ...text(', done.')] });
    const session = await server.open();
    const { turn } = await server.send(session, 'Hi');
    await server.call('patchSession', { params: { sessionId: session }, body: { agentId: 'bob' } });
    await server.settled(turn.id);
    await server.say(session, 'Next');
    expect((await server.messages(session)).map(({ agent }) => agent)).toEqual([null, 'ada', null, 'bob']);
  });

  test.each(['clearSession', 'deleteSession'] as const)(
    'but is stopped by %s, and writes nothing more',
    async (route) => {
      answer({ steps: [...text('Begun'), STALL] });
      const session = await server.open();
      const said = `Stopped by ${route}`;
      await server.send(session, said);
      await server.send(session, 'Waits');
      await server.speaking(session);
      const request = await requestOf(said);
      await server.call(route, { params: { sessionId: session } });
      await request.closed;
      expect(request.abortedAt).toBeDefined();
      if (route === 'deleteSession') {
        await server.refused('session_not_found', 'getSession', { params: { sessionId: session } });
        return;
      }
      expect(await server.session(session)).toMatchObject({ status: 'idle', messageCount: 0, queuedCount: 0 });
      answer({ steps: text('Fresh.') });
      const { turn } = await server.say(session, 'Start over');
      expect(turn.state).toBe('complete');
      expect(await server.transcript(session)).toEqual(['user: Start over', 'ada: Fresh.']);
      await until(
        () => server.session(session),
        ({ status }) => status === 'active',
      );
    },
  );
});
