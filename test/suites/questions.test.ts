import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuestionField } from '../../contract/actions.ts';
import { until } from '../harness/parley.ts';
import { answer, answerNext, waitingIn } from './answering.ts';
import { callsIn, resultsIn } from './calling.ts';
import { reconfigure } from './reconfigure.ts';
import { type ShopPlugin, startWithShop } from './shop-plugin.ts';
import type { TestServer } from './test-server.ts';

let shop: ShopPlugin;
let server: TestServer;

beforeAll(async () => {
  ({ server, shop } = await startWithShop({
    agents: ['ada'],
    agent: { toolAllowlist: ['ask_user', 'shop_*'] },
  }));
});
afterAll(async () => {
  await server.close();
  shop.close();
});

const ask = (question: string, fields?: QuestionField[]) => `ask_user ${JSON.stringify({ question, fields })}`;

async function asking(calls: string, count = 1) {
  const sessionId = await server.open();
  const { turn } = await server.send(sessionId, `call ${calls}`);
  const actions = await waitingIn(server, sessionId, count);
  return { sessionId, turnId: turn.id, actions, action: actions[0]! };
}

async function told(turnId: string): Promise<string[]> {
  expect((await server.settled(turnId)).state).toBe('complete');
  const { answer: said } = await server.call('getTurn', { params: { turnId } });
  return resultsIn(said!).map(({ output }) => output);
}

const FIELDS: QuestionField[] = [
  { name: 'name', label: 'Your name', type: 'text', required: true },
  { name: 'height', type: 'number' },
  { name: 'age', type: 'integer', required: true },
  { name: 'member', type: 'boolean' },
  { name: 'colour', type: 'choice', options: ['red', 'blue'] },
  { name: 'days', type: 'choices', options: ['mon', 'tue', 'wed'], default: ['mon'] },
];

describe('a question', () => {
  it('waits for the person, in their own words when it has no fields', async () => {
    const { sessionId, turnId, action } = await asking(ask('Tea or coffee?'));
    expect(action).toMatchObject({
      kind: 'question',
      title: 'ada asks: Tea or coffee?',
      question: { question: 'Tea or coffee?' },
      approval: null,
    });
    expect((await server.session(sessionId)).status).toBe('waiting');
    const { calls } = await server.call('listToolCalls', { params: { turnId } });
    expect(calls).toMatchObject([{ state: 'waiting', actionId: action.id, startedAt: expect.any(String) }]);
    await answer(server, action, { decision: 'answer', text: 'Tea.' });
    expect(await told(turnId)).toEqual(['{"text":"Tea."}']);
  });

  it('that is declined is an answer, too', async () => {
    const { turnId, action } = await asking(ask('May I?'));
    await answer(server, action, { decision: 'decline' });
    expect(await told(turnId)).toEqual(['The user declined to answer.']);
  });

  it('with fields is answered by their names', async () => {
    const { turnId, action } = await asking(ask('Who are you?', FIELDS));
    expect(action.question!.fields).toEqual(FIELDS);
    const values = { name: 'Eve', height: 1.7, age: 30, member: false, colour: 'blue', days: ['tue', 'wed'] };
    await answer(server, action, { decision: 'answer', values });
    expect(await told(turnId)).toEqual([JSON.stringify({ values })]);
  });

  it('may leave out what is not required', async () => {
    const { turnId, action } = await asking(ask('Who are you?', FIELDS));
    await answer(server, action, { decision: 'answer', values: { name: '', age: 0, height: null } });
    expect(await told(turnId)).toEqual(['{"values":{"name":"","age":0,"height":null,"days":["mon"]}}']);
  });

  it('takes the default of a field that was left out, and no default that does not fit', async () => {
    const fields: QuestionField[] = [
      { name: 'size', type: 'integer', required: true, default: 3 },
      { name: 'colour', type: 'choice', options: ['red', 'blue'], default: 'green' },
    ];
    const { turnId, action } = await asking(ask('Which one?', fields));
    const answered = await answer(server, action, { decision: 'answer', values: {} });
    expect(answered.answer).toEqual({ decision: 'answer', values: { size: 3 } });
    expect(await told(turnId)).toEqual(['{"values":{"size":3}}']);
  });

  it('stays with its call: what was asked, what was answered, and no time spent waiting for it', async () => {
    const fields: QuestionField[] = [{ name: 'colour', label: 'Colour', type: 'text' }];
    const { turnId, action } = await asking(ask('Which colour?', fields));
    const askedAt = Date.parse(action.createdAt);
    await until(
      async () => Date.now() - askedAt,
      (waited) => waited > 300,
    );
    await answer(server, action, { decision: 'answer', values: { colour: 'blue' } });
    await server.settled(turnId);
    const { answer: said } = await server.call('getTurn', { params: { turnId } });
    const answers = [
      { question: 'Which colour?', declined: false, text: null, values: [{ label: 'Colour', value: 'blue' }] },
    ];
    const [part] = callsIn(said!);
    expect(part).toMatchObject({ state: 'complete', answers });
    expect(part!.durationMs).toBeLessThan(300);
    const { calls } = await server.call('listToolCalls', { params: { turnId } });
    expect(calls[0]).toMatchObject({ answers });
    expect(calls[0]!.waitedMs).toBeGreaterThanOrEqual(250);
  });

  it('refuses what does not fit, says what, and stays open', async () => {
    const { turnId, action } = await asking(ask('Who are you?', FIELDS));
    const params = { actionId: action.id };
    for (const [values, issues] of [
      [undefined, ['name is required', 'age is required']],
      [{ name: 5, age: 1 }, ['name must be text']],
      [{ name: 'x', age: 1.5 }, ['age must be a whole number']],
      [{ name: 'x', age: '1' }, ['age must be a whole number']],
      [{ name: 'x', age: 1, height: 'tall' }, ['height must be a number']],
      [{ name: 'x', age: 1, member: 'yes' }, ['member must be true or false']],
      [{ name: 'x', age: 1, colour: 'green' }, ['colour must be one of red, blue']],
      [{ name: 'x', age: 1, days: ['sun'] }, ['days must be a list of mon, tue, wed']],
      [{ name: 'x', age: 1, days: 'mon' }, ['days must be a list of mon, tue, wed']],
      [{ name: 'x', age: 1, shoe: 43 }, ['shoe was not asked for']],
    ] as const) {
      const body = { decision: 'answer', ...(values && { values }) };
      const problem = await server.refused('action_answer_invalid', 'answerAction', { params, body });
      expect(problem.issues).toEqual(issues);
    }
    for (const decision of ['once', 'deny', 'continue', 'retry'])
      await server.refused('action_answer_invalid', 'answerAction', { params, body: { decision } });
    expect((await server.call('getAction', { params })).state).toBe('open');
    await server.cancelTurn(turnId);
    expect((await server.call('getAction', { params })).state).toBe('withdrawn');
  });

  it('without fields takes text and nothing else', async () => {
    const { turnId, action } = await asking(ask('What?'));
    const params = { actionId: action.id };
    for (const body of [
      { decision: 'answer' },
      { decision: 'answer', values: { a: 1 } },
      { decision: 'answer', text: 'x', values: { a: 1 } },
    ])
      await server.refused('action_answer_invalid', 'answerAction', { params, body });
    await answer(server, action, { decision: 'answer', text: '' });
    expect(await told(turnId)).toEqual(['{"text":""}']);
  });

  it('that makes no sense is not put to anybody', async () => {
    const { answer: said } = await server.say(
      await server.open(),
      'call ask_user {"question":"","fields":[{"name":"x","type":"colour"}]}',
    );
    expect(callsIn(said!)[0]!.state).toBe('failed');
    expect(resultsIn(said!)[0]!.output).toMatch(/question.*fields\[0\]\.type/);
  });

  it('beside another keeps to its own answer', async () => {
    const { turnId, actions } = await asking(`${ask('One?')}; ${ask('Two?')}`, 2);
    expect(actions.map(({ question }) => question!.question).sort()).toEqual(['One?', 'Two?']);
    const by = (text: string) => actions.find(({ question }) => question!.question === text)!;
    await answer(server, by('Two?'), { decision: 'answer', text: 'second' });
    expect((await server.turn(turnId)).state).toBe('waiting');
    await answer(server, by('One?'), { decision: 'answer', text: 'first' });
    expect(await told(turnId)).toEqual(['{"text":"first"}', '{"text":"second"}']);
  });
});

describe('a tool that asks while it works', () => {
  it('goes on with the answer, or with none', async () => {
    const { sessionId, turnId } = await asking('shop_ask {"question":"Sure?"} then shop_ask {"question":"Really?"}');
    await answerNext(server, sessionId, { decision: 'answer', text: 'Yes.' });
    await answerNext(server, sessionId, { decision: 'decline' });
    expect(await told(turnId)).toEqual(['{"text":"Yes."}', 'null']);
  });

  it('is not hurried: neither its time nor that of the turn runs while the person thinks', async () => {
    await reconfigure(server, (settings) => Object.assign(settings, { limits: { toolMs: 1500, turnMs: 1500 } }));
    const { turnId, action } = await asking('shop_ask {"question":"Well?"}');
    await new Promise((resolve) => setTimeout(resolve, 1700));
    expect((await server.turn(turnId)).state).toBe('waiting');
    await reconfigure(server, (settings) => Object.assign(settings, { limits: {} }));
    await answer(server, action, { decision: 'answer', text: 'At last.' });
    expect(await told(turnId)).toEqual(['{"text":"At last."}']);
  });
});
