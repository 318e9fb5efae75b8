import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../contract/tools.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { resultsIn } from '../suites/calling.ts';
import { reconfigure } from '../suites/reconfigure.ts';
import { isDeath } from './scene.ts';
import { ToolScene } from './tool-scene.ts';

/** In the order in which they are passed: two steps without approval, then one with a call that is approved. */
const POINTS = [
  'tool.before-start:3',
  'tool.started',
  'tool.started:3',
  'tool.executing:4',
  'tool.executed',
  'tool.executed:4',
  'tool.ended:3',
  'tool.ended:4',
];

const PLAIN = 'call shop_count {"key":"one"} then shop_count {"key":"two"}';
const ASKED = 'call shop_risky {"key":"risky"}; shop_count {"key":"beside"}';

async function workWithTools(scene: ToolScene): Promise<'died' | 'lived'> {
  try {
    await scene.tell('plain', PLAIN);
    await scene.settled('plain');
    await scene.tell('asked', ASKED);
    await until(
      () => scene.states('asked'),
      (states) => states[1] === 'complete',
    );
    await scene.answer((await scene.waiting('asked'))[0]!, { decision: 'once' });
    await scene.settled('asked');
    return 'lived';
  } catch (error) {
    if (isDeath(error)) return 'died';
    throw error;
  }
}

/** P3: what a call says of itself against what has really happened. */
function agrees({ state }: ToolCall, count: number): boolean {
  if (state === 'complete') return count === 1;
  return state === 'interrupted' ? count <= 1 : count === 0;
}

async function checkEffects(scene: ToolScene): Promise<void> {
  const told = new Map<string, ToolCall>();
  for (const session of scene.ledger.sessions.keys())
    for (const call of await scene.calls(session)) told.set(JSON.parse(call.input).key, call);
  for (const key of ['one', 'two', 'risky', 'beside']) {
    const [call, count] = [told.get(key), scene.shop.count(key)];
    expect([key, call?.state, count, call ? agrees(call, count) : count === 0]).toEqual([
      key,
      call?.state,
      count,
      true,
    ]);
  }
}

describe('kill -9 while tools work', { timeout: 60_000 }, () => {
  it.concurrent.each(POINTS)(
    'P1-P5, P14 hold after a kill at %s: nothing is done twice or forgotten',
    async (point) => {
      const scene = await ToolScene.open({ PARLEY_FAULT: point });
      try {
        expect(await workWithTools(scene)).toBe('died');
        await scene.parley.waitForExit();
        await scene.parley.restart({});
        await checkPromises(scene.parley, scene.ledger);
        await checkEffects(scene);
        for (const session of scene.ledger.sessions.keys()) {
          for (const action of await scene.open(session)) await scene.answer(action, { decision: 'once' });
          await scene.settled(session);
        }
        await checkPromises(scene.parley, scene.ledger);
        await checkEffects(scene);
        // Whoever was cut short can be asked again, by the person.
        expect(scene.asked(PLAIN)).toBeLessThanOrEqual(3);
        expect(scene.asked(ASKED)).toBeLessThanOrEqual(2);
      } finally {
        await scene.close();
      }
    },
  );

  it.concurrent('P3, P7: a turn that was at work is interrupted with what it had said and done, and the agent knows', async () => {
    const scene = await ToolScene.open();
    try {
      await scene.tell(
        'talk',
        'call shop_count {"key":"before"} then shop_wait {"key":"during"}; shop_count {"key":"beside"}',
      );
      await scene.shop.arrived('during');
      await until(
        () => scene.states('talk'),
        (states) => states.at(-1) === 'complete',
      );
      await scene.parley.kill();
      await scene.shop.gaveUp('during');
      await scene.parley.restart({});
      const { turn, answer } = await scene.settled('talk');
      expect([turn.state, turn.stopReason, answer.status]).toEqual(['interrupted', 'server_stopped', 'interrupted']);
      expect(await scene.states('talk')).toEqual(['complete', 'interrupted', 'complete']);
      expect(resultsIn(answer).map(({ output }) => output)).toEqual(['before counted', 'beside counted']);
      expect(answer.text).toBe('Step 0.\n\nStep 1.');
      await checkPromises(scene.parley, scene.ledger);
      await scene.say('talk', 'What now?');
      await scene.settled('talk');
      const told = scene.provider.requests.at(-1)!.body.messages as { role: string; content: string }[];
      const results = told.filter(({ role }) => role === 'tool').map(({ content }) => content);
      expect(results).toEqual(['before counted', expect.stringContaining('unknown'), 'beside counted']);
      expect(['before', 'beside'].map((key) => scene.shop.count(key))).toEqual([1, 1]);
    } finally {
      await scene.close();
    }
  });

  it.concurrent('P3, P12: a full disk delays the record of what a tool did; it is neither forgotten nor repeated', async () => {
    const scene = await ToolScene.open();
    try {
      await scene.tell('talk', 'call shop_slow_risky {"key":"full"} then shop_count {"key":"after"}');
      await scene.answer((await scene.waiting('talk'))[0]!, { decision: 'once' });
      await scene.shop.arrived('full');
      await reconfigure(scene, (settings) => Object.assign(settings, { storage: { maxBytes: 1_000_000 } }));
      scene.shop.release('full', 'x'.repeat(2_000_000));
      await until(
        async () => scene.parley.stderr,
        (log) => log.includes('a tool call could not be stored yet'),
      );
      expect(await scene.states('talk')).toEqual(['running']);
      await reconfigure(scene, (settings) => Object.assign(settings, { storage: {} }));
      const { turn, answer } = await scene.settled('talk');
      expect(turn.state).toBe('complete');
      expect(resultsIn(answer).map(({ cutBytes = 0 }) => cutBytes > 0)).toEqual([true, false]);
      expect(['full', 'after'].map((key) => scene.shop.count(key))).toEqual([1, 1]);
      await checkPromises(scene.parley, scene.ledger);
    } finally {
      await scene.close();
    }
  });

  it('without a kill, the same scene passes the checker', async () => {
    const scene = await ToolScene.open();
    try {
      expect(await workWithTools(scene)).toBe('lived');
      await checkPromises(scene.parley, scene.ledger);
      await checkEffects(scene);
      expect(['one', 'two', 'risky', 'beside'].map((key) => scene.shop.count(key))).toEqual([1, 1, 1, 1]);
    } finally {
      await scene.close();
    }
  });
});
