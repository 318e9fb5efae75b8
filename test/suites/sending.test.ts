import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Problem } from '../../contract/errors.ts';
import { WireFrame } from '../../contract/events.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { scriptFromWords } from '../harness/scripted-words.ts';
import { matches, TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.close());
beforeEach(() => server.provider.script(({ said }) => scriptFromWords(said, Promise.resolve(), () => 1)));

describe('a receipt', () => {
  test('says what was accepted, and the turn that answers it', async () => {
    const session = await server.open();
    const { turn, message, answer, duplicate } = await server.send(session, { id: 'mine-1', content: 'Hello' });
    expect(turn).toMatchObject({
      sessionId: session,
      agentId: 'ada',
      messageId: 'mine-1',
      guest: false,
      retryOf: null,
    });
    expect(message).toMatchObject({ id: 'mine-1', role: 'user', text: 'Hello', turnId: turn.id, agent: null });
    expect([answer, duplicate]).toEqual([null, false]);
    const read = await server.call('getMessage', { params: { messageId: 'mine-1' } });
    expect(read).toMatchObject({ text: 'Hello', seq: 1 });
  });

  test('that was waited for holds the answer', async () => {
    const { turn, answer, message } = await server.say(await server.open(), 'Hello');
    expect(turn).toMatchObject({ state: 'complete', stopReason: 'stop', error: null });
    expect(turn.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    expect(turn.answerId).toBe(answer?.id);
    expect(answer).toMatchObject({ text: 'You said: Hello', parentId: message.id, status: 'complete' });
  });

  test('that was waited for in a queue shows where the message ended up', async () => {
    const held = gate();
    server.provider.script(({ said }) =>
      said === 'Hold' ? { steps: [{ kind: 'gate', until: held.until }, ...text('Now.')] } : { steps: text('Yes.') },
    );
    const session = await server.open();
    await server.send(session, 'Hold');
    const waiting = server.say(session, 'Second');
    await expect.poll(() => server.queue(session)).toEqual(['Second']);
    held.open();
    const { turn, message, answer } = await waiting;
    expect([turn.state, message.status, message.seq, answer?.text]).toEqual(['complete', 'complete', 3, 'Yes.']);
  });

  test('comes after the given time also when the turn goes on', async () => {
    const session = await server.open();
    server.provider.script(() => ({ steps: [{ kind: 'stall' }] }));
    const began = Date.now();
    const given = { params: { sessionId: session }, query: { wait: 0.2 }, body: { content: 'Hi' } };
    const { turn, answer } = await server.call('sendMessage', given);
    expect([turn.state, answer]).toEqual(['running', null]);
    expect(Date.now() - began).toBeLessThan(3000);
    await server.cancelTurn(turn.id);
  });
});

describe('messages sent at the same moment', () => {
  test('are accepted each for itself: those that are refused leave nothing behind and take none with them', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => server.open()));
    const body = { content: 'Hello' };
    const refused = [
      { params: { sessionId: 'not-there' }, body },
      { params: { sessionId: ids[0]! }, body: { ...body, agent: 'stranger' } },
      { params: { sessionId: ids[1]! }, body: { ...body, id: 'at-once-0' } },
    ];
    const accepted = ids.map((sessionId, index) => ({
      params: { sessionId },
      body: { ...body, id: `at-once-${index}` },
    }));
    const order = [
      ...accepted.slice(0, 2),
      refused[0]!,
      ...accepted.slice(2, 4),
      ...refused.slice(1),
      ...accepted.slice(4),
    ];
    const answers = await Promise.all(order.map((given) => server.ask('sendMessage', given)));
    const ends = answers.map(({ status, body }) => (status === 202 ? 'accepted' : (body as Problem).code));
    expect(ends).toEqual([
      ...['accepted', 'accepted', 'session_not_found', 'accepted', 'accepted'],
      ...['agent_not_found', 'message_id_conflict', 'accepted', 'accepted'],
    ]);
    for (const id of ids) {
      await expect
        .poll(async () => (await server.messages(id)).map(({ text }) => text))
        .toEqual(['Hello', 'You said: Hello']);
      expect(await server.turns(id)).toHaveLength(1);
    }
  });
});

describe('a message sent twice', () => {
  test('with the same id and content has one turn and one receipt', async () => {
    const session = await server.open();
    const first = await server.say(session, { id: 'twice', content: 'Hello' });
    const again = await server.say(session, { id: 'twice', content: 'Hello', busy: 'reject' });
    expect(again).toEqual({ ...first, duplicate: true });
    expect(await server.turns(session)).toHaveLength(1);
    expect(await server.messages(session)).toHaveLength(2);
  });

  test.each([{ content: 'Other' }, { content: 'Hello', guest: 'bob' }, { content: 'Hello', agent: 'ada' }])(
    'under the same id with %o is a conflict',
    async (other) => {
      const sessionId = await server.open();
      const id = `conflict-${Object.keys(other).join('-')}`;
      await server.say(sessionId, { id, content: 'Hello' });
      await server.refused('message_id_conflict', 'sendMessage', { params: { sessionId }, body: { id, ...other } });
      expect(await server.messages(sessionId)).toHaveLength(2);
    },
  );

  test('in another session is a conflict too', async () => {
    await server.say(await server.open(), { id: 'elsewhere', content: 'Hello' });
    const given = { params: { sessionId: await server.open() }, body: { id: 'elsewhere', content: 'Hello' } };
    await server.refused('message_id_conflict', 'sendMessage', given);
  });

  test('at the same moment, many times over, is accepted once', async () => {
    const session = await server.open();
    const sends = Array.from({ length: 12 }, () => server.send(session, { id: 'at-once', content: 'Hello' }));
    const receipts = await Promise.all(sends);
    expect(receipts.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(new Set(receipts.map(({ turn }) => turn.id)).size).toBe(1);
    await server.settled(receipts[0]!.turn.id);
    expect(await server.transcript(session)).toEqual(['user: Hello', 'ada: You said: Hello']);
  });

  test('as a stream gives the turn again, whether it goes on or is over', async () => {
    const session = await server.open();
    await server.say(session, { id: 'streamed-twice', content: 'Hello' });
    const frames = [];
    for await (const frame of server.parley.sendStream(session, { id: 'streamed-twice', content: 'Hello' }))
      frames.push(frame);
    expect(frames.map(({ type }) => type)).toEqual(['turn.started', 'message.created', 'turn.settled']);
    expect(frames[1]?.data.message.text).toBe('You said: Hello');
    for (const { data } of frames) matches(WireFrame, data);
  });

  test('as a stream while it is being answered goes on from what was said', async () => {
    const held = gate();
    server.provider.script(() => ({
      steps: [...text('Half'), { kind: 'gate', until: held.until }, ...text(' and half')],
    }));
    const session = await server.open();
    const message = { id: 'streamed-again', content: 'Hello' };
    await server.send(session, message);
    await server.speaking(session, 'Half');
    let heard = '';
    for await (const { type, data } of server.parley.sendStream(session, message)) {
      matches(WireFrame, data);
      if (type === 'turn.partial') heard = data.parts[0].text;
      if (type === 'turn.partial') held.open();
      if (type === 'delta') heard = heard.slice(0, data.offset) + data.text;
    }
    expect(heard).toBe('Half and half');
  });

  test('as a stream while it waits is told that it waits, and then answered', async () => {
    const held = gate();
    server.provider.script(() => ({ steps: [...text('Yes'), { kind: 'gate', until: held.until }] }));
    const session = await server.open();
    await server.send(session, 'Hold');
    const message = { id: 'waits-again', content: 'Hello' };
    await server.send(session, message);
    const types: string[] = [];
    for await (const { type, data } of server.parley.sendStream(session, message)) {
      matches(WireFrame, data);
      if (type !== 'delta') types.push(type);
      held.open();
    }
    expect(types).toEqual(['turn.queued', 'turn.started', 'message.created', 'turn.settled']);
  });

  test('after it was edited in the queue is still the same message', async () => {
    const held = gate();
    server.provider.script(() => ({ steps: [{ kind: 'gate', until: held.until }, ...text('Now.')] }));
    const session = await server.open();
    await server.send(session, 'Hold');
    const { turn } = await server.send(session, { id: 'edited', content: 'First words' });
    await server.call('editQueued', { params: { turnId: turn.id }, body: { content: 'Better words' } });
    const again = await server.send(session, { id: 'edited', content: 'First words' });
    expect([again.duplicate, again.message.text]).toEqual([true, 'Better words']);
    held.open();
    await server.settled(turn.id);
  });
});

describe('the stream of one turn', () => {
  test('shows every piece as it comes, with its place, and ends with the turn', async () => {
    server.provider.script(() => ({
      steps: [{ kind: 'reasoning', text: 'Hm.' }, ...text('One ', 'two ', 'three')],
    }));
    const frames = [];
    for await (const frame of server.parley.sendStream(await server.open(), { content: 'Hi' })) frames.push(frame);
    const deltas = frames.filter(({ type }) => type === 'delta').map(({ data }) => data);
    expect(deltas.map(({ part, kind, offset, text: piece }) => [part, kind, offset, piece])).toEqual([
      [0, 'reasoning', 0, 'Hm.'],
      [1, 'text', 0, 'One '],
      [1, 'text', 4, 'two '],
      [1, 'text', 8, 'three'],
    ]);
    expect(frames.at(-2)?.data.message.parts).toEqual([
      { type: 'reasoning', text: 'Hm.', durationMs: expect.any(Number) },
      { type: 'text', text: 'One two three' },
    ]);
    expect(frames.at(-1)).toMatchObject({ type: 'turn.settled', data: { turn: { state: 'complete' } } });
  });

  test('of a message that is refused is an ordinary answer', async () => {
    const response = await server.parley.request(
      'POST',
      `/api/sessions/${await server.open()}/messages`,
      { content: 'Hi', guest: 'nobody' },
      { Accept: 'text/event-stream' },
    );
    expect([response.status, (response.body as { code: string }).code]).toEqual([404, 'agent_not_found']);
  });

  test('of a queued message that is taken back ends', async () => {
    const session = await server.open();
    server.provider.script(() => ({ steps: [{ kind: 'stall' }] }));
    const first = await server.send(session, 'Hold');
    const types: string[] = [];
    for await (const { type, data } of server.parley.sendStream(session, { content: 'Waits' })) {
      types.push(type);
      if (type === 'turn.queued') await server.call('removeQueued', { params: { turnId: data.turn.id } });
    }
    expect(types).toEqual(['turn.queued', 'turn.removed']);
    await server.cancelTurn(first.turn.id);
  });

  test('ends when the session is cleared or deleted under it', async () => {
    server.provider.script(() => ({ steps: [...text('Begun'), { kind: 'stall' }] }));
    for (const route of ['clearSession', 'deleteSession'] as const) {
      const session = await server.open();
      const types: string[] = [];
      for await (const { type } of server.parley.sendStream(session, { content: 'Hi' })) {
        types.push(type);
        if (type === 'delta') await server.call(route, { params: { sessionId: session } });
      }
      expect(types.at(-1)).toBe(route === 'clearSession' ? 'session.cleared' : 'session.deleted');
    }
  });
});

describe('how a turn can end', () => {
  test.each([
    ['[[fail=401]]', 'model_auth'],
    ['[[fail=400 message=no]]', 'model_bad_request'],
    ['[[error=boom]]', 'model_'],
    ['[[reset]]', 'model_'],
    ['[[html]]', 'model_'],
    ['[[nofinish]]', 'model_'],
  ])('%s: failed, with a code and words for it, and a retry that works', async (words, code) => {
    const session = await server.open();
    const { turn } = await server.say(session, words);
    expect([turn.state, turn.stopReason]).toEqual(['failed', 'error']);
    expect(turn.error?.code).toContain(code.slice(0, 6));
    expect(turn.error?.message).not.toBe('');
    expect((await server.session(session)).status).toBe('error');
    server.provider.script(() => ({ steps: text('Better.') }));
    const retry = await server.call('retryTurn', { params: { turnId: turn.id }, query: { wait: 10 } });
    expect([retry.turn.state, retry.turn.retryOf, retry.answer?.text]).toEqual(['complete', turn.id, 'Better.']);
    expect((await server.session(session)).status).toBe('active');
    expect((await server.messages(session)).map(({ text: words }) => words)).toEqual([words, 'Better.']);
  });

  test('a model that says nothing has failed', async () => {
    const session = await server.open();
    server.provider.script(() => ({}));
    const { turn, answer } = await server.say(session, 'Hi');
    expect([turn.state, turn.error?.code, answer]).toEqual(['failed', 'empty_answer', null]);
    expect(await server.transcript(session)).toEqual(['user: Hi']);
  });

  test('a model that only thinks has said nothing, but what it thought is kept', async () => {
    server.provider.script(() => ({ steps: [{ kind: 'reasoning', text: 'Hm.' }] }));
    const { turn, answer } = await server.say(await server.open(), 'Hi');
    expect([turn.state, turn.error?.code]).toEqual(['failed', 'empty_answer']);
    expect(answer).toMatchObject({ status: 'interrupted', parts: [{ type: 'reasoning', text: 'Hm.' }] });
  });

  test('an answer that was cut off for its length is complete and says so, also in exports and shares', async () => {
    server.provider.script(() => ({ steps: text('Half'), finish: 'length' }));
    const sessionId = await server.open();
    const { turn } = await server.say(sessionId, 'Hi');
    expect([turn.state, turn.stopReason]).toEqual(['complete', 'length']);
    const { body } = await server.ask('exportSession', { params: { sessionId }, query: { format: 'markdown' } });
    expect(String(body)).toMatch(/^## ada · #2 · \S+ · cut off at the output limit$/m);
    const share = await server.call('createShare', { params: { sessionId }, body: {} });
    const token = new URL(share.url).pathname.split('/').at(-1)!;
    const shared = await server.call('readShare', { params: { token } });
    expect(shared.messages.map(({ cut }) => cut)).toEqual([undefined, 'length']);
  });

  test('what was said before a failure stays, marked as interrupted', async () => {
    const session = await server.open();
    const { turn, answer } = await server.say(session, 'Two words [[error=boom]]');
    expect(turn.state).toBe('failed');
    expect(answer).toMatchObject({ status: 'interrupted', agent: 'ada' });
    expect(answer?.text).toContain('Two words');
  });
});
