import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WireFrame } from '../../contract/events.ts';
import { text } from '../harness/scripted-script.ts';
import { readFrames } from '../harness/sse-frames.ts';
import { asProblem, matches, TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.close());
beforeEach(() => server.provider.script(({ body }) => ({ steps: text(`${String(body.model).slice(9)} `, 'speaks.') })));

/** The frames of one turn, each held against the contract. */
async function stream(message: object) {
  const response = await server.parley.fetch('POST', '/api/stream', message);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const frames = [];
  for await (const frame of readFrames(response)) {
    matches(WireFrame, frame.data);
    frames.push(frame);
  }
  return frames;
}

function sessionOf(frames: { data: { sessionId: string } }[]): string {
  return frames[0]!.data.sessionId;
}

describe('StreamMsg', () => {
  test('makes the session of (agent, sender) and streams the turn to its end', async () => {
    const frames = await stream({ agent: 'ada', sender: 'first', content: 'Hello' });
    expect(frames.map(({ type }) => type)).toEqual([
      'turn.queued',
      'turn.started',
      'delta',
      'delta',
      'message.created',
      'turn.settled',
    ]);
    const session = await server.session(sessionOf(frames));
    expect([session.agentId, session.sender]).toEqual(['ada', 'first']);
    expect(await server.transcript(session.id)).toEqual(['user: Hello', 'ada: ada speaks.']);
    expect(frames.map(({ type, id }) => type === 'delta' || Number.parseInt(id ?? '', 10) > 0)).not.toContain(false);
  });

  test('finds the same session again, and another one for another sender or agent', async () => {
    const first = sessionOf(await stream({ agent: 'ada', sender: 'again', content: 'One' }));
    const second = sessionOf(await stream({ agent: 'ada', sender: 'again', content: 'Two' }));
    const other = sessionOf(await stream({ agent: 'ada', sender: 'else', content: 'Two' }));
    const third = sessionOf(await stream({ agent: 'bob', sender: 'again', content: 'Two' }));
    expect(second).toBe(first);
    expect(new Set([first, other, third]).size).toBe(3);
  });

  test('without a sender is from the user', async () => {
    const session = await server.session(sessionOf(await stream({ agent: 'wisp/eve', content: 'One' })));
    expect(session.sender).toBe('user');
  });

  test('with a guest runs the guest against the conversation of the primary, which stays as it is', async () => {
    const address = { agent: 'ada', sender: 'guests' };
    await stream({ ...address, content: 'One' });
    const frames = await stream({ ...address, guest: 'bob', content: 'Two' });
    expect(frames.at(-1)?.data.turn).toMatchObject({ agentId: 'bob', guest: true, state: 'complete' });
    await stream({ ...address, guest: '', content: 'Three' });
    const session = sessionOf(frames);
    expect(await server.transcript(session)).toEqual([
      'user: One',
      'ada: ada speaks.',
      'user: Two',
      'bob: bob speaks.',
      'user: Three',
      'ada: ada speaks.',
    ]);
    expect((await server.session(session)).agentId).toBe('ada');
  });

  test('may create the session with a guest turn; its primary is the one addressed', async () => {
    const frames = await stream({ agent: 'ada', sender: 'created by a guest', guest: 'bob', content: 'One' });
    const session = await server.session(sessionOf(frames));
    expect(session.agentId).toBe('ada');
    expect((await server.messages(session.id)).at(-1)).toMatchObject({ agent: 'bob', guest: true });
  });

  test.each([
    { agent: 'nobody', content: 'Hi' },
    { agent: 'ada', guest: 'nobody', content: 'Hi' },
    { agent: 'nobody', guest: 'ada', content: 'Hi' },
  ])('%o is refused before anything is written', async (message) => {
    const count = await sessionCount();
    asProblem(await server.parley.request('POST', '/api/stream', { sender: 'unknown', ...message }), 'agent_not_found');
    expect(await sessionCount()).toBe(count);
  });

  test.each([
    { agent: 'ada' },
    { agent: 'ada', content: '' },
    { agent: 'ada', content: ' \n\t' },
    { content: 'Hi' },
    { agent: 'ada', content: 'Hi', more: 1 },
    { agent: 'ada', sender: '', content: 'Hi' },
  ])('%o is not one', async (message) => {
    const count = await sessionCount();
    asProblem(await server.parley.request('POST', '/api/stream', message), 'invalid_request');
    expect(await sessionCount()).toBe(count);
  });

  test('reaches the agent it names also after another has become the primary', async () => {
    const address = { agent: 'ada', sender: 'switched' };
    const session = sessionOf(await stream({ ...address, content: 'One' }));
    await server.say(session, { content: 'Two', agent: 'bob' });
    const frames = await stream({ ...address, content: 'Three' });
    expect(sessionOf(frames)).toBe(session);
    expect(frames.at(-1)?.data.turn.agentId).toBe('ada');
  });

  test('of a client that goes away is answered all the same', async () => {
    server.provider.script(() => ({ steps: [...text('Begun'), { kind: 'wait', ms: 150 }, ...text(' and done.')] }));
    const leave = new AbortController();
    const message = { agent: 'ada', sender: 'leaves', content: 'Hi' };
    const response = await server.parley.fetch('POST', '/api/stream', message, {}, leave.signal);
    let session = '';
    for await (const { type, data } of readFrames(response)) {
      session = data.sessionId;
      if (type === 'delta') break;
    }
    leave.abort();
    const [turn] = await server.turns(session);
    expect((await server.settled(turn!.id)).state).toBe('complete');
    expect((await server.messages(session)).at(-1)?.text).toBe('Begun and done.');
  });
});

describe('KillMsg', () => {
  test.each([{ guest: '' }, { guest: 'bob' }])('stops whatever runs for (agent, sender), turn %o', async (who) => {
    server.provider.script(() => ({ steps: [...text('Begun'), { kind: 'stall' }] }));
    const address = { agent: 'ada', sender: `kill ${JSON.stringify(who)}` };
    const streaming = stream({ ...address, ...who, content: `Stop ${who.guest}` });
    const request = await server.asked(({ said }) => said === `Stop ${who.guest}`);
    const { cancelled } = await server.call('kill', { body: address });
    expect(cancelled).toHaveLength(1);
    const frames = await streaming;
    expect(frames.at(-1)?.data.turn).toMatchObject({ id: cancelled[0], state: 'cancelled' });
    await request.closed;
    expect(request.abortedAt).toBeDefined();
  });

  test('stops what waits as well', async () => {
    server.provider.script(() => ({ steps: [...text('Begun'), { kind: 'stall' }] }));
    const address = { agent: 'ada', sender: 'kill all' };
    const first = stream({ ...address, content: 'Kill one' });
    await server.asked(({ said }) => said === 'Kill one');
    const second = stream({ ...address, content: 'Kill two' });
    const { sessions } = await server.call('listSessions', { query: { status: 'working' } });
    await expect.poll(async () => (await server.session(sessions[0]!.id)).queuedCount).toBe(1);
    expect((await server.call('kill', { body: address })).cancelled).toHaveLength(2);
    expect((await first).at(-1)?.data.turn.state).toBe('cancelled');
    expect((await second).at(-1)?.data.turn.state).toBe('cancelled');
    expect(server.provider.requests.filter(({ said }) => said === 'Kill two')).toEqual([]);
  });

  test('stops what runs in other sessions of the agent and sender, and in no session of another', async () => {
    server.provider.script(() => ({ steps: [...text('Begun'), { kind: 'stall' }] }));
    const open = (agentId: string, sender: string) =>
      server.call('createSession', { body: { agentId, sender } }).then(({ id }) => id);
    const ids = [await open('ada', 'kill each'), await open('ada', 'kill each')];
    const others = [await open('ada', 'kill none'), await open('bob', 'kill each')];
    const turns = await Promise.all(
      [...ids, ...others].map(async (id) => (await server.send(id, `Each ${id}`)).turn.id),
    );
    const { cancelled } = await server.call('kill', { body: { agent: 'ada', sender: 'kill each' } });
    expect([...cancelled].sort()).toEqual(turns.slice(0, 2).sort());
    for (const id of others) await server.call('cancelSession', { params: { sessionId: id } });
  });

  test('for nobody, or when nothing goes on, stops nothing', async () => {
    await stream({ agent: 'ada', sender: 'quiet', content: 'Hi' });
    expect(await server.call('kill', { body: { agent: 'ada', sender: 'quiet' } })).toEqual({ cancelled: [] });
    expect(await server.call('kill', { body: { agent: 'ada', sender: 'never seen' } })).toEqual({ cancelled: [] });
    expect(await server.call('kill', { body: { agent: 'gone/agent' } })).toEqual({ cancelled: [] });
  });
});

async function sessionCount(): Promise<number> {
  return (await server.call('listSessions', { query: { limit: 200 } })).sessions.length;
}
