import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../contract/messages.ts';
import { gate, reasoning, text } from '../harness/scripted-script.ts';
import { type DelegatingAgents, fresh, OFFICE, startDelegating } from './delegating.ts';
import { answersIn, ask, call, resultsIn, type ScriptedAnswer } from './scripted-agents.ts';
import type { TestServer } from './test-server.ts';

let server: TestServer;
let scripted: DelegatingAgents;
beforeAll(async () => {
  ({ server, scripted } = await startDelegating(OFFICE));
});
beforeEach(() => scripted.clear());
afterAll(() => server.close());

describe('agents_message, sync', () => {
  it('answers with everything the design document names, and nothing else', async () => {
    scripted.answers('bob', [...reasoning('Milk, then. '), call('todo_add', { title: 'milk' })], 'Added milk.');
    const [answer] = await scripted.asked('ada', ask('bob', ...fresh('Add milk.')));
    const session = await server.session(answer!.sessionId);
    expect(answer).toEqual({
      mode: 'sync',
      status: 'complete',
      agentId: 'bob',
      sessionId: session.id,
      sessionName: 'Add milk.',
      created: true,
      responseId: expect.any(String),
      response: 'Added milk.',
      durationMs: expect.any(Number),
      toolCallCount: 1,
      toolCalls: [{ name: 'todo_add', durationMs: expect.any(Number) }],
      thinkingText: 'Milk, then. ',
    });
    expect(await server.turn(answer!.responseId)).toMatchObject({ state: 'complete', agentId: 'bob', guest: false });
    expect(session).toMatchObject({ agentId: 'bob', status: 'active', parentSessionId: null, type: 'conversation' });
  });

  it('leaves a record in the session of the delegate, under the name of who asked', async () => {
    const [answer] = await scripted.asked('ada', ask('bob', ...fresh('Count to two.')));
    const [task, said] = await server.messages(answer!.sessionId);
    expect(task).toMatchObject({ role: 'user', agent: 'ada', text: 'Count to two.', guest: false });
    expect(said).toMatchObject({ role: 'assistant', agent: 'bob', status: 'complete' });
    // What an agent asked is not the person's to say better.
    const edit = { params: { messageId: task!.id }, body: { content: 'Count to three.' } };
    await server.refused('invalid_request', 'reviseMessage', edit);
  });

  it('shows the delegate who asks, with its own prompt and its own tools and nobody else’s', async () => {
    await scripted.asked('ada', ask('bob', ...fresh('List them.')));
    const [system, task] = server.prompt('bob');
    expect(task?.role).toBe('user');
    expect(task?.content).toMatch(
      /^<from agent="ada">List them\.<\/from>\n\n\[The message above is from the agent ada, not/,
    );
    expect(system!.content).toMatch(/^You are bob\./);
    expect(system!.content).not.toContain('ada');
    const request = server.provider.requests.findLast(({ body }) => body.model === 'model-of-bob')!;
    const offered = (request.body.tools as { function: { name: string } }[]).map((tool) => tool.function.name);
    expect(offered.every((name) => name.startsWith('todo_') || name.startsWith('system_'))).toBe(true);
    expect(offered).toContain('todo_add');
  });

  it('keeps everything before the last message the same whoever asks, and stores nothing of what says who asks', async () => {
    scripted.answers('bob', 'First.', 'Second.', 'Third.', 'Fourth.');
    const [first] = await scripted.asked('ada', ask('bob', ...fresh('One.')));
    const { sessionId } = first!;
    await scripted.asked('eve', ask('bob', 'Two.', { session: sessionId }));
    await server.say(sessionId, 'Three.');
    await scripted.asked('ada', ask('bob', 'Four.', { session: sessionId }));
    const requests = server.provider.requests.filter(({ body }) => body.model === 'model-of-bob').slice(-4);
    const prompts = requests.map(({ body }) => body.messages as { role: string; content: string }[]);
    for (const [index, prompt] of prompts.entries()) {
      const next = prompts[index + 1];
      if (next) expect(next.slice(0, prompt.length - 1)).toEqual(prompt.slice(0, -1));
      const framed = prompt.filter(({ content }) => content.includes('The message above is from the agent'));
      expect(framed).toEqual(index === 2 ? [] : [prompt.at(-1)]);
    }
    expect(requests.map(({ body }) => JSON.stringify(body.tools))).toEqual(
      requests.map(() => JSON.stringify(requests[0]!.body.tools)),
    );
    const stored = (await server.messages(sessionId)).map(({ text }) => text);
    expect(stored.filter((text) => text.includes('The message above'))).toEqual([]);
    const [newest] = await server.turns(sessionId);
    const { steps } = await server.call('seenByTurn', { params: { turnId: newest!.id } });
    expect(steps[0]!.messages.at(-1)?.text).toBe(prompts.at(-1)!.at(-1)!.content);
  });

  it('makes a tool of the caller no tool of the delegate', async () => {
    let refused: string[] = [];
    scripted.answers('bob', [call('agents_list', {})], (request) => {
      refused = resultsIn(request);
      return 'I may not.';
    });
    await scripted.asked('ada', ask('bob', ...fresh()));
    expect(refused[0]).toContain('toolAllowlist of bob');
  });

  it('is known to the caller as tool call and result, with the words of the delegate in the result', async () => {
    scripted.answers('ada', [...text('I ask.'), ask('bob', ...fresh())], 'Done.');
    const { answer } = await server.say(await server.open('ada'), 'Go.');
    expect(answer!.parts.map((part) => part.type)).toEqual(['text', 'tool_call', 'tool_result', 'text']);
    const result = answer!.parts[2] as Extract<Message['parts'][number], { type: 'tool_result' }>;
    expect(JSON.parse(result.output)).toMatchObject({
      status: 'complete',
      response: expect.stringContaining('bob heard'),
    });
  });

  it('cuts a long answer at 10,000 bytes, between characters, and says so', async () => {
    scripted.answers('bob', `x${'é'.repeat(6000)}`);
    const [answer] = await scripted.asked('ada', ask('bob', ...fresh()));
    expect(answer).toMatchObject({ truncated: true, response: `x${'é'.repeat(4999)}` });
    const whole = (await server.messages(answer!.sessionId)).at(-1);
    expect(whole!.text).toHaveLength(6001);
  });

  it('asks several at once in one step, side by side, and gets the results in the order of the calls', async () => {
    const both = gate();
    let waiting = 0;
    const slow: ScriptedAnswer = () => {
      waiting += 1;
      if (waiting === 2) both.open();
      return [{ kind: 'gate', until: both.until }, ...text('There.')];
    };
    scripted.answers('bob', slow);
    scripted.answers('mute', slow);
    const answers = await scripted.asked('ada', ask('bob', ...fresh('one')), ask('mute', ...fresh('three')));
    expect(answers.map(({ agentId, response }) => [agentId, response])).toEqual([
      ['bob', 'There.'],
      ['mute', 'There.'],
    ]);
  });

  it('passes on through agents that ask further', async () => {
    scripted.answers(
      'eve',
      [ask('bob', ...fresh('deeper'))],
      (request) => `Bob says: ${answersIn(request)[0]!.response}`,
    );
    scripted.answers('bob', 'forty-two');
    const [answer] = await scripted.asked('ada', ask('eve', ...fresh()));
    expect(answer!.response).toBe('Bob says: forty-two');
  });

  it.each([
    ['not JSON objects of its own making', { agentId: 'bob', content: 'x', extra: 1 }, /extra/],
    ['no content', { agentId: 'bob', content: '' }, /content/],
    ['an unknown mode', { agentId: 'bob', content: 'x', mode: 'later' }, /mode/],
    ['a timeout of nothing', { agentId: 'bob', content: 'x', timeout: 0 }, /timeout/],
  ])('refuses %s and says what is wrong', async (_, input, words) => {
    scripted.answers('ada', [call('agents_message', input)], (request) => resultsIn(request).join());
    const { answer } = await server.say(await server.open('ada'), 'Go.');
    expect(answer!.text).toMatch(words);
  });
});

describe('which session a delegate works in', () => {
  it('latest-or-create, the default: the newest one made for delegation, or a new one', async () => {
    const [first] = await scripted.asked('ada', ask('mute', 'anew', { session: 'create' }));
    expect(first).toMatchObject({ created: true });
    const [second] = await scripted.asked('ada', ask('mute', 'and again'));
    expect(second).toMatchObject({ created: false, sessionId: first!.sessionId });
    await server.create({ agentId: 'mute', name: 'the newest of mute' });
    const [third] = await scripted.asked('ada', ask('mute', 'and here', { session: 'latest-or-create' }));
    expect(third).toMatchObject({ created: false, sessionId: first!.sessionId });
  });

  it('latest: an error where there is none', async () => {
    const [none] = await scripted.asked('narrow', ask('ghost', 'anyone?', { session: 'latest' }));
    expect(none).toMatchObject({
      status: 'error',
      code: 'session_not_found',
      message: 'ghost has no session for delegated work yet.',
    });
    const [made] = await scripted.asked('narrow', ask('ghost', 'anyone?'));
    expect(made).toMatchObject({ status: 'complete', created: true });
    const [found] = await scripted.asked('narrow', ask('ghost', 'still?', { session: 'latest' }));
    expect(found).toMatchObject({ created: false, sessionId: made!.sessionId });
  });

  it('create: always a new one', async () => {
    const answers = await scripted.asked(
      'ada',
      ask('mute', 'one', { session: 'create' }),
      ask('mute', 'two!', { session: 'create' }),
    );
    expect(new Set(answers.map((answer) => answer.sessionId)).size).toBe(2);
    expect(answers.map((answer) => answer.created)).toEqual([true, true]);
  });

  it('an id: that session, with its history, if it belongs to the agent', async () => {
    const id = await server.open('bob');
    await server.say(id, 'Remember: blue.');
    const [answer] = await scripted.asked('ada', ask('bob', 'Which colour?', { session: id }));
    expect(answer).toMatchObject({ status: 'complete', sessionId: id, created: false });
    expect(server.prompt('bob').map(({ content }) => content)).toContain('Remember: blue.');
    const [wrong] = await scripted.asked('ada', ask('mute', 'Which colour?', { session: id }));
    expect(wrong).toMatchObject({ status: 'error', code: 'session_not_found' });
    const [nobody] = await scripted.asked('ada', ask('bob', 'Which colour?', { session: 'no-such-session' }));
    expect(nobody).toMatchObject({ status: 'error', code: 'session_not_found' });
  });
});
