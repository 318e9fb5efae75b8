import { describe, expect, it } from 'vitest';
import type { AnswerAction } from '../../contract/actions.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { resultsIn } from '../suites/calling.ts';
import { isDeath } from './fixture.ts';
import { ToolFixture } from './tool-fixture.ts';

const question = (text: string) => `ask_user ${JSON.stringify({ question: text })}`;
const steps = (count: number, key: string) =>
  Array.from({ length: count }, (_, step) => `shop_count {"key":"${key}${step}"}`).join(' then ');

const TOLD = {
  approval: 'call shop_risky {"key":"approval"}',
  mixed: 'call shop_count {"key":"done"}; shop_slow_risky {"key":"slow"}; shop_risky {"key":"left"}',
  question: `call ${question('Well?')}`,
  questions: `call ${question('One?')}; ${question('Two?')}`,
  continued: `call ${steps(4, 'continued')}`,
  stopped: `call ${steps(4, 'stopped')}`,
  both: `call shop_count {"key":"first"} then shop_risky {"key":"second"}; ${question('Both?')}`,
};

/** Everything that can wait for a person, waiting. */
async function setUp(fixture: ToolFixture): Promise<void> {
  for (const [name, content] of Object.entries(TOLD)) await fixture.tell(name, content);
  const [slow] = await fixture.waiting('mixed', 2);
  expect(slow!.approval!.tool).toBe('shop_slow_risky');
  await fixture.answer(slow!, { decision: 'once' });
  await fixture.shop.arrived('slow');
  const [one] = (await fixture.waiting('questions', 2)).filter(({ question: asked }) => asked!.question === 'One?');
  await fixture.answer(one!, { decision: 'answer', text: 'First.' });
  await until(
    () => fixture.states('questions'),
    (states) => states.join() === 'complete,waiting',
  );
  for (const name of ['approval', 'question', 'continued', 'stopped'] as const) await fixture.waiting(name);
  await fixture.waiting('both', 2);
}

/** Every one still waits, in every place that says so. */
async function checkWaiting(fixture: ToolFixture): Promise<void> {
  for (const name of Object.keys(TOLD)) {
    expect([name, (await fixture.parley.session(name)).status]).toEqual([name, 'waiting']);
    expect([name, (await fixture.turnOf(name)).state]).toEqual([name, 'waiting']);
  }
  expect(await fixture.states('approval')).toEqual(['waiting']);
  expect(await fixture.states('questions')).toEqual(['complete', 'waiting']);
  expect(await fixture.states('both')).toEqual(['complete', 'waiting', 'waiting']);
  expect((await fixture.open('both')).map(({ kind }) => kind).sort()).toEqual(['approval', 'question']);
  expect(await fixture.states('mixed')).toEqual(['complete', 'interrupted', 'waiting']);
  await checkPromises(fixture.parley, fixture.ledger);
}

/** Answering ends each of them as if nothing had happened; nothing was done or asked of a model twice. */
async function answerAll(fixture: ToolFixture): Promise<void> {
  for (const name of ['approval', 'mixed'] as const)
    await fixture.answer((await fixture.open(name))[0]!, { decision: 'once' });
  for (const name of ['question', 'questions'] as const)
    await fixture.answer((await fixture.open(name))[0]!, { decision: 'answer', text: 'Yes.' });
  await fixture.answer((await fixture.open('continued'))[0]!, { decision: 'continue' });
  await fixture.answer((await fixture.open('stopped'))[0]!, { decision: 'stop' });
  for (const action of await fixture.open('both'))
    await fixture.answer(action, action.kind === 'question' ? { decision: 'decline' } : { decision: 'deny' });
}

async function checkOutcome(fixture: ToolFixture): Promise<void> {
  const outputs = async (name: string) => {
    const { turn, answer } = await fixture.settled(name);
    expect([name, turn.state]).toEqual([name, 'complete']);
    return resultsIn(answer).map(({ output }) => output);
  };
  expect(await outputs('approval')).toEqual(['approval counted']);
  const [done, slow, left] = await outputs('mixed');
  expect([done, left]).toEqual(['done counted', 'left counted']);
  expect(slow).toContain('Result unknown');
  expect(
    fixture.provider.requests.some(({ said, body }) => said === TOLD.mixed && JSON.stringify(body).includes(slow!)),
  ).toBe(true);
  expect(await outputs('question')).toEqual(['{"text":"Yes."}']);
  expect(await outputs('questions')).toEqual(['{"text":"First."}', '{"text":"Yes."}']);
  expect(await outputs('continued')).toEqual([0, 1, 2, 3].map((step) => `continued${step} counted`));
  expect(await outputs('stopped')).toEqual([0, 1, 2].map((step) => `stopped${step} counted`));
  expect(await outputs('both')).toEqual([
    'first counted',
    'The user denied this call.',
    'The user declined to answer.',
  ]);
  for (const key of ['approval', 'done', 'slow', 'left', 'first', 'continued0', 'continued3', 'stopped2'])
    expect([key, fixture.shop.count(key)]).toEqual([key, 1]);
  expect(fixture.shop.count('second')).toBe(0);
  const asked = Object.values(TOLD).map((content) => fixture.asked(content));
  expect(asked).toEqual([2, 2, 2, 2, 5, 3, 3]);
}

describe('a server that goes away while turns wait for a person', { timeout: 90_000 }, () => {
  it('P1-P5, P14: by SIGTERM or by kill -9, all still wait, and answers complete them once', async () => {
    const fixture = await ToolFixture.open();
    try {
      await setUp(fixture);
      for (const way of ['SIGTERM', 'kill -9', 'SIGTERM']) {
        if (way === 'SIGTERM') expect(await fixture.parley.stop()).toBe(0);
        else await fixture.parley.kill();
        await fixture.parley.restart({});
        await until(
          () => fixture.states('mixed'),
          (states) => states[1] === 'interrupted',
        );
        await checkWaiting(fixture);
      }
      await answerAll(fixture);
      await checkOutcome(fixture);
      await checkPromises(fixture.parley, fixture.ledger);
    } finally {
      await fixture.close();
    }
  });

  it('P4: what waits after a restart can be cancelled, interrupted, steered and wiped like before it', async () => {
    const fixture = await ToolFixture.open();
    try {
      const names = ['cancelled', 'interrupted', 'steered', 'cleared', 'deleted'];
      for (const name of names) await fixture.tell(name, `call shop_risky {"key":"${name}"}`);
      for (const name of names) await fixture.waiting(name);
      const steering = { content: 'By the way.', busy: 'steer' } as const;
      await fixture.ledger.send(fixture.parley, 'steered', steering);
      await fixture.parley.kill();
      await fixture.parley.restart({});
      for (const name of names) expect(await fixture.open(name)).toHaveLength(1);
      await fixture.parley.ok('POST', '/api/sessions/cancelled/cancellation');
      await fixture.ledger.send(fixture.parley, 'interrupted', { content: 'Now.', busy: 'interrupt' });
      await fixture.answer((await fixture.open('steered'))[0]!, { decision: 'once' });
      await fixture.parley.ok('DELETE', '/api/sessions/cleared/messages');
      fixture.ledger.cleared('cleared');
      await fixture.parley.ok('DELETE', '/api/sessions/deleted');
      fixture.ledger.deleted('deleted');
      await until(
        () => fixture.parley.transcript('steered'),
        (lines) => lines.at(-1) === 'ada: No tools for “By the way.”.',
      );
      expect(await fixture.parley.transcript('steered')).toHaveLength(4);
      await until(
        () => fixture.parley.transcript('interrupted'),
        (lines) => lines.at(-1) === 'ada: No tools for “Now.”.',
      );
      expect(await fixture.states('cancelled')).toEqual(['cancelled']);
      expect(names.map((name) => fixture.shop.count(name))).toEqual([0, 0, 1, 0, 0]);
      expect((await fixture.parley.ok<{ actions: unknown[] }>('GET', '/api/actions')).actions).toEqual([]);
      await checkPromises(fixture.parley, fixture.ledger);
    } finally {
      await fixture.close();
    }
  });
});

it('P3, P13: a script that waits for an approval ends with the server; what it asked is withdrawn, not done', async () => {
  const fixture = await ToolFixture.open();
  try {
    const command = 'parley tool shop count --key script\nparley tool shop risky --key script-risky';
    const content = `call bash ${JSON.stringify({ command })}; shop_risky {"key":"own"}`;
    await fixture.tell('talk', content);
    const actions = await fixture.waiting('talk', 2);
    await fixture.parley.kill();
    await fixture.parley.restart({});
    const [own] = await fixture.waiting('talk');
    expect(own!.approval!.input).toBe('{"key":"own"}');
    expect(actions.map(({ id }) => id)).toContain(own!.id);
    expect(await fixture.states('talk')).toEqual(['interrupted', 'waiting', 'complete', 'cancelled']);
    await checkPromises(fixture.parley, fixture.ledger);
    await fixture.answer(own!, { decision: 'once' });
    const { turn, answer } = await fixture.settled('talk');
    expect(turn.state).toBe('complete');
    expect(resultsIn(answer).map(({ output }) => output)).toEqual([
      expect.stringContaining('Result unknown'),
      'own counted',
      'script counted',
      'Not run: the program that made this call has exited.',
    ]);
    expect(['script', 'script-risky', 'own'].map((key) => fixture.shop.count(key))).toEqual([1, 0, 1]);
    await checkPromises(fixture.parley, fixture.ledger);
  } finally {
    await fixture.close();
  }
});

/** What is answered right before the server dies, and what has to come of it. */
const ANSWERS: [name: string, content: string, answer: AnswerAction, states: string[], outputs: string[]][] = [
  ['once', 'call shop_risky {"key":"once"}', { decision: 'once' }, ['complete'], ['once counted']],
  ['deny', 'call shop_risky {"key":"deny"}', { decision: 'deny' }, ['denied'], ['The user denied this call.']],
  [
    'edited',
    'call shop_risky {"key":"asked"}',
    { decision: 'once', input: { key: 'edited' } },
    ['complete'],
    ['edited counted'],
  ],
  ['question', TOLD.question, { decision: 'answer', text: 'Kept.' }, ['complete'], ['{"text":"Kept."}']],
  ['stop', TOLD.stopped, { decision: 'stop' }, Array(3).fill('complete'), [0, 1, 2].map((n) => `stopped${n} counted`)],
  [
    'continue',
    TOLD.continued,
    { decision: 'continue' },
    Array(4).fill('complete'),
    [0, 1, 2, 3].map((n) => `continued${n} counted`),
  ],
  ['always', 'call shop_risky {"key":"always"}', { decision: 'always' }, ['complete'], ['always counted']],
];

it('P1, P3: an answer counts from the moment it is on disk: after a kill -9 it is heeded once, and nobody is asked again', async () => {
  const env = { PARLEY_FAULT: 'action.answered' };
  const fixture = await ToolFixture.open(env);
  try {
    for (const [name, content, answer, states, outputs] of ANSWERS) {
      await fixture.tell(name, content);
      const [action] = await fixture.waiting(name);
      await fixture.answer(action!, answer).catch((error) => expect(isDeath(error)).toBe(true));
      await fixture.parley.waitForExit();
      await fixture.parley.restart(env);
      const { turn, answer: said } = await fixture.settled(name);
      expect([name, turn.state]).toEqual([name, 'complete']);
      expect([name, await fixture.states(name)]).toEqual([name, states]);
      expect(resultsIn(said).map(({ output }) => output)).toEqual(outputs);
    }
    const counts = ['once', 'deny', 'asked', 'edited', 'always', 'stopped3', 'continued3'].map((key) =>
      fixture.shop.count(key),
    );
    expect(counts).toEqual([1, 0, 0, 1, 1, 0, 1]);
    await checkPromises(fixture.parley, fixture.ledger);
  } finally {
    await fixture.close();
  }
}, 60_000);
