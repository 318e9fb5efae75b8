import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../harness/parley.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { Stage } from './stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start();
});
afterAll(() => stage.close());
beforeEach(() => stage.provider.script(({ body }) => ({ steps: text(`${String(body.model).slice(9)} speaks.`) })));

describe('naming an agent', () => {
  test('switches the primary from then on', async () => {
    const session = await stage.open();
    await stage.say(session, 'One');
    await stage.say(session, { content: 'Two', agent: 'bob' });
    await stage.say(session, 'Three');
    expect(await stage.transcript(session)).toEqual([
      'user: One',
      'ada: ada speaks.',
      'user: Two',
      'bob: bob speaks.',
      'user: Three',
      'bob: bob speaks.',
    ]);
    expect((await stage.session(session)).agentId).toBe('bob');
  });

  test('is told to those who watch', async () => {
    const session = await stage.open();
    await stage.say(session, 'One');
    await stage.say(session, { content: 'Two', agent: 'bob' });
    const leave = new AbortController();
    let primary: string | null = null;
    for await (const { type, data } of stage.parley.events(
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
    const { id, agentId } = await stage.create();
    expect(agentId).toBeNull();
    await stage.refused('agent_required', 'sendMessage', { params: { sessionId: id }, body: { content: 'Anybody?' } });
    expect(await stage.messages(id)).toEqual([]);
    await stage.say(id, { content: 'Ada?', agent: 'ada' });
    expect((await stage.session(id)).agentId).toBe('ada');
  });

  test('together with a guest is refused', async () => {
    const sessionId = await stage.open();
    const body = { content: 'Hi', agent: 'ada', guest: 'bob' };
    const problem = await stage.refused('invalid_request', 'sendMessage', { params: { sessionId }, body });
    expect(problem.detail).toContain('guest must be left out when an agent is named');
  });
});

describe('a guest', () => {
  test('answers once; the primary stays', async () => {
    const session = await stage.open();
    const { turn, answer } = await stage.say(session, { content: 'Hi', guest: 'bob' });
    expect([turn.agentId, turn.guest, answer?.agent, answer?.guest]).toEqual(['bob', true, 'bob', true]);
    await stage.say(session, 'And you?');
    expect((await stage.session(session)).agentId).toBe('ada');
    expect((await stage.messages(session)).at(-1)).toMatchObject({ agent: 'ada', guest: false });
  });

  test('who is the primary takes an ordinary turn', async () => {
    const session = await stage.open();
    const { turn, answer } = await stage.say(session, { content: 'Hi', guest: 'ada' });
    expect([turn.guest, answer?.guest]).toEqual([false, false]);
    expect(stage.prompt('ada')[0]?.content).toBe('You are ada.');
  });

  test('after guest: several in a row read each other by name', async () => {
    const session = await stage.open();
    await stage.say(session, { content: 'One', guest: 'bob' });
    await stage.say(session, { content: 'Two', guest: 'wisp/eve' });
    await stage.say(session, { content: 'Three', guest: 'bob' });
    expect(stage.prompt('bob').slice(1)).toEqual([
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'bob speaks.' },
      { role: 'user', content: 'Two' },
      { role: 'assistant', content: '<from agent="wisp/eve">wisp/eve speaks.</from>' },
      { role: 'user', content: 'Three' },
    ]);
    expect((await stage.session(session)).agentId).toBe('ada');
  });

  test('may speak in a session that has no primary, and leaves it without one', async () => {
    const { id } = await stage.create();
    const { answer } = await stage.say(id, { content: 'Hi', guest: 'bob' });
    expect([answer?.agent, answer?.guest, (await stage.session(id)).agentId]).toEqual(['bob', true, null]);
  });

  test.each([{ guest: 'nobody' }, { agent: 'no/body' }])('%o is unknown: nothing is written', async (who) => {
    const sessionId = await stage.open();
    const before = await stage.session(sessionId);
    await stage.refused('agent_not_found', 'sendMessage', { params: { sessionId }, body: { content: 'Hi', ...who } });
    expect(await stage.session(sessionId)).toEqual(before);
    expect(await stage.messages(sessionId)).toEqual([]);
    expect(await stage.turns(sessionId)).toEqual([]);
  });
});

describe('a guest has no tools', () => {
  test('none are in its request', async () => {
    await stage.say(await stage.open(), { content: 'Hi', guest: 'bob' });
    expect(stage.provider.requests.at(-1)?.body).not.toHaveProperty('tools');
  });

  test('a call it makes beside its words is shown as rejected', async () => {
    stage.provider.script(() => ({
      steps: [...text('Let me see.'), { kind: 'toolCall', id: 'c1', name: 'look', input: '{"a":1}' }],
    }));
    const session = await stage.open();
    const { turn, answer } = await stage.say(session, { content: 'Hi', guest: 'bob' });
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
    const session = await stage.open();
    stage.provider.script(() => ({ steps: [{ kind: 'toolCall', name: 'look', input: '{}' }] }));
    const { turn, answer } = await stage.say(session, { content: 'Hi', guest: 'bob' });
    expect(turn).toMatchObject({ state: 'failed', error: { code: 'tools_not_allowed' } });
    expect(turn.error?.message).toContain('tools');
    expect(answer).toBeNull();
    expect(await stage.transcript(session)).toEqual(['user: Hi']);
  });
});

describe('a guest that does not finish leaves the question and no partial answer', () => {
  test('when it is cancelled', async () => {
    const session = await stage.open();
    const held = gate();
    stage.provider.script(() => ({ steps: [...text('Half of an'), { kind: 'gate', until: held.until }] }));
    const { turn } = await stage.send(session, { content: 'Hi', guest: 'bob' });
    await stage.speaking(session, 'Half');
    expect((await stage.cancelTurn(turn.id)).cancelled).toEqual([turn.id]);
    held.open();
    expect(await stage.transcript(session)).toEqual(['user: Hi']);
    expect(await stage.turn(turn.id)).toMatchObject({ state: 'cancelled', answerId: null });
    expect((await stage.session(session)).agents).toEqual([]);
    stage.provider.script(() => ({ steps: text('Fine.') }));
    await stage.say(session, 'Go on');
    expect(JSON.stringify(stage.prompt('ada'))).not.toContain('Half');
    expect(stage.prompt('ada')[0]?.content).toBe('You are ada.');
  });

  test('when its model breaks', async () => {
    const session = await stage.open();
    stage.provider.script(() => ({ steps: [...text('Half of an'), { kind: 'error', message: 'broken' }] }));
    const { turn } = await stage.say(session, { content: 'Hi', guest: 'bob' });
    expect(turn).toMatchObject({ state: 'failed', answerId: null });
    expect(await stage.transcript(session)).toEqual(['user: Hi']);
    const hits = await stage.call('search', { query: { q: 'Half' } });
    expect(hits.hits).toEqual([]);
  });

  test('its words reach those who watch as they come, and are gone once it is stopped', async () => {
    const session = await stage.open();
    stage.provider.script(() => ({ steps: [...text('Visible'), { kind: 'stall' }] }));
    const { turn } = await stage.send(session, { content: 'Hi', guest: 'bob' });
    await stage.speaking(session, 'Visible');
    await stage.cancelTurn(turn.id);
    await until(
      () => stage.session(session),
      ({ status }) => status === 'active',
    );
    const exported = await stage.call('exportSession', { params: { sessionId: session } });
    expect(JSON.stringify(exported)).not.toContain('Visible');
  });
});

test('a primary that calls a tool it does not have is treated the same, and keeps what it said when it fails', async () => {
  const session = await stage.open();
  stage.provider.script(({ body }) => {
    const isTold = (body.messages as { role: string }[]).some(({ role }) => role === 'tool');
    return isTold ? { status: 400, body: '{}' } : { steps: [{ kind: 'toolCall', name: 'look', input: '{"a' }] };
  });
  const { turn, answer } = await stage.say(session, 'Hi');
  expect(turn.state).toBe('failed');
  expect(answer).toMatchObject({
    status: 'interrupted',
    text: '',
    parts: [{ type: 'tool_call', state: 'rejected' }, {}],
  });
});
