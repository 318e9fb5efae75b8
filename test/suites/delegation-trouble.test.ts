import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import { gate, text } from '../harness/scripted-script.ts';
import { type DelegatingAgents, fresh, OFFICE, startDelegating } from './delegating.ts';
import { childOf, openAction } from './looking.ts';
import { type AgentsAnswer, answersIn, ask, call, resultsIn } from './scripted-agents.ts';
import type { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: DelegatingAgents;
beforeAll(async () => {
  ({ server, scripted } = await startDelegating(OFFICE));
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

describe('whom an agent may ask', () => {
  it.each([
    ['nobody of that name', 'ada', 'nobody', 'agent_not_found'],
    ['itself', 'ada', 'ada', 'delegation_self'],
    ['somebody hidden', 'ada', 'ghost', 'agent_not_allowed'],
    ['somebody its allowlist does not name', 'narrow', 'mute', 'agent_not_allowed'],
    ['somebody its denylist names', 'curt', 'bob', 'agent_not_allowed'],
    ['somebody who lacks a key', 'ada', 'broken', 'agent_unavailable'],
  ])('not %s', async (_, by, whom, code) => {
    const before = (await server.call('listSessions', { query: { limit: 200 } })).sessions.length;
    const [answer] = await scripted.asked(by, ask(whom, ...fresh()));
    expect(answer).toMatchObject({ status: 'error', code, agentId: whom, message: expect.any(String) });
    const after = (await server.call('listSessions', { query: { limit: 200 } })).sessions.length;
    expect(after).toBe(before + 1);
  });

  it('not with arguments that are no arguments: each error has a stable code', async () => {
    const answers = await scripted.asked(
      'ada',
      ask('bob', 'x', { timeout: 0 }),
      ask('bob', '  '),
      call('agents_message', { agentId: 'bob', content: 'x', frob: 1 }),
    );
    expect(answers.map(({ status, code }) => [status, code])).toEqual(Array(3).fill(['error', 'invalid_input']));
    expect(answers[0]?.message).toContain('timeout');
  });

  it('not somebody with a full queue, and not with a task that is too long', async () => {
    const busy = gate();
    const full = await server.open('mute');
    scripted.answers('mute', [...text('Hm'), { kind: 'gate', until: busy.until }]);
    await server.send(full, 'Be busy.');
    await server.speaking(full, 'Hm');
    await server.send(full, 'And wait.');
    const answers = await scripted.asked(
      'ada',
      ask('mute', 'x', { session: full }),
      ask('mute', ...fresh('x'.repeat(20_001))),
    );
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      ['error', 'queue_full'],
      ['error', 'message_too_large'],
    ]);
    busy.open();
  });

  it('somebody hidden whom its allowlist names', async () => {
    const [answer] = await scripted.asked('narrow', ask('ghost', ...fresh()));
    expect(answer).toMatchObject({ status: 'complete', agentId: 'ghost' });
  });

  it('not somebody who waits for the answer already: the circle is refused at once', async () => {
    let refused: AgentsAnswer[] = [];
    scripted.answers('eve', [ask('ada', ...fresh('and you?'))], (request) => {
      refused = answersIn(request);
      return 'Then not.';
    });
    const [answer] = await scripted.asked('ada', ask('eve', ...fresh()));
    expect(answer).toMatchObject({ status: 'complete', response: 'Then not.' });
    expect(refused[0]).toMatchObject({ status: 'error', code: 'delegation_cycle' });
    expect(refused[0]!.message).toContain('ada → eve → ada');
  });

  it('is told of exactly those, in the prompt and by agents_list', async () => {
    let listed: { agentId: string }[] = [];
    scripted.answers('narrow', [call('agents_list', {})], (request) => {
      listed = JSON.parse(resultsIn(request)[0]!);
      return 'I see.';
    });
    await server.say(await server.open('narrow'), 'Who is there?');
    expect(listed.map(({ agentId }) => agentId).sort()).toEqual(['bob', 'ghost']);
    const [system] = server.prompt('narrow');
    expect(system!.content).toContain('- bob: ');
    expect(system!.content).not.toContain('- mute');
  });
});

describe('a delegate that does not finish', () => {
  it('fails: the caller is told why, and goes on', async () => {
    scripted.answers('mute', { status: 401, body: '{}' });
    const [answer] = await scripted.asked('ada', ask('mute', ...fresh()));
    expect(answer).toMatchObject({ mode: 'sync', status: 'failed', code: expect.any(String), agentId: 'mute' });
    expect(answer!.message).not.toBe('');
    // Whoever asked deals with it: the person is not asked to retry a delegate.
    const { actions } = await server.call('listActions', { query: { session: answer!.sessionId } });
    expect(actions).toEqual([]);
  });

  it('is stopped by the person: the caller is told, keeps what was said, and goes on', async () => {
    const held = gate();
    scripted.answers('mute', [...text('So far'), { kind: 'gate', until: held.until }]);
    scripted.answers('ada', [ask('mute', ...fresh())], (request) => JSON.stringify(answersIn(request)[0]));
    const id = await server.open('ada');
    const { turn } = await server.send(id, 'Go.');
    const child = await childOf(server, turn.id);
    await server.speaking(child.sessionId, 'So far');
    expect((await server.cancelTurn(child.id)).cancelled).toEqual([child.id]);
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
    const said = JSON.parse((await server.messages(id)).at(-1)!.text.split('\n\n').at(-1)!);
    expect(said).toMatchObject({ status: 'cancelled', code: 'delegate_cancelled', response: 'So far' });
  });

  it('is interrupted by a message in its own session: the caller is told and goes on', async () => {
    const held = gate();
    scripted.answers('mute', [...text('So far'), { kind: 'gate', until: held.until }], 'Yes?');
    let got: AgentsAnswer[] = [];
    scripted.answers('ada', [ask('mute', ...fresh())], (request) => {
      got = answersIn(request);
      return 'I see.';
    });
    const { turn } = await server.send(await server.open('ada'), 'Go.');
    const child = await childOf(server, turn.id);
    await server.speaking(child.sessionId, 'So far');
    await server.say(child.sessionId, { content: 'Rather this.', busy: 'interrupt' });
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
    expect(got[0]).toMatchObject({ status: 'interrupted', code: 'delegate_interrupted', response: 'So far' });
  });

  it('loses its session: the caller is told and goes on', async () => {
    const held = gate();
    scripted.answers('mute', [...text('So far'), { kind: 'gate', until: held.until }]);
    scripted.answers('ada', [ask('mute', ...fresh())], (request) => JSON.stringify(answersIn(request)[0]));
    const { turn } = await server.send(await server.open('ada'), 'Go.');
    const child = await childOf(server, turn.id);
    await server.speaking(child.sessionId, 'So far');
    await server.call('deleteSession', { params: { sessionId: child.sessionId } });
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
  });
});

describe('ceilings', () => {
  it('self: whoever works for the agent may use no more than the agent itself', async () => {
    let got: string[] = [];
    scripted.answers('bob', [call('todo_add', { title: 'x' }), call('todo_list', {})], (request) => {
      got = resultsIn(request);
      return 'As far as I could.';
    });
    await scripted.asked('boss', ask('bob', ...fresh()));
    expect(got[0]).toContain('bob works for boss');
    expect(got[1]).not.toContain('works for');
    const request = server.provider.requests.findLast(({ body }) => body.model === 'model-of-bob')!;
    const offered = (request.body.tools as { function: { name: string } }[]).map((tool) => tool.function.name);
    expect(offered.filter((name) => !name.startsWith('system_'))).toEqual(['todo_list']);
  });

  it('a read-only session: neither the agent nor anybody who works for it does more than read', async () => {
    let got: string[] = [];
    scripted.answers('bob', [call('todo_add', { title: 'x' })], (request) => {
      got = resultsIn(request);
      return 'I could not.';
    });
    scripted.answers('ada', [ask('bob', ...fresh())], (request) => resultsIn(request).join());
    const id = await server.open('ada');
    await server.call('patchSession', { params: { sessionId: id }, body: { mode: 'read-only' } });
    const { answer } = await server.say(id, 'Go.');
    // Asking somebody is more than reading, too.
    expect(answer!.text).toContain('read-only');
    expect(got).toEqual([]);
  });
});

describe('an approval that a delegate needs', () => {
  it('names the chain, makes everybody wait, and lets everybody go on once answered', async () => {
    scripted.answers('bob', [call('todo_delete', { id: 'x' })], (request) => `Done: ${resultsIn(request).length}`);
    scripted.answers('eve', [ask('bob', ...fresh('clear'))], 'Bob did it.');
    scripted.answers('ada', [ask('eve', ...fresh('have it cleared'))], 'Eve did it.');
    const id = await server.open('ada');
    const { turn } = await server.send(id, 'Go.');
    const action = await openAction(server, id);
    expect(action).toMatchObject({ kind: 'approval', agentId: 'bob', approval: { tool: 'todo_delete' } });
    expect(action.chain.map(({ agentId }) => agentId)).toEqual(['ada', 'eve', 'bob']);
    expect(action.chain[0]).toMatchObject({ turnId: turn.id, sessionId: id });
    for (const link of action.chain) {
      const waiting = await until(
        () => server.turn(link.turnId),
        ({ state }) => state === 'waiting',
      );
      expect(waiting.state).toBe('waiting');
      expect((await server.session(link.sessionId)).status).toBe('waiting');
      const listed = await server.call('listActions', { query: { session: link.sessionId } });
      expect(listed.actions.map((one) => one.id)).toEqual([action.id]);
    }
    await server.call('answerAction', { params: { actionId: action.id }, body: { decision: 'once' } });
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
    for (const { turnId, sessionId } of action.chain) {
      expect((await server.turn(turnId)).state).toBe('complete');
      expect((await server.session(sessionId)).status).toBe('active');
    }
  });

  it('stops the clock of a sync wait: the time is the person’s', async () => {
    scripted.answers('bob', [call('todo_delete', { id: 'x' })], 'Tried.');
    let got: AgentsAnswer[] = [];
    scripted.answers('ada', [ask('bob', ...fresh('delete', { timeout: 1 }))], (request) => {
      got = answersIn(request);
      return 'Thanks.';
    });
    const id = await server.open('ada');
    const { turn } = await server.send(id, 'Go.');
    const action = await openAction(server, id);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await server.call('answerAction', { params: { actionId: action.id }, body: { decision: 'deny', reason: 'No.' } });
    expect(await server.settled(turn.id)).toMatchObject({ state: 'complete' });
    expect(got[0]).toMatchObject({ status: 'complete', response: 'Tried.' });
  });

  it('goes with everybody who waits for it when the person stops that', async () => {
    scripted.answers('bob', [call('todo_delete', { id: 'x' })], 'Never said.');
    scripted.answers('ada', [ask('bob', ...fresh('delete'))], 'Never said.');
    const id = await server.open('ada');
    const { turn } = await server.send(id, 'Go.');
    const action = await openAction(server, id);
    expect((await server.cancelTurn(turn.id)).cancelled).toHaveLength(2);
    expect(await server.call('getAction', { params: { actionId: action.id } })).toMatchObject({ state: 'withdrawn' });
    for (const { turnId, sessionId } of action.chain) {
      expect((await server.turn(turnId)).state).toBe('cancelled');
      expect((await server.session(sessionId)).status).toBe('active');
    }
  });
});
