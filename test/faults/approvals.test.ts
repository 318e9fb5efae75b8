import { describe, expect, it } from 'vitest';
import type { AnswerAction } from '../../contract/actions.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { resultsIn } from '../suites/calling.ts';
import { isDeath } from './scene.ts';
import { ToolScene } from './tool-scene.ts';

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
async function setUp(scene: ToolScene): Promise<void> {
  for (const [name, content] of Object.entries(TOLD)) await scene.tell(name, content);
  const [slow] = await scene.waiting('mixed', 2);
  expect(slow!.approval!.tool).toBe('shop_slow_risky');
  await scene.answer(slow!, { decision: 'once' });
  await scene.shop.arrived('slow');
  const [one] = (await scene.waiting('questions', 2)).filter(({ question: asked }) => asked!.question === 'One?');
  await scene.answer(one!, { decision: 'answer', text: 'First.' });
  await until(
    () => scene.states('questions'),
    (states) => states.join() === 'complete,waiting',
  );
  for (const name of ['approval', 'question', 'continued', 'stopped'] as const) await scene.waiting(name);
  await scene.waiting('both', 2);
}

/** Every one still waits, in every place that says so. */
async function checkWaiting(scene: ToolScene): Promise<void> {
  for (const name of Object.keys(TOLD)) {
    expect([name, (await scene.parley.session(name)).status]).toEqual([name, 'waiting']);
    expect([name, (await scene.turnOf(name)).state]).toEqual([name, 'waiting']);
  }
  expect(await scene.states('approval')).toEqual(['waiting']);
  expect(await scene.states('questions')).toEqual(['complete', 'waiting']);
  expect(await scene.states('both')).toEqual(['complete', 'waiting', 'waiting']);
  expect((await scene.open('both')).map(({ kind }) => kind).sort()).toEqual(['approval', 'question']);
  expect(await scene.states('mixed')).toEqual(['complete', 'interrupted', 'waiting']);
  await checkPromises(scene.parley, scene.ledger);
}

/** Answering ends each of them as if nothing had happened; nothing was done or asked of a model twice. */
async function answerAll(scene: ToolScene): Promise<void> {
  for (const name of ['approval', 'mixed'] as const)
    await scene.answer((await scene.open(name))[0]!, { decision: 'once' });
  for (const name of ['question', 'questions'] as const)
    await scene.answer((await scene.open(name))[0]!, { decision: 'answer', text: 'Yes.' });
  await scene.answer((await scene.open('continued'))[0]!, { decision: 'continue' });
  await scene.answer((await scene.open('stopped'))[0]!, { decision: 'stop' });
  for (const action of await scene.open('both'))
    await scene.answer(action, action.kind === 'question' ? { decision: 'decline' } : { decision: 'deny' });
}

async function checkOutcome(scene: ToolScene): Promise<void> {
  const outputs = async (name: string) => {
    const { turn, answer } = await scene.settled(name);
    expect([name, turn.state]).toEqual([name, 'complete']);
    return resultsIn(answer).map(({ output }) => output);
  };
  expect(await outputs('approval')).toEqual(['approval counted']);
  const [done, slow, left] = await outputs('mixed');
  expect([done, left]).toEqual(['done counted', 'left counted']);
  expect(slow).toContain('Result unknown');
  expect(
    scene.provider.requests.some(({ said, body }) => said === TOLD.mixed && JSON.stringify(body).includes(slow!)),
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
    expect([key, scene.shop.count(key)]).toEqual([key, 1]);
  expect(scene.shop.count('second')).toBe(0);
  const asked = Object.values(TOLD).map((content) => scene.asked(content));
  expect(asked).toEqual([2, 2, 2, 2, 5, 3, 3]);
}

describe('a server that goes away while turns wait for a person', { timeout: 90_000 }, () => {
  it('P1-P5, P14: by SIGTERM or by kill -9, all still wait, and answers complete them once', async () => {
    const scene = await ToolScene.open();
    try {
      await setUp(scene);
      for (const way of ['SIGTERM', 'kill -9', 'SIGTERM']) {
        if (way === 'SIGTERM') expect(await scene.parley.stop()).toBe(0);
        else await scene.parley.kill();
        await scene.parley.restart({});
        await until(
          () => scene.states('mixed'),
          (states) => states[1] === 'interrupted',
        );
        await checkWaiting(scene);
      }
      await answerAll(scene);
      await checkOutcome(scene);
      await checkPromises(scene.parley, scene.ledger);
    } finally {
      await scene.close();
    }
  });

  it('P4: what waits after a restart can be cancelled, interrupted, steered and wiped like before it', async () => {
    const scene = await ToolScene.open();
    try {
      const names = ['cancelled', 'interrupted', 'steered', 'cleared', 'deleted'];
      for (const name of names) await scene.tell(name, `call shop_risky {"key":"${name}"}`);
      for (const name of names) await scene.waiting(name);
      const steering = { content: 'By the way.', busy: 'steer' } as const;
      await scene.ledger.send(scene.parley, 'steered', steering);
      await scene.parley.kill();
      await scene.parley.restart({});
      for (const name of names) expect(await scene.open(name)).toHaveLength(1);
      await scene.parley.ok('POST', '/api/sessions/cancelled/cancellation');
      await scene.ledger.send(scene.parley, 'interrupted', { content: 'Now.', busy: 'interrupt' });
      await scene.answer((await scene.open('steered'))[0]!, { decision: 'once' });
      await scene.parley.ok('DELETE', '/api/sessions/cleared/messages');
      scene.ledger.cleared('cleared');
      await scene.parley.ok('DELETE', '/api/sessions/deleted');
      scene.ledger.deleted('deleted');
      await until(
        () => scene.parley.transcript('steered'),
        (lines) => lines.at(-1) === 'ada: No tools for “By the way.”.',
      );
      expect(await scene.parley.transcript('steered')).toHaveLength(4);
      await until(
        () => scene.parley.transcript('interrupted'),
        (lines) => lines.at(-1) === 'ada: No tools for “Now.”.',
      );
      expect(await scene.states('cancelled')).toEqual(['cancelled']);
      expect(names.map((name) => scene.shop.count(name))).toEqual([0, 0, 1, 0, 0]);
      expect((await scene.parley.ok<{ actions: unknown[] }>('GET', '/api/actions')).actions).toEqual([]);
      await checkPromises(scene.parley, scene.ledger);
    } finally {
      await scene.close();
    }
  });
});

it('P3, P13: a script that waits for an approval ends with the server; what it asked is withdrawn, not done', async () => {
  const scene = await ToolScene.open();
  try {
    const command = 'parley tool shop count --key script\nparley tool shop risky --key script-risky';
    const content = `call bash ${JSON.stringify({ command })}; shop_risky {"key":"own"}`;
    await scene.tell('talk', content);
    const actions = await scene.waiting('talk', 2);
    await scene.parley.kill();
    await scene.parley.restart({});
    const [own] = await scene.waiting('talk');
    expect(own!.approval!.input).toBe('{"key":"own"}');
    expect(actions.map(({ id }) => id)).toContain(own!.id);
    expect(await scene.states('talk')).toEqual(['interrupted', 'waiting', 'complete', 'cancelled']);
    await checkPromises(scene.parley, scene.ledger);
    await scene.answer(own!, { decision: 'once' });
    const { turn, answer } = await scene.settled('talk');
    expect(turn.state).toBe('complete');
    expect(resultsIn(answer).map(({ output }) => output)).toEqual([
      expect.stringContaining('Result unknown'),
      'own counted',
      'script counted',
      'Not run: the program that made this call has exited.',
    ]);
    expect(['script', 'script-risky', 'own'].map((key) => scene.shop.count(key))).toEqual([1, 0, 1]);
    await checkPromises(scene.parley, scene.ledger);
  } finally {
    await scene.close();
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
  const scene = await ToolScene.open(env);
  try {
    for (const [name, content, answer, states, outputs] of ANSWERS) {
      await scene.tell(name, content);
      const [action] = await scene.waiting(name);
      await scene.answer(action!, answer).catch((error) => expect(isDeath(error)).toBe(true));
      await scene.parley.waitForExit();
      await scene.parley.restart(env);
      const { turn, answer: said } = await scene.settled(name);
      expect([name, turn.state]).toEqual([name, 'complete']);
      expect([name, await scene.states(name)]).toEqual([name, states]);
      expect(resultsIn(said).map(({ output }) => output)).toEqual(outputs);
    }
    const counts = ['once', 'deny', 'asked', 'edited', 'always', 'stopped3', 'continued3'].map((key) =>
      scene.shop.count(key),
    );
    expect(counts).toEqual([1, 0, 0, 1, 1, 0, 1]);
    await checkPromises(scene.parley, scene.ledger);
  } finally {
    await scene.close();
  }
}, 60_000);
