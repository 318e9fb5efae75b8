import { describe, expect, it } from 'vitest';
import type { ItemPage } from '../../contract/lists.ts';
import { checkPromises } from '../harness/checker.ts';
import { resultsIn } from '../suites/calling.ts';
import { isDeath } from './fixture.ts';
import { ToolFixture } from './tool-fixture.ts';

/** Calls with one commit, beside one whose effect is elsewhere: it has three. */
const WORK =
  'call todo_add {"title":"one"} then todo_add {"title":"two"}; todo_complete {"id":"none"}; shop_count {"key":"beside"}';

const POINTS = [
  'tool.executing',
  'tool.executed',
  'tool.before-start',
  'tool.started',
  'tool.executing:2',
  'tool.executed:3',
  'tool.before-start:2',
  'tool.started:2',
  'tool.ended',
];

function open(env: Record<string, string> = {}): Promise<ToolFixture> {
  return ToolFixture.open(env, ['todo_*', 'shop_*']);
}

async function todosOf({ parley }: ToolFixture): Promise<string[]> {
  const { status, body } = await parley.request<ItemPage>('GET', '/api/lists/todo/items');
  return status === 404 ? [] : body.items.map(({ title }) => title);
}

/** P3: what is there is what complete calls say they added. */
async function checkEffects(fixture: ToolFixture): Promise<void> {
  const calls = await fixture.calls('work');
  const added = calls.filter(({ name, state }) => name === 'todo_add' && state === 'complete');
  expect(await todosOf(fixture)).toEqual(added.map(({ input }) => JSON.parse(input).title));
  for (const { name, startedAt, endedAt } of calls) if (name === 'todo_add') expect(endedAt).toBe(startedAt);
}

describe('kill -9 while tools change what the server itself keeps', { timeout: 60_000 }, () => {
  it.concurrent.each(POINTS)('P3, P14: after a kill at %s, what was done is what the calls say', async (point) => {
    const fixture = await open({ PARLEY_FAULT: point });
    try {
      await fixture
        .tell('work', WORK)
        .then(() => fixture.settled('work'))
        .catch((error) => {
          if (!isDeath(error)) throw error;
        });
      await fixture.parley.waitForExit();
      await fixture.parley.restart({});
      await fixture.settled('work');
      await checkPromises(fixture.parley, fixture.ledger);
      await checkEffects(fixture);
    } finally {
      await fixture.close();
    }
  });

  it('without a kill, a call that fails is undone alone', async () => {
    const fixture = await open();
    try {
      await fixture.tell('work', WORK);
      const { turn, answer } = await fixture.settled('work');
      expect(turn.state).toBe('complete');
      expect(await fixture.states('work')).toEqual(['complete', 'complete', 'failed', 'complete']);
      expect(resultsIn(answer)[2]?.output).toBe('No todo with the ID none.');
      expect(await todosOf(fixture)).toEqual(['one', 'two']);
      expect(fixture.shop.count('beside')).toBe(1);
      await checkEffects(fixture);
      await checkPromises(fixture.parley, fixture.ledger);
    } finally {
      await fixture.close();
    }
  });
});
