import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../harness/parley.ts';
import { type Script, type Step, text } from '../harness/scripted-script.ts';
import { Stage } from './stage.ts';
import { isSummary } from './summarising.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start({ config: { limits: { turnMs: 1500 } } });
});
afterAll(() => stage.close());
beforeEach(() => answer({ steps: text('Yes.') }));

const STALL: Step = { kind: 'stall' };

function answer(script: Script): void {
  stage.provider.script(() => script);
}

async function requestOf(said: string) {
  return stage.asked((request) => request.said === said);
}

describe('a turn can be stopped', () => {
  test('while it waits: the words keep their place, nobody is asked', async () => {
    answer({ steps: [...text('Begun'), STALL] });
    const session = await stage.open();
    const first = await stage.send(session, 'First');
    const second = await stage.send(session, 'Never asked');
    expect((await stage.cancelTurn(second.turn.id)).cancelled).toEqual([second.turn.id]);
    expect(await stage.turn(second.turn.id)).toMatchObject({ state: 'cancelled', startedAt: null });
    expect(await stage.session(session)).toMatchObject({ status: 'working', queuedCount: 0 });
    await stage.cancelTurn(first.turn.id);
    expect((await stage.messages(session)).map(({ text: words }) => words)).toContain('Never asked');
    expect(stage.provider.requests.some(({ said }) => said === 'Never asked')).toBe(false);
  });

  test('with its session, also while the turn before it ends and it is just being started', async () => {
    answer({ steps: [...text('Begun'), STALL] });
    const race = async () => {
      const session = await stage.open();
      const first = await stage.send(session, 'First');
      const second = await stage.send(session, 'Second');
      const params = { sessionId: session };
      await Promise.all([stage.cancelTurn(first.turn.id), stage.call('cancelSession', { params })]);
      return Promise.all([first, second].map(({ turn }) => stage.turn(turn.id)));
    };
    for (let time = 0; time < 8; time++)
      for (const turns of await Promise.all(Array.from({ length: 4 }, race)))
        expect(turns.map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
  });

  test('before its model has answered at all', async () => {
    answer({ delayMs: 60_000 });
    const session = await stage.open();
    const { turn } = await stage.send(session, 'Silence');
    const request = await requestOf('Silence');
    expect((await stage.cancelTurn(turn.id)).cancelled).toEqual([turn.id]);
    await request.closed;
    expect(request.abortedAt).toBeDefined();
    expect(await stage.turn(turn.id)).toMatchObject({ state: 'cancelled', stopReason: 'cancelled', error: null });
    expect(await stage.transcript(session)).toEqual(['user: Silence']);
    expect((await stage.session(session)).status).toBe('active');
  });

  test('before the first word', async () => {
    answer({ steps: [STALL] });
    const session = await stage.open();
    const { turn } = await stage.send(session, 'No word yet');
    const request = await requestOf('No word yet');
    await stage.cancelTurn(turn.id);
    await request.closed;
    expect(request.abortedAt).toBeDefined();
    expect(await stage.transcript(session)).toEqual(['user: No word yet']);
  });

  test('in the middle: what was said stays, marked as interrupted', async () => {
    answer({ steps: [...text('One ', 'two '), STALL] });
    const session = await stage.open();
    const { turn } = await stage.send(session, 'Middle');
    await stage.speaking(session, 'two');
    const request = await requestOf('Middle');
    await stage.cancelTurn(turn.id);
    await request.closed;
    expect(request.abortedAt).toBeDefined();
    expect((await stage.messages(session)).at(-1)).toMatchObject({
      text: 'One two ',
      status: 'interrupted',
      agent: 'ada',
    });
    answer({ steps: text('Three.') });
    await stage.say(session, 'Go on');
    expect(stage.prompt('ada').map(({ content }) => content)).toEqual(['You are ada.', 'Middle', 'One two ', 'Go on']);
  });

  test('while it thinks: the thoughts stay', async () => {
    answer({ steps: [{ kind: 'reasoning', text: 'Let me think' }, STALL] });
    const session = await stage.open();
    const { turn } = await stage.send(session, 'Think');
    await stage.speaking(session, 'think');
    await stage.cancelTurn(turn.id);
    expect((await stage.messages(session)).at(-1)).toMatchObject({
      status: 'interrupted',
      text: '',
      parts: [{ type: 'reasoning', text: 'Let me think' }],
    });
    answer({ steps: text('Well.') });
    await stage.say(session, 'So?');
    expect(stage.prompt('ada').map(({ content }) => content)).toEqual(['You are ada.', 'Think', 'So?']);
  });

  test('once only: what is over stays as it is', async () => {
    const session = await stage.open();
    const { turn } = await stage.say(session, 'Done');
    expect(await stage.cancelTurn(turn.id)).toEqual({ cancelled: [] });
    expect(await stage.turn(turn.id)).toEqual(turn);
  });

  test('at its very end: exactly one ending, whichever came first', async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      const session = await stage.open();
      const { turn } = await stage.send(session, `Race ${attempt}`);
      const { cancelled } = await stage.cancelTurn(turn.id);
      const { state } = await stage.settled(turn.id);
      expect(state).toBe(cancelled.length === 1 ? 'cancelled' : 'complete');
      const leave = new AbortController();
      const { lastSeq } = await stage.session(session);
      let endings = 0;
      for await (const { type, id } of stage.parley.events(
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
    const session = await stage.open();
    const { turn } = await stage.send(session, 'Twice');
    await stage.speaking(session);
    const stops = await Promise.all([stage.cancelTurn(turn.id), stage.cancelTurn(turn.id)]);
    expect(stops.flatMap(({ cancelled }) => cancelled)).toContain(turn.id);
    expect((await stage.messages(session)).filter(({ role }) => role === 'assistant')).toHaveLength(1);
  });
});

describe('a session can be stopped', () => {
  test('with everything that waits; the words keep the order in which they were sent', async () => {
    answer({ steps: [...text('Begun'), STALL] });
    const session = await stage.open();
    const turns = [];
    for (const content of ['One', 'Two', 'Three', 'Four']) turns.push((await stage.send(session, content)).turn.id);
    await stage.speaking(session);
    const { cancelled } = await stage.call('cancelSession', { params: { sessionId: session } });
    expect(new Set(cancelled)).toEqual(new Set(turns));
    const said = (await stage.messages(session)).map(({ text: words }) => words);
    expect(said).toEqual(['One', 'Begun', 'Two', 'Three', 'Four']);
    expect(await stage.session(session)).toMatchObject({ status: 'active', queuedCount: 0, messageCount: 5 });
    for (const turn of await stage.turns(session)) expect(turn.state).toBe('cancelled');
    for (const name of ['Two', 'Three', 'Four'])
      expect(stage.provider.requests.some(({ said: words, at }) => words === name && at > Date.now() - 5000)).toBe(
        false,
      );
  });

  test('when nothing goes on, to no effect', async () => {
    const session = await stage.open();
    expect(await stage.call('cancelSession', { params: { sessionId: session } })).toEqual({ cancelled: [] });
    await stage.refused('session_not_found', 'cancelSession', { params: { sessionId: 'nowhere' } });
  });

  test('while it makes room: the turn ends and nothing is archived', async () => {
    const small = { agentId: 'small', ...SMALL, chat: { ...SMALL.chat, baseUrl: `${stage.provider.url}/v1` } };
    await stage.call('createAgent', { body: small });
    const session = await stage.open('small');
    for (let index = 0; index < 3; index++) await stage.say(session, `${index} ${'long '.repeat(150)}`);
    stage.provider.script(({ body }) => (isSummary(body) ? { steps: [STALL] } : { steps: text('Yes.') }));
    const { turn } = await stage.send(session, `last ${'long '.repeat(400)}`);
    const request = await stage.asked(({ body }) => isSummary(body));
    await stage.cancelTurn(turn.id);
    await request.closed;
    expect(request.abortedAt).toBeDefined();
    expect((await stage.turn(turn.id)).state).toBe('cancelled');
    expect((await stage.messages(session)).some(({ archived }) => archived)).toBe(false);
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
  const session = await stage.open();
  const { turn, answer: said } = await stage.say(session, 'Too long');
  expect(turn).toMatchObject({ state: 'failed', stopReason: 'turn_timeout', error: { code: 'turn_timeout' } });
  expect(said).toMatchObject({ text: 'Slow', status: 'interrupted' });
  expect((await stage.session(session)).status).toBe('error');
});

describe('a turn that runs is not disturbed', () => {
  test('when its session is renamed, moved, pinned and archived', async () => {
    answer({ steps: [...text('Begun'), { kind: 'wait', ms: 250 }, ...text(', done.')] });
    const session = await stage.open();
    const { turn } = await stage.send(session, 'Hi');
    await stage.speaking(session);
    const params = { sessionId: session };
    await stage.call('renameSession', { params, body: { name: 'Renamed while working' } });
    await stage.call('patchSession', { params, body: { folder: 'Work', attributes: { a: 1 } } });
    await stage.call('pinSession', { params });
    await stage.call('archiveSession', { params });
    expect((await stage.settled(turn.id)).state).toBe('complete');
    expect(await stage.session(session)).toMatchObject({
      name: 'Renamed while working',
      folder: 'Work',
      attributes: { a: 1 },
      messageCount: 2,
      status: 'active',
    });
    expect((await stage.messages(session)).at(-1)?.text).toBe('Begun, done.');
  });

  test('when the primary is switched: the next turn is the other’s', async () => {
    answer({ steps: [...text('Begun'), { kind: 'wait', ms: 150 }, ...text(', done.')] });
    const session = await stage.open();
    const { turn } = await stage.send(session, 'Hi');
    await stage.call('patchSession', { params: { sessionId: session }, body: { agentId: 'bob' } });
    await stage.settled(turn.id);
    await stage.say(session, 'Next');
    expect((await stage.messages(session)).map(({ agent }) => agent)).toEqual([null, 'ada', null, 'bob']);
  });

  test.each(['clearSession', 'deleteSession'] as const)(
    'but is stopped by %s, and writes nothing more',
    async (route) => {
      answer({ steps: [...text('Begun'), STALL] });
      const session = await stage.open();
      const said = `Stopped by ${route}`;
      await stage.send(session, said);
      await stage.send(session, 'Waits');
      await stage.speaking(session);
      const request = await requestOf(said);
      await stage.call(route, { params: { sessionId: session } });
      await request.closed;
      expect(request.abortedAt).toBeDefined();
      if (route === 'deleteSession') {
        await stage.refused('session_not_found', 'getSession', { params: { sessionId: session } });
        return;
      }
      expect(await stage.session(session)).toMatchObject({ status: 'idle', messageCount: 0, queuedCount: 0 });
      answer({ steps: text('Fresh.') });
      const { turn } = await stage.say(session, 'Start over');
      expect(turn.state).toBe('complete');
      expect(await stage.transcript(session)).toEqual(['user: Start over', 'ada: Fresh.']);
      await until(
        () => stage.session(session),
        ({ status }) => status === 'active',
      );
    },
  );
});
