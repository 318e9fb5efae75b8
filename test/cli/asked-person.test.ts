import { beforeEach, describe, expect, test } from 'vitest';
import type { Action } from '../../contract/actions.ts';
import { aCall, aMessage, anAction } from '../harness/shapes.ts';
import { approval, asking, Engine, playing } from './fake-engine.ts';
import { FakeServer } from './fake-server.ts';
import { until } from './parley.ts';
import { hasPython, Person } from './person.ts';

let server: FakeServer;

beforeEach(async () => {
  server = await FakeServer.start();
});

const ASK = ['chat', '-a', 'a', '-m', 'hi'];

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
    playing(server, async (engine) => {
      engine.start('t1');
      engine.say('t1', 'a', 'Let me look.');
      const given = await asking(server, approval);
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
    playing(server, async (engine) => {
      engine.start('t1');
      engine.say('t1', 'a', 'Let me look.');
      await typed.promise;
      const given = await asking(server, approval);
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
    playing(server, async (engine) => {
      engine.start('t1');
      const given = asking(server, approval);
      await until(() => server.asked('answerAction').length > 0, 'the other answer');
      await given;
      engine.say('t1', 'a', 'Done.');
      engine.settle('t1');
    });
    const person = new Person('/nonexistent/parley', ASK, server.env);
    await person.sees('l later › ');
    server.answers.listActions = () => ({ actions: [approval] });
    server.answers.getToolCall = () => aCall();
    await server.output('approve');
    await person.sees('(already settled)');
    await person.sees('a: Done.');
    expect(await person.exitCode).toBe(0);
  });

  /** In a conversation the message is sent plainly, and the session's own stream tells what comes of it. */
  function conversing(...actions: Action[]): Person {
    server.answers.sendMessage = (request) => {
      const engine = new Engine(server, request);
      const turn = engine.turn('t1');
      const message = aMessage({ id: turn.messageId, turnId: 't1', text: 'hi' });
      void answerSoon(engine, actions);
      return { turn, turns: [turn], message, answer: null, duplicate: false };
    };
    return new Person('/nonexistent/parley', ['chat', '-a', 'a'], server.env);
  }

  async function answerSoon(engine: Engine, actions: Action[]): Promise<void> {
    await Promise.resolve();
    engine.start('t1');
    for (const action of actions) {
      server.answers.listActions = () => ({ actions: [action] });
      const { decision } = await asking(server, action);
      engine.say('t1', 'a', `You said ${decision}.`);
    }
    engine.settle('t1');
  }

  test('in a conversation is asked on the line they type on, and gets back what they had begun to type', async () => {
    const person = conversing(approval);
    await person.sees('you → a › ');
    person.type('hi\ry and more');
    await person.sees('l later › ');
    expect(server.asked('answerAction')).toEqual([]);
    person.type('s\r');
    await person.sees('a: You said session.');
    await person.sees('you → a › y and more');
    person.type('\u0015/quit\r');
    expect(await person.exitCode).toBe(0);
  });

  test('in a conversation may put it off and come back to it, and is asked one thing after the other', async () => {
    const question = anAction({ id: 'x2', kind: 'question', title: 'a asks', question: { question: 'Which folder?' } });
    const person = conversing(approval, question);
    await person.sees('you → a › ');
    person.type('hi\r');
    await person.sees('l later › ');
    person.type('l\r');
    await person.sees('Still waiting. Answer later with:');
    person.type('/actions\r');
    await person.sees('l later › ');
    person.type('y\r');
    await person.sees('You said once.');
    await person.sees('Which folder?');
    await person.sees('(empty to skip) › ');
    person.type('/home/me\r');
    await person.sees('you → a › ');
    expect(server.asked('answerAction').map(({ body }) => body)).toEqual([
      { decision: 'once' },
      { decision: 'answer', text: '/home/me' },
    ]);
  });

  test('who enters a session in which something waits is asked at once', async () => {
    server.answers.listActions = () => ({ actions: [approval] });
    const person = new Person('/nonexistent/parley', ['chat', '-a', 'a'], server.env);
    await person.sees('a wants to use bash');
    await person.sees('l later › ');
  });
});
