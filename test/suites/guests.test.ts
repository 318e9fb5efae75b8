import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../harness/parley.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.close());
beforeEach(() => server.provider.script(({ body }) => ({ steps: text(`${String(body.model).slice(9)} speaks.`) })));

describe('naming an agent', () => {
  test('switches the primary from then on', async () => {
    const session = await server.open();
    await server.say(session, 'One');
    await server.say(session, { content: 'Two', agent: 'bob' });
    await server.say(session, 'Three');
    expect(await server.transcript(session)).toEqual([
      'user: One',
      'ada: ada speaks.',
      'user: Two',
      'bob: bob speaks.',
      'user: Three',
      'bob: bob speaks.',
    ]);
    expect((await server.session(session)).agentId).toBe('bob');
  });

  test('is told to those who watch', async () => {
    const session = await server.open();
    await server.say(session, 'One');
    await server.say(session, { content: 'Two', agent: 'bob' });
    const leave = new AbortController();
    let primary: string | null = null;
    for await (const { type, data } of server.parley.events(
      `/api/sessions/${session}/events?after=0`,
      {},
      leave.signal,
    )) {
      if (type.startsWith('session.') && data.session) primary = data.session.agentId;
      if (type === 'turn.settled' && data.turn.agentId === 'bob') break;
    }
    leave.abort();
    expect(primary).toBe('bob');
  });

  test('gives a session without an agent its primary', async () => {
    const { id, agentId } = await server.create();
    expect(agentId).toBeNull();
    await server.refused('agent_required', 'sendMessage', { params: { sessionId: id }, body: { content: 'Anybody?' } });
    expect(await server.messages(id)).toEqual([]);
    await server.say(id, { content: 'Ada?', agent: 'ada' });
    expect((await server.session(id)).agentId).toBe('ada');
  });

  test('together with a guest is refused', async () => {
    const sessionId = await server.open();
    const body = { content: 'Hi', agent: 'ada', guest: 'bob' };
    const problem = await server.refused('invalid_request', 'sendMessage', { params: { sessionId }, body });
    expect(problem.detail).toContain('guest must be left out when an agent is named');
  });
});

describe('a guest', () => {
  test('answers once; the primary stays', async () => {
    const session = await server.open();
    const { turn, answer } = await server.say(session, { content: 'Hi', guest: 'bob' });
    expect([turn.agentId, turn.guest, answer?.agent, answer?.guest]).toEqual(['bob', true, 'bob', true]);
    await server.say(session, 'And you?');
    expect((await server.session(session)).agentId).toBe('ada');
    expect((await server.messages(session)).at(-1)).toMatchObject({ agent: 'ada', guest: false });
  });

  test('who is the primary takes an ordinary turn', async () => {
    const session = await server.open();
    const { turn, answer } = await server.say(session, { content: 'Hi', guest: 'ada' });
    expect([turn.guest, answer?.guest]).toEqual([false, false]);
    expect(server.prompt('ada')[0]?.content).toBe('You are ada.');
  });

  test('after guest: several in a row read each other by name', async () => {
    const session = await server.open();
    await server.say(session, { content: 'One', guest: 'bob' });
    await server.say(session, { content: 'Two', guest: 'wisp/eve' });
    await server.say(session, { content: 'Three', guest: 'bob' });
    expect(server.prompt('bob').slice(1)).toEqual([
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'bob speaks.' },
      { role: 'user', content: 'Two' },
      { role: 'assistant', content: '<from agent="wisp/eve">wisp/eve speaks.</from>' },
      { role: 'user', content: 'Three' },
    ]);
    expect((await server.session(session)).agentId).toBe('ada');
  });

  test('may speak in a session that has no primary, and leaves it without one', async () => {
    const { id } = await server.create();
    const { answer } = await server.say(id, { content: 'Hi', guest: 'bob' });
    expect([answer?.agent, answer?.guest, (await server.session(id)).agentId]).toEqual(['bob', true, null]);
  });

  test.each([{ guest: 'nobody' }, { agent: 'no/body' }])('%o is unknown: nothing is written', async (who) => {
    const sessionId = await server.open();
    const before = await server.session(sessionId);
    await server.refused('agent_not_found', 'sendMessage', { params: { sessionId }, body: { content: 'Hi', ...who } });
    expect(await server.session(sessionId)).toEqual(before);
    expect(await server.messages(sessionId)).toEqual([]);
    expect(await server.turns(sessionId)).toEqual([]);
  });
});

describe('a guest has no tools', () => {
  test('none are in its request', async () => {
    await server.say(await server.open(), { content: 'Hi', guest: 'bob' });
    expect(server.provider.requests.at(-1)?.body).not.toHaveProperty('tools');
  });

  test('a call it makes beside its words is shown as rejected', async () => {
    server.provider.script(() => ({
      steps: [...text('Let me see.'), { kind: 'toolCall', id: 'c1', name: 'look', input: '{"a":1}' }],
    }));
    const session = await server.open();
    const { turn, answer } = await server.say(session, { content: 'Hi', guest: 'bob' });
    expect(turn.state).toBe('complete');
    expect(answer?.parts).toEqual([
      { type: 'text', text: 'Let me see.' },
      {
        type: 'tool_call',
        callId: 'c1',
        name: 'look',
        input: '{"a":1}',
        state: 'rejected',
        reason: expect.any(String),
      },
    ]);
    expect(answer?.text).toBe('Let me see.');
  });

  test('when it does nothing but call, its turn fails and says why', async () => {
    const session = await server.open();
    server.provider.script(() => ({ steps: [{ kind: 'toolCall', name: 'look', input: '{}' }] }));
    const { turn, answer } = await server.say(session, { content: 'Hi', guest: 'bob' });
    expect(turn).toMatchObject({ state: 'failed', error: { code: 'tools_not_allowed' } });
    expect(turn.error?.message).toContain('tools');
    expect(answer).toBeNull();
    expect(await server.transcript(session)).toEqual(['user: Hi']);
  });
});

describe('a guest that does not finish leaves the question and no partial answer', () => {
  test('when it is cancelled', async () => {
    const session = await server.open();
    const held = gate();
    server.provider.script(() => ({ steps: [...text('Half of an'), { kind: 'gate', until: held.until }] }));
    const { turn } = await server.send(session, { content: 'Hi', guest: 'bob' });
    await server.speaking(session, 'Half');
    expect((await server.cancelTurn(turn.id)).cancelled).toEqual([turn.id]);
    held.open();
    expect(await server.transcript(session)).toEqual(['user: Hi']);
    expect(await server.turn(turn.id)).toMatchObject({ state: 'cancelled', answerId: null });
    expect((await server.session(session)).agents).toEqual([]);
    server.provider.script(() => ({ steps: text('Fine.') }));
    await server.say(session, 'Go on');
    expect(JSON.stringify(server.prompt('ada'))).not.toContain('Half');
    expect(server.prompt('ada')[0]?.content).toBe('You are ada.');
  });

  test('when its model breaks', async () => {
    const session = await server.open();
    server.provider.script(() => ({ steps: [...text('Half of an'), { kind: 'error', message: 'broken' }] }));
    const { turn } = await server.say(session, { content: 'Hi', guest: 'bob' });
    expect(turn).toMatchObject({ state: 'failed', answerId: null });
    expect(await server.transcript(session)).toEqual(['user: Hi']);
    const hits = await server.call('search', { query: { q: 'Half' } });
    expect(hits.hits).toEqual([]);
  });

  test('its words reach those who watch as they come, and are gone once it is stopped', async () => {
    const session = await server.open();
    server.provider.script(() => ({ steps: [...text('Visible'), { kind: 'stall' }] }));
    const { turn } = await server.send(session, { content: 'Hi', guest: 'bob' });
    await server.speaking(session, 'Visible');
    await server.cancelTurn(turn.id);
    await until(
      () => server.session(session),
      ({ status }) => status === 'active',
    );
    const exported = await server.call('exportSession', { params: { sessionId: session } });
    expect(JSON.stringify(exported)).not.toContain('Visible');
  });
});

test('a primary that calls a tool it does not have is treated the same, and keeps what it said when it fails', async () => {
  const session = await server.open();
  server.provider.script(({ body }) => {
    const isTold = (body.messages as { role: string }[]).some(({ role }) => role === 'tool');
    return isTold ? { status: 400, body: '{}' } : { steps: [{ kind: 'toolCall', name: 'look', input: '{"a' }] };
  });
  const { turn, answer } = await server.say(session, 'Hi');
  expect(turn.state).toBe('failed');
  expect(answer).toMatchObject({
    status: 'interrupted',
    text: '',
    parts: [{ type: 'tool_call', state: 'rejected' }, {}],
  });
});
