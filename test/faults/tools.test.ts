import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../contract/tools.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { resultsIn } from '../suites/calling.ts';
import { reconfigure } from '../suites/reconfigure.ts';
import { isDeath } from './fixture.ts';
import { ToolFixture } from './tool-fixture.ts';

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

async function workWithTools(fixture: ToolFixture): Promise<'died' | 'lived'> {
  try {
    await fixture.tell('plain', PLAIN);
    await fixture.settled('plain');
    await fixture.tell('asked', ASKED);
    await until(
      () => fixture.states('asked'),
      (states) => states[1] === 'complete',
    );
    await fixture.answer((await fixture.waiting('asked'))[0]!, { decision: 'once' });
    await fixture.settled('asked');
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

async function checkEffects(fixture: ToolFixture): Promise<void> {
  const told = new Map<string, ToolCall>();
  for (const session of fixture.ledger.sessions.keys())
    for (const call of await fixture.calls(session)) told.set(JSON.parse(call.input).key, call);
  for (const key of ['one', 'two', 'risky', 'beside']) {
    const [call, count] = [told.get(key), fixture.shop.count(key)];
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
      const fixture = await ToolFixture.open({ PARLEY_FAULT: point });
      try {
        expect(await workWithTools(fixture)).toBe('died');
        await fixture.parley.waitForExit();
        await fixture.parley.restart({});
        await checkPromises(fixture.parley, fixture.ledger);
        await checkEffects(fixture);
        for (const session of fixture.ledger.sessions.keys()) {
          for (const action of await fixture.open(session)) await fixture.answer(action, { decision: 'once' });
          await fixture.settled(session);
        }
        await checkPromises(fixture.parley, fixture.ledger);
        await checkEffects(fixture);
        // Whoever was cut short can be asked again, by the person.
        expect(fixture.asked(PLAIN)).toBeLessThanOrEqual(3);
        expect(fixture.asked(ASKED)).toBeLessThanOrEqual(2);
      } finally {
        await fixture.close();
      }
    },
  );

  it.concurrent('P3, P7: a turn that was at work is interrupted with what it had said and done, and the agent knows', async () => {
    const fixture = await ToolFixture.open();
    try {
      await fixture.tell(
        'talk',
        'call shop_count {"key":"before"} then shop_wait {"key":"during"}; shop_count {"key":"beside"}',
      );
      await fixture.shop.arrived('during');
      await until(
        () => fixture.states('talk'),
        (states) => states.at(-1) === 'complete',
      );
      await fixture.parley.kill();
      await fixture.shop.gaveUp('during');
      await fixture.parley.restart({});
      const { turn, answer } = await fixture.settled('talk');
      expect([turn.state, turn.stopReason, answer.status]).toEqual(['interrupted', 'server_stopped', 'interrupted']);
      expect(await fixture.states('talk')).toEqual(['complete', 'interrupted', 'complete']);
      expect(resultsIn(answer).map(({ output }) => output)).toEqual(['before counted', 'beside counted']);
      expect(answer.text).toBe('Step 0.\n\nStep 1.');
      await checkPromises(fixture.parley, fixture.ledger);
      await fixture.say('talk', 'What now?');
      await fixture.settled('talk');
      const told = fixture.provider.requests.at(-1)!.body.messages as { role: string; content: string }[];
      const results = told.filter(({ role }) => role === 'tool').map(({ content }) => content);
      expect(results).toEqual(['before counted', expect.stringContaining('unknown'), 'beside counted']);
      expect(['before', 'beside'].map((key) => fixture.shop.count(key))).toEqual([1, 1]);
    } finally {
      await fixture.close();
    }
  });

  it.concurrent('P3, P12: a full disk delays the record of what a tool did; it is neither forgotten nor repeated', async () => {
    const fixture = await ToolFixture.open();
    try {
      await fixture.tell('talk', 'call shop_slow_risky {"key":"full"} then shop_count {"key":"after"}');
      await fixture.answer((await fixture.waiting('talk'))[0]!, { decision: 'once' });
      await fixture.shop.arrived('full');
      await reconfigure(fixture, (settings) => Object.assign(settings, { storage: { maxBytes: 1_000_000 } }));
      fixture.shop.release('full', 'x'.repeat(2_000_000));
      await until(
        async () => fixture.parley.stderr,
        (log) => log.includes('a tool call could not be stored yet'),
      );
      expect(await fixture.states('talk')).toEqual(['running']);
      await reconfigure(fixture, (settings) => Object.assign(settings, { storage: {} }));
      const { turn, answer } = await fixture.settled('talk');
      expect(turn.state).toBe('complete');
      expect(resultsIn(answer).map(({ cutBytes = 0 }) => cutBytes > 0)).toEqual([true, false]);
      expect(['full', 'after'].map((key) => fixture.shop.count(key))).toEqual([1, 1]);
      await checkPromises(fixture.parley, fixture.ledger);
    } finally {
      await fixture.close();
    }
  });

  it('without a kill, the same flow passes the checker', async () => {
    const fixture = await ToolFixture.open();
    try {
      expect(await workWithTools(fixture)).toBe('lived');
      await checkPromises(fixture.parley, fixture.ledger);
      await checkEffects(fixture);
      expect(['one', 'two', 'risky', 'beside'].map((key) => fixture.shop.count(key))).toEqual([1, 1, 1, 1]);
    } finally {
      await fixture.close();
    }
  });
});
