import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SendMessageInput } from '../../contract/turns.ts';
import { until } from '../harness/parley.ts';
import { type Gate, gate, text } from '../harness/scripted-script.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
let held: Gate;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.close());

/** Messages that begin with "Hold" are answered in two halves, the second once the gate is open. */
beforeEach(() => {
  held = gate();
  server.provider.script(({ said }) => ({
    steps: said.startsWith('Hold')
      ? [...text('First half,'), { kind: 'gate', until: held.until }, ...text(' second half.')]
      : text(`Re: ${said}`),
  }));
});
afterEach(() => held.open());

/** A session whose agent is in the middle of an answer. */
async function busy(agentId = 'ada'): Promise<{ session: string; turnId: string }> {
  const session = await server.open(agentId);
  const { turn } = await server.send(session, 'Hold on');
  await server.speaking(session, 'First half');
  return { session, turnId: turn.id };
}

async function idle(session: string): Promise<void> {
  await until(
    () => server.session(session),
    ({ status }) => status !== 'working',
  );
}

describe('a message to a busy session', () => {
  test('waits, visibly, and is answered in its turn', async () => {
    const { session } = await busy();
    const second = await server.send(session, 'Second');
    await server.send(session, { content: 'Third', guest: 'bob' });
    expect([second.turn.state, second.message.status, second.message.seq]).toEqual(['queued', 'queued', null]);
    expect(await server.queue(session)).toEqual(['Second', 'Third']);
    expect((await server.messages(session)).map(({ text: words, status }) => [words, status])).toEqual([
      ['Hold on', 'complete'],
      ['Second', 'queued'],
      ['Third', 'queued'],
    ]);
    expect(await server.session(session)).toMatchObject({ status: 'working', messageCount: 1, queuedCount: 2 });
    held.open();
    await idle(session);
    expect(await server.transcript(session)).toEqual([
      'user: Hold on',
      'ada: First half, second half.',
      'user: Second',
      'ada: Re: Second',
      'user: Third',
      'bob: Re: Third',
    ]);
    expect(await server.session(session)).toMatchObject({ status: 'active', messageCount: 6, queuedCount: 0 });
    expect(await server.queue(session)).toEqual([]);
  });

  test('is not in the request of the turn that runs', async () => {
    const { session } = await busy();
    await server.send(session, 'Second');
    held.open();
    await idle(session);
    expect(server.prompt('ada').map(({ content }) => content)).toEqual([
      'You are ada.',
      'Hold on',
      'First half, second half.',
      'Second',
    ]);
  });

  test('can be edited: the new words are what is sent, found and stored', async () => {
    const { session } = await busy();
    const { turn, message } = await server.send(session, 'Misspelt zebra');
    const edited = await server.call('editQueued', { params: { turnId: turn.id }, body: { content: 'Spelt giraffe' } });
    expect(edited.turn).toMatchObject({ id: turn.id, state: 'queued' });
    expect(await server.queue(session)).toEqual(['Spelt giraffe']);
    held.open();
    await server.settled(turn.id);
    expect(server.prompt('ada').at(-1)?.content).toBe('Spelt giraffe');
    expect((await server.call('getMessage', { params: { messageId: message.id } })).text).toBe('Spelt giraffe');
    expect((await server.call('search', { query: { q: 'zebra' } })).hits).toEqual([]);
    expect((await server.call('search', { query: { q: 'giraffe' } })).hits).not.toEqual([]);
  });

  test('cannot be edited into nothing but white space', async () => {
    const { session } = await busy();
    const { turn } = await server.send(session, 'Kept');
    await server.refused('invalid_request', 'editQueued', { params: { turnId: turn.id }, body: { content: ' \n ' } });
    expect(await server.queue(session)).toEqual(['Kept']);
    held.open();
    await server.settled(turn.id);
  });

  test('can be moved: to the front, to the middle, to the end and past it', async () => {
    const { session } = await busy();
    const turns: Record<string, string> = {};
    for (const content of ['a', 'b', 'c', 'd']) turns[content] = (await server.send(session, content)).turn.id;
    const move = (content: string, position: number) =>
      server.call('editQueued', { params: { turnId: turns[content]! }, body: { position } });
    await move('c', 0);
    expect(await server.queue(session)).toEqual(['c', 'a', 'b', 'd']);
    await move('d', 1);
    expect(await server.queue(session)).toEqual(['c', 'd', 'a', 'b']);
    await move('c', 3);
    expect(await server.queue(session)).toEqual(['d', 'a', 'b', 'c']);
    await move('d', 99);
    expect(await server.queue(session)).toEqual(['a', 'b', 'c', 'd']);
    await move('b', 1);
    expect(await server.queue(session)).toEqual(['a', 'b', 'c', 'd']);
    held.open();
    await idle(session);
    const said = (await server.messages(session)).filter(({ role }) => role === 'user').map(({ text: words }) => words);
    expect(said).toEqual(['Hold on', 'a', 'b', 'c', 'd']);
  });

  test('can be taken back, and leaves nothing behind', async () => {
    const { session } = await busy();
    const { turn, message } = await server.send(session, 'Never mind the ocelot');
    await server.call('removeQueued', { params: { turnId: turn.id } });
    expect(await server.queue(session)).toEqual([]);
    expect((await server.session(session)).queuedCount).toBe(0);
    await server.refused('turn_not_found', 'getTurn', { params: { turnId: turn.id } });
    await server.refused('message_not_found', 'getMessage', { params: { messageId: message.id } });
    expect((await server.call('search', { query: { q: 'ocelot' } })).hits).toEqual([]);
    held.open();
    await idle(session);
    expect(await server.transcript(session)).toEqual(['user: Hold on', 'ada: First half, second half.']);
  });

  test('can no longer be edited or taken back once its turn has begun or is over', async () => {
    const { session, turnId } = await busy();
    const given = { params: { turnId }, body: { content: 'Too late' } };
    await server.refused('turn_not_queued', 'editQueued', given);
    await server.refused('turn_not_queued', 'removeQueued', { params: { turnId } });
    held.open();
    await idle(session);
    await server.refused('turn_not_queued', 'editQueued', given);
  });

  test('is refused past twenty that wait', async () => {
    const { session } = await busy();
    for (let index = 0; index < 20; index++) await server.send(session, `Message ${index}`);
    const given = { params: { sessionId: session }, body: { content: 'One too many' } };
    await server.refused('queue_full', 'sendMessage', given);
    expect(await server.queue(session)).toHaveLength(20);
    const { queue } = await server.call('listQueue', { params: { sessionId: session } });
    await server.call('removeQueued', { params: { turnId: queue[0]!.turn.id } });
    await server.send(session, 'Fits again');
    await server.call('cancelSession', { params: { sessionId: session } });
  });

  test('switches the primary for those after it', async () => {
    const { session } = await busy();
    await server.send(session, { content: 'Second', agent: 'bob' });
    await server.send(session, 'Third');
    held.open();
    await idle(session);
    expect((await server.messages(session)).map(({ agent }) => agent).filter(Boolean)).toEqual(['ada', 'bob', 'bob']);
  });

  test('switches the primary only when its turn starts: taken back, it changes nothing', async () => {
    const { session } = await busy();
    const { turn } = await server.send(session, { content: 'Second', agent: 'bob' });
    expect((await server.send(session, 'Third')).turn.agentId).toBe('bob');
    expect((await server.session(session)).agentId).toBe('ada');
    await server.call('removeQueued', { params: { turnId: turn.id } });
    held.open();
    await idle(session);
    expect((await server.session(session)).agentId).toBe('ada');
    expect((await server.messages(session)).map(({ agent }) => agent).filter(Boolean)).toEqual(['ada', 'ada']);
  });

  test('interrupts what runs also when the queue is full', async () => {
    const { session, turnId } = await busy();
    for (let index = 0; index < 20; index++) await server.send(session, `Message ${index}`);
    await server.send(session, { content: 'Urgent', busy: 'interrupt' });
    await idle(session);
    expect(await server.turn(turnId)).toMatchObject({ state: 'interrupted' });
  });
});

describe('instead of waiting, the sender may', () => {
  test('reject: nothing is written', async () => {
    const { session } = await busy();
    const before = await server.session(session);
    const given = { params: { sessionId: session }, body: { content: 'Now or never', busy: 'reject', agent: 'bob' } };
    await server.refused('session_busy', 'sendMessage', given);
    expect(await server.session(session)).toEqual(before);
    held.open();
    await idle(session);
    await server.say(session, { content: 'Now', busy: 'reject' });
  });

  test('interrupt: what runs gives way, keeps what it said, and what waited waits on', async () => {
    const { session, turnId } = await busy();
    await server.send(session, 'Waits');
    await server.send(session, { content: 'Urgent', busy: 'interrupt' });
    await idle(session);
    expect(await server.turn(turnId)).toMatchObject({ state: 'interrupted', stopReason: 'interrupted_by_message' });
    expect(await server.transcript(session)).toEqual([
      'user: Hold on',
      'ada: First half,',
      'user: Urgent',
      'ada: Re: Urgent',
      'user: Waits',
      'ada: Re: Waits',
    ]);
    expect((await server.messages(session))[1]?.status).toBe('interrupted');
    expect(server.provider.requests.findLast(({ said }) => said === 'Hold on')?.abortedAt).toBeDefined();
  });

  test('interrupt an idle session: an ordinary message', async () => {
    const { turn } = await server.say(await server.open(), { content: 'Hi', busy: 'interrupt' });
    expect(turn.state).toBe('complete');
  });
});

describe('steering', () => {
  async function steered(message: Partial<SendMessageInput> = {}) {
    const { session, turnId } = await busy();
    const { turn } = await server.send(session, { content: 'Also mention cats', busy: 'steer', ...message });
    held.open();
    await idle(session);
    return { session, turnId, steering: await server.turn(turn.id) };
  }

  test('hands the message to the turn that runs, between two steps', async () => {
    const { session, turnId, steering } = await steered();
    expect(steering).toMatchObject({ state: 'complete', stopReason: 'steered', steeredInto: turnId, answerId: null });
    expect(await server.transcript(session)).toEqual([
      'user: Hold on',
      'ada: First half, second half.',
      'user: Also mention cats',
      'ada: Re: Also mention cats',
    ]);
    expect((await server.messages(session)).map((message) => message.turnId)).toEqual([
      turnId,
      turnId,
      steering.id,
      turnId,
    ]);
    expect(server.prompt('ada').slice(1)).toEqual([
      { role: 'user', content: 'Hold on' },
      { role: 'assistant', content: 'First half, second half.' },
      { role: 'user', content: 'Also mention cats' },
    ]);
    const { steps } = await server.call('seenByTurn', { params: { turnId } });
    expect(steps.map(({ messages }) => messages.map(({ text: words }) => words))).toEqual([
      ['Hold on'],
      ['Hold on', 'First half, second half.', 'Also mention cats'],
    ]);
  });

  test('of a turn that ends before it could take the message becomes a turn of its own', async () => {
    const { session, turnId } = await busy();
    const { turn } = await server.send(session, { content: 'Too late?', busy: 'steer' });
    await server.cancelTurn(turnId);
    await server.settled(turn.id);
    expect(await server.turn(turn.id)).toMatchObject({ state: 'complete', stopReason: 'stop', steeredInto: null });
    expect(await server.transcript(session)).toEqual([
      'user: Hold on',
      'ada: First half,',
      'user: Too late?',
      'ada: Re: Too late?',
    ]);
  });

  test('of an idle session is an ordinary message', async () => {
    const { turn, answer } = await server.say(await server.open(), { content: 'Hi', busy: 'steer' });
    expect([turn.steeredInto, answer?.text]).toEqual([null, 'Re: Hi']);
  });

  test.each([{ guest: 'bob' }, { agent: 'bob' }])('%o is for somebody else, who answers afterwards', async (who) => {
    const { session, steering } = await steered(who);
    expect(steering.steeredInto).toBeNull();
    expect((await server.messages(session)).at(-1)).toMatchObject({ agent: 'bob', text: 'Re: Also mention cats' });
  });

  test('a guest is possible, and what it says stays a guest’s', async () => {
    const session = await server.open();
    await server.send(session, { content: 'Hold on', guest: 'bob' });
    await server.speaking(session, 'First half');
    await server.send(session, { content: 'More', guest: 'bob', busy: 'steer' });
    held.open();
    await idle(session);
    const said = (await server.messages(session)).map(({ agent, guest }) => [agent, guest]);
    expect(said).toEqual([
      [null, false],
      ['bob', true],
      [null, false],
      ['bob', true],
    ]);
  });

  test('a guest that is then stopped leaves nothing of the answer in which it was stopped', async () => {
    const session = await server.open();
    const { turn: first } = await server.send(session, { content: 'Hold on', guest: 'bob' });
    await server.speaking(session, 'First half');
    server.provider.script(() => ({ steps: [...text('Second answer, '), { kind: 'stall' }] }));
    const { turn: second } = await server.send(session, { content: 'More', guest: 'bob', busy: 'steer' });
    held.open();
    await server.speaking(session, 'Second answer');
    await server.cancelTurn(second.id);
    expect([(await server.settled(first.id)).state, (await server.settled(second.id)).state]).toEqual([
      'complete',
      'cancelled',
    ]);
    expect(await server.transcript(session)).toEqual(['user: Hold on', 'bob: First half, second half.', 'user: More']);
  });

  test.each([{}, { agent: 'bob' }])('%o is not for the guest that speaks, but for the primary', async (who) => {
    const session = await server.open();
    await server.send(session, { content: 'Hold on', guest: 'bob' });
    await server.speaking(session, 'First half');
    const { turn } = await server.send(session, { content: 'For the primary', busy: 'steer', ...who });
    held.open();
    await idle(session);
    expect(await server.turn(turn.id)).toMatchObject({ steeredInto: null, guest: false, state: 'complete' });
    const said = (await server.messages(session)).map(({ agent, guest }) => [agent, guest]);
    expect(said.at(-1)).toEqual([who.agent ?? 'ada', false]);
  });
});

test('one turn at a time in a session, many sessions at once', async () => {
  const sessions = await Promise.all(Array.from({ length: 8 }, () => busy()));
  const overlapping = await server.call('listSessions', { query: { status: 'working', limit: 200 } });
  expect(overlapping.sessions.length).toBeGreaterThanOrEqual(8);
  const extra = await Promise.all(
    sessions.flatMap(({ session }) => [1, 2, 3].map((n) => server.send(session, `${n}`))),
  );
  for (const { session } of sessions) {
    const running = (await server.turns(session)).filter(({ state }) => state === 'running');
    expect(running).toHaveLength(1);
  }
  held.open();
  for (const { turn } of extra) expect((await server.settled(turn.id)).state).toBe('complete');
  for (const { session } of sessions) {
    const messages = await server.messages(session);
    expect(messages.map(({ role }) => role)).toEqual(Array.from({ length: 4 }, () => ['user', 'assistant']).flat());
    expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  }
});
