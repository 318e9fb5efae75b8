import { beforeEach, describe, expect, test } from 'vitest';
import type { Action, AnswerAction } from '../../contract/actions.ts';
import type { Turn } from '../../contract/turns.ts';
import { type FakeRequest, FakeServer } from './fake-server.ts';
import { collect, ended, launch, until } from './parley.ts';
import { hasPython, Person } from './person.ts';
import { AT, aCall, aDelegation, aMessage, anAction, aTurn } from './shapes.ts';

let server: FakeServer;

beforeEach(async () => {
  server = await FakeServer.start();
});

/** Plays the part of the engine for one message. */
class Engine {
  readonly #messageId: string;

  constructor({ body }: FakeRequest) {
    this.#messageId = body.id as string;
  }

  queue(...ids: string[]): void {
    for (const id of ids) this.#tell('turn.queued', this.turn(id));
  }

  start(id: string, known: Partial<Turn> = {}): void {
    this.#tell('turn.started', this.turn(id, { state: 'running', startedAt: AT, ...known }));
  }

  say(turnId: string, agentId: string, text: string, part = 0): void {
    const about = { type: 'delta' as const, sessionId: 's', turnId, agentId, part, kind: 'text' as const };
    server.live({ ...about, offset: 0, text });
  }

  settle(id: string, known: Partial<Turn> = {}): void {
    const turn = this.turn(id, { state: 'complete', startedAt: AT, endedAt: AT, ...known });
    server.append({ type: 'turn.settled', turn, status: 'active', message: null });
  }

  answer(id: string, agentId: string, text: string): void {
    this.start(id, { agentId });
    this.say(id, agentId, text);
    const message = aMessage({ id: `m-${id}`, turnId: id, role: 'assistant', agent: agentId, text });
    server.append({ type: 'message.created', message });
    this.settle(id, { agentId });
  }

  turn(id: string, known: Partial<Turn> = {}): Turn {
    return aTurn({ id, messageId: this.#messageId, ...known });
  }

  #tell(type: 'turn.queued' | 'turn.started', turn: Turn): void {
    const message = aMessage({ id: turn.messageId, turnId: turn.id, text: 'hi' });
    server.append({ type, turn, status: 'working', message });
  }
}

function playing(play: (engine: Engine) => void | Promise<void>): void {
  server.play = (request) => play(new Engine(request));
}

const approval = anAction({
  id: '01990000-0000-7000-8000-00009f3c21ab',
  approval: {
    callId: 'c1',
    tool: 'bash',
    description: 'Run a command.',
    input: '{"command":"ls"}',
    risk: 'execute',
    source: { kind: 'built-in', id: 'bash' },
    capabilities: [],
  },
});

/** Opens an action and waits for the answer, which settles it. */
function asking(action: Action): Promise<AnswerAction> {
  const { promise, resolve } = Promise.withResolvers<AnswerAction>();
  server.answers.answerAction = ({ body }) => {
    const answered: Action = { ...action, state: 'answered', answer: body as AnswerAction, settledAt: AT };
    server.append({ type: 'action.settled', sessionId: action.sessionId, action: answered });
    resolve(body as AnswerAction);
    return answered;
  };
  server.append({ type: 'action.opened', sessionId: action.sessionId, action });
  return promise;
}

const ASK = ['chat', '-a', 'a', '-m', 'hi'];

describe('chat with agents that do things', () => {
  test('shows every call as one line, delegates under their own names, and each answer in order', async () => {
    playing((engine) => {
      engine.queue('t1', 't3');
      engine.start('t1');
      engine.say('t1', 'a', 'Let me see.');
      server.append({ type: 'tool.started', call: aCall({ part: 1 }) });
      server.append({ type: 'tool.ended', call: aCall({ part: 1, state: 'complete', endedAt: AT }) });
      const said = aMessage({ id: 'm2', turnId: 't1', role: 'assistant', agent: 'a', text: 'Let me see.' });
      server.append({ type: 'message.created', message: said });
      server.append({ type: 'delegation.started', delegation: aDelegation() });
      const nested = aTurn({ id: 't2', agentId: 'b', messageId: 'm9', parentTurnId: 't1', state: 'running' });
      const task = aMessage({ id: 'm9', turnId: 't2', role: 'delegation', agent: 'b', text: 'look it up' });
      server.append({ type: 'turn.started', turn: nested, status: 'working', message: task });
      engine.say('t2', 'b', 'Found.');
      const done: Turn = { ...nested, state: 'complete', endedAt: AT };
      server.append({ type: 'turn.settled', turn: done, status: 'working', message: null });
      engine.say('t1', 'a', 'So it is.');
      engine.settle('t1');
      engine.answer('t3', 'c', 'I agree.');
    });
    const { code, stdout, stderr } = await server.parley(['chat', '-a', 'a', '-m', '@a @c hi']);
    expect(stdout).toBe(
      [
        'a: Let me see.',
        '⚙ lists_add text=milk ✓ 0 ms',
        '→ Delegating to b — look it up',
        'b: Found.',
        'a: So it is.',
        'c: I agree.',
        '',
      ].join('\n'),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('names nobody when the message mentions somebody, so that they answer', async () => {
    playing((engine) => engine.answer('t1', 'b', 'Here.'));
    await server.parley(['chat', '-a', 'b', '-m', '@b hi']);
    await server.parley(['chat', '-a', 'a', '-m', 'mail me at x@y.z']);
    const [mentioned, plain] = server.asked('sendMessage');
    expect(mentioned?.body.agent).toBeUndefined();
    expect(server.asked('patchSession')[0]?.body).toEqual({ agentId: 'b' });
    expect(plain?.body.agent).toBe('a');
  });

  test('of several answers one that fails is named, with how to repeat it', async () => {
    playing((engine) => {
      engine.queue('t1', 't2');
      engine.answer('t1', 'a', 'Yes.');
      const error = { code: 'x', message: 'It broke.', retryable: true };
      engine.settle('t2', { agentId: 'b', state: 'failed', error });
    });
    const { code, stderr } = await server.parley(ASK);
    expect(stderr).toBe('Error: b: It broke.\nYour message is kept; try again with: parley retry -s default\n');
    expect(code).toBe(1);
  });

  test('without anybody to ask it says what is wanted and how to answer, and waits', async () => {
    playing(async (engine) => {
      engine.start('t1');
      expect(await asking(approval)).toEqual({ decision: 'once' });
      engine.say('t1', 'a', 'Done.');
      engine.settle('t1');
    });
    const child = launch('/nonexistent/parley', [...ASK, '--home', '/tmp/a b'], { env: server.env });
    const stderr = collect(child.stderr);
    const done = ended(child);
    await until(() => stderr.text.includes('parley deny'), 'what is wanted');
    expect(stderr.text).toBe(
      [
        'a wants to use bash',
        '  bash (execute, built-in bash)',
        '  command: ls',
        'Answer it with:',
        "  parley approve 9f3c21ab --home '/tmp/a b'   # this once; or with --session, or --always",
        `  parley deny 9f3c21ab --home '/tmp/a b' --reason "…"   # the agent is told why`,
        '',
      ].join('\n'),
    );
    server.answers.listActions = () => ({ actions: [approval] });
    await server.output('approve', '9f3c21ab');
    expect(await done).toMatchObject({ code: 0, stdout: 'a: Done.\n' });
  });

  test('with --no-wait it leaves instead, with a code of its own', async () => {
    playing((engine) => {
      engine.start('t1');
      void asking(approval);
    });
    const { code, stderr } = await server.parley([...ASK, '--no-wait']);
    expect(stderr).toContain('Error: The turn waits for you; it goes on once you have answered.');
    expect(code).toBe(3);
  });

  test('a delegate in another session asks, too, as long as it works for this turn', async () => {
    const elsewhere = anAction({ ...approval, sessionId: 's2', turnId: 't2', agentId: 'b' });
    const chain = [
      { agentId: 'a', turnId: 't1', sessionId: 's' },
      { agentId: 'b', turnId: 't2', sessionId: 's2' },
    ];
    playing(async (engine) => {
      engine.start('t1');
      const sent = { sessionId: 's2', via: 'tool' as const, mode: 'async' as const };
      server.append({ type: 'delegation.started', delegation: aDelegation(sent) });
      await until(() => server.asked('events').length > 0, 'somebody to listen');
      server.append({
        type: 'action.opened',
        sessionId: 's2',
        action: anAction({ id: 'strange', title: 'not ours', turnId: 't8', chain: [] }),
      });
      server.append({ type: 'action.opened', sessionId: 's2', action: { ...elsewhere, chain } });
      engine.say('t1', 'a', 'Done.');
      engine.settle('t1');
    });
    const { stdout, stderr, code } = await server.parley(ASK);
    expect(stdout).toBe('→ Delegating to b — look it up\na: Done.\n');
    expect(stderr).toContain('  on behalf of a → b\n');
    expect(stderr).toContain('b is still at work; what comes of it is told in this session.');
    expect(stderr).not.toContain('not ours');
    expect(code).toBe(0);
    expect(server.asked('events')[0]?.query).toEqual({ after: '2', deltas: 'false' });
  });

  test('--json prints every event of the family and nothing of others', async () => {
    playing((engine) => {
      engine.queue('t1');
      server.append({ type: 'tool.started', call: aCall({ turnId: 'other' }) });
      engine.start('t1');
      server.append({ type: 'tool.started', call: aCall() });
      engine.settle('t1');
    });
    const { stdout } = await server.parley([...ASK, '--json']);
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(types).toEqual(['turn.queued', 'turn.started', 'tool.started', 'turn.settled']);
  });
});

describe.skipIf(!hasPython)('a person who is asked (needs python3 for a pseudo-terminal)', () => {
  const edited = { decision: 'once', input: { command: 'ls -l' } };
  const JSON_LINE = 'Arguments as JSON › {"command":"ls"}';

  test.each([
    [['y\r'], { decision: 'once' }],
    [['s\r'], { decision: 'session' }],
    [['a\r'], { decision: 'always' }],
    [['n\rnot today\r'], { decision: 'deny', reason: 'not today' }],
    [['what?\r', 'Please answer', 'e\r', JSON_LINE, '\u007f\u007f -l"}\r'], edited],
  ])('answers in place while a message is answered once: %j', async (typed, answer) => {
    playing(async (engine) => {
      engine.start('t1');
      engine.say('t1', 'a', 'Let me look.');
      const given = await asking(approval);
      engine.say('t1', 'a', `You said ${given.decision}.`, 1);
      engine.settle('t1');
    });
    const person = new Person('/nonexistent/parley', ASK, server.env);
    await person.sees('a: Let me look.\n');
    await person.sees('command: ls');
    await person.sees('l later › ');
    for (const [index, text] of typed.entries()) await (index % 2 === 0 ? person.type(text) : person.sees(text));
    await person.sees(`You said ${answer.decision}.`);
    expect(await person.exitCode).toBe(0);
    expect(server.asked('answerAction')[0]?.body).toEqual(answer);
  });

  test('has not answered with what they typed before anybody asked', async () => {
    const typed = Promise.withResolvers<void>();
    playing(async (engine) => {
      engine.start('t1');
      engine.say('t1', 'a', 'Let me look.');
      await typed.promise;
      const given = await asking(approval);
      engine.say('t1', 'a', `You said ${given.decision}.`, 1);
      engine.settle('t1');
    });
    const person = new Person('/nonexistent/parley', ASK, server.env);
    await person.sees('a: Let me look.');
    person.type('y\r');
    await person.sees('y\n');
    typed.resolve();
    await person.sees('l later › ');
    person.type('n\r\r');
    await person.sees('You said deny.');
    expect(server.asked('answerAction')).toHaveLength(1);
  });

  test('is told when somebody else has answered, and is not asked any longer', async () => {
    playing(async (engine) => {
      engine.start('t1');
      const given = asking(approval);
      await until(() => server.asked('answerAction').length > 0, 'the other answer');
      await given;
      engine.say('t1', 'a', 'Done.');
      engine.settle('t1');
    });
    const person = new Person('/nonexistent/parley', ASK, server.env);
    await person.sees('l later › ');
    server.answers.listActions = () => ({ actions: [approval] });
    await server.output('approve');
    await person.sees('(that is settled)');
    await person.sees('a: Done.');
    expect(await person.exitCode).toBe(0);
  });

  test('in a conversation is asked on the line they type on, and gets back what they had begun to type', async () => {
    playing(() => undefined);
    server.answers.sendMessage = (request) => {
      const engine = new Engine(request);
      const turn = engine.turn('t1');
      const message = aMessage({ id: turn.messageId, turnId: 't1', text: 'hi' });
      setTimeout(async () => {
        engine.start('t1');
        await begun.promise;
        const given = await asking(approval);
        engine.say('t1', 'a', `You said ${given.decision}.`);
        engine.settle('t1');
      });
      return { turn, turns: [turn], message, answer: null, duplicate: false };
    };
    const begun = Promise.withResolvers<void>();
    const person = new Person('/nonexistent/parley', ['chat', '-a', 'a'], server.env);
    await person.sees('you → a › ');
    person.type('hi\r');
    await until(() => server.asked('sendMessage').length > 0, 'the message');
    person.type('y and more');
    await new Promise((resolve) => setTimeout(resolve, 200));
    begun.resolve();
    await person.sees('l later › ');
    expect(server.asked('answerAction')).toEqual([]);
    person.type('l\r');
    await person.sees('It waits. Answer it later with:');
    person.type('\u0015/actions\r');
    await person.sees('l later › ');
    person.type('s\r');
    await person.sees('a: You said session.');
    await person.sees('you → a › ');
    person.type('/quit\r');
    expect(await person.exitCode).toBe(0);
  });
});
