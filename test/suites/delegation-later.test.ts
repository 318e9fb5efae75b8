import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import { gate } from '../harness/scripted-script.ts';
import { ASYNC, CREATE, type DelegatingAgents, held, PEERS, startDelegating } from './delegating.ts';
import { eventsOf, idle } from './looking.ts';
import { type AgentsAnswer, answersIn, ask } from './scripted-agents.ts';
import type { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: DelegatingAgents;
beforeAll(async () => {
  ({ server, scripted } = await startDelegating(PEERS));
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

describe('agents_message, async', () => {
  it('returns at once with exactly what the design document names', async () => {
    const done = gate();
    scripted.answers('bob', held(done));
    const { answers, turnId, sessionId } = await scripted.asks('ada', [ask('bob', 'Take your time.', ASYNC)]);
    expect(answers).toEqual([
      {
        mode: 'async',
        status: 'started',
        agentId: 'bob',
        sessionId: expect.any(String),
        sessionName: 'Take your time.',
        created: true,
        responseId: expect.any(String),
      },
    ]);
    expect((await server.turn(turnId)).state).toBe('complete');
    expect((await server.turn(answers[0]!.responseId)).state).toBe('running');
    done.open();
    await server.settled(answers[0]!.responseId);
    // The result wakes ada, who would otherwise answer it in the middle of the next test.
    await idle(server, sessionId);
  });

  it('links the session while it works, brings the result once, under the name of the delegate, and wakes the caller', async () => {
    const done = gate();
    scripted.answers('bob', held(done));
    const { answers, sessionId } = await scripted.asks('ada', [ask('bob', 'Slowly.', ASYNC)], 'Bob is done, I see.');
    const child = answers[0]!.sessionId;
    expect(await server.session(child)).toMatchObject({ parentSessionId: sessionId, status: 'working' });
    done.open();
    await until(
      () => server.transcript(sessionId),
      (lines) => lines.length === 4,
    );
    expect(await idle(server, sessionId)).toEqual([
      'user: Go.',
      'ada: I go on.',
      'bob: So far and done.',
      'ada: Bob is done, I see.',
    ]);
    expect(await server.session(child)).toMatchObject({ parentSessionId: null, status: 'active' });
    const [, , result] = await server.messages(sessionId);
    expect(result).toMatchObject({
      role: 'user',
      agent: 'bob',
      parts: [
        { type: 'text' },
        { type: 'delegation', from: 'ada', to: 'bob', task: 'Slowly.', state: 'complete', sessionId: child },
      ],
    });
    const last = server.prompt('ada').at(-1);
    expect(last?.role).toBe('user');
    expect(last?.content).toMatch(
      /^<from agent="bob">So far and done\.<\/from>\n\n\[The message above is the result of work/,
    );
    expect(last?.content).toContain('the result of work you started earlier, delivered by bob');
    expect(last?.content).not.toContain('comes from the agent bob');
    const events = (await eventsOf(server, sessionId)).filter(({ type }) => type.startsWith('delegation.'));
    expect(events.map(({ type }) => type)).toEqual(['delegation.started', 'delegation.ended']);
    expect(events[1]).toMatchObject({ delegation: { state: 'complete', via: 'tool', mode: 'async', to: 'bob' } });
  });

  it('belongs to what the person began: the turn that it wakes is in the same tree', async () => {
    const { answers, sessionId, turnId } = await scripted.asks('ada', [ask('bob', 'Quick.', ASYNC)]);
    await server.settled(answers[0]!.responseId);
    await until(
      () => server.turns(sessionId),
      (turns) => turns.length === 2 && turns.every(({ endedAt }) => endedAt !== null),
    );
    const [woken] = await server.turns(sessionId);
    expect(woken).toMatchObject({ rootTurnId: turnId, parentTurnId: null });
  });

  it.each([
    ['message', ['bob: So far and done.']],
    ['none', []],
  ] as const)('notify %s wakes nobody', async (notify, told) => {
    const done = gate();
    scripted.answers('bob', held(done));
    const { answers, sessionId } = await scripted.asks('ada', [ask('bob', 'Quick.', { ...ASYNC, notify })]);
    done.open();
    await server.settled(answers[0]!.responseId);
    expect(await idle(server, sessionId)).toEqual(['user: Go.', 'ada: I go on.', ...told]);
    expect(await server.turns(sessionId)).toHaveLength(1);
    expect((await server.session(sessionId)).status).toBe('active');
  });

  it('brings all that was said in the turn, as a sync answer would', async () => {
    const answers: string[] = [];
    for (const mode of ['sync', 'async']) {
      scripted.answers('bob', 'Eve knows. <delegate to="eve">tell</delegate>', 'She told.');
      const { answers: got, sessionId } = await scripted.asks('ada', [
        ask('bob', 'Ask eve.', { ...CREATE, mode, notify: 'message' }),
      ]);
      await server.settled(got[0]!.responseId);
      const delivered = (await idle(server, sessionId)).find((line) => line.startsWith('bob: '));
      answers.push(got[0]!.response ?? delivered?.slice('bob: '.length));
    }
    expect(answers).toEqual(['Eve knows. \n\nShe told.', 'Eve knows. \n\nShe told.']);
  });

  it('tells of a failure, too', async () => {
    scripted.answers('bob', { status: 401, body: '{}' });
    const { answers, sessionId } = await scripted.asks('ada', [ask('bob', 'Fail.', ASYNC)], 'What a pity.');
    await server.settled(answers[0]!.responseId);
    await until(
      () => server.turns(sessionId),
      (turns) => turns.length === 2 && turns.every(({ endedAt }) => endedAt !== null),
    );
    const lines = await idle(server, sessionId);
    expect(lines[2]).toMatch(/^bob: \[bob did not finish: /);
    expect(lines[3]).toBe('ada: What a pity.');
  });

  it('waits behind what the caller says in the meantime', async () => {
    const [first, second] = [gate(), gate()];
    scripted.answers('bob', held(first));
    const { answers, sessionId } = await scripted.asks(
      'ada',
      [ask('bob', 'Slowly.', ASYNC)],
      held(second, ' I talk.'),
      'Now bob.',
    );
    await server.send(sessionId, 'Meanwhile?');
    await server.speaking(sessionId, 'So far');
    first.open();
    await server.settled(answers[0]!.responseId);
    expect(await server.queue(sessionId)).toEqual(['So far and done.']);
    second.open();
    await until(
      () => server.transcript(sessionId),
      (lines) => lines.at(-1) === 'ada: Now bob.',
    );
    const lines = await idle(server, sessionId);
    expect(lines.slice(2)).toEqual([
      'user: Meanwhile?',
      'ada: So far I talk.',
      'bob: So far and done.',
      'ada: Now bob.',
    ]);
  });
});

describe('a sync wait that takes too long', () => {
  it('ends the waiting, not the work, and the late result comes once and wakes', async () => {
    const done = gate();
    scripted.answers('bob', held(done));
    const { answers, sessionId } = await scripted.asks(
      'ada',
      [ask('bob', 'Slowly.', { ...CREATE, timeout: 0.2 })],
      'There it is.',
    );
    expect(answers[0]).toEqual({
      mode: 'sync',
      status: 'timeout',
      agentId: 'bob',
      sessionId: expect.any(String),
      sessionName: 'Slowly.',
      created: true,
      responseId: expect.any(String),
      timeoutSeconds: 0.2,
      message: expect.stringContaining('0.2 seconds'),
    });
    expect((await server.turn(answers[0]!.responseId)).state).toBe('running');
    done.open();
    await until(
      () => server.transcript(sessionId),
      (lines) => lines.length === 4,
    );
    expect((await idle(server, sessionId)).slice(2)).toEqual(['bob: So far and done.', 'ada: There it is.']);
  });

  it('a busy delegate: the caller waits for its turn inside the time it has', async () => {
    const [first, second] = [gate(), gate()];
    const busy = await server.open('bob');
    scripted.answers('bob', held(first), held(second), 'At last.');
    await server.send(busy, 'Something long.');
    await server.speaking(busy, 'So far');
    let got: AgentsAnswer[] = [];
    scripted.answers('ada', [ask('bob', 'Me next.', { session: busy })], (request) => {
      got = answersIn(request);
      return 'Fine.';
    });
    const { turn } = await server.send(await server.open('ada'), 'Go.');
    expect(
      await until(
        () => server.queue(busy),
        (queue) => queue.length === 1,
      ),
    ).toEqual(['Me next.']);
    first.open();
    second.open();
    await server.settled(turn.id);
    expect(got[0]).toMatchObject({ status: 'complete', sessionId: busy, created: false, response: 'So far and done.' });
  });
});
