import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ActionList } from '../../contract/actions.ts';
import type { DelegationFixture } from '../faults/delegation-fixture.ts';
import { isDeath } from '../faults/fixture.ts';
import { checkPromises } from './checker.ts';
import type { KillRound } from './kill-loop.ts';

const WAYS = ['sync', 'async', 'tag'] as const;
const TASKS = ['work', 'work a while', 'delete'];
const DECISIONS = ['once', 'once', 'deny', 'session'] as const;

/** Agents that give work to each other and ask for approval, a person who answers and stops them, and a kill -9. */
export async function killActing(fixture: DelegationFixture, round: KillRound, random: () => number): Promise<void> {
  const names: string[] = [];
  const people = Array.from({ length: round.sessions }, (_, index) => {
    const begun = Date.now();
    return untilDeath(async (times) => {
      const name = `${begun}-${index}-${times}`;
      names.push(name);
      await giveWork(fixture, name, random);
    });
  });
  const clerk = untilDeath(() => answerSome(fixture, random));
  await pause(round.afterMs);
  await fixture.parley.kill();
  await Promise.all([...people, clerk]);
  await fixture.parley.restart({});
  await comeToRest(fixture);
  await checkPromises(fixture.parley, fixture.ledger, { quietMs: 60_000 });
  // P3: nothing that was asked of a model is asked again by itself.
  const twice = names.flatMap((name) => WAYS.filter((way) => fixture.asked('bob', `of ${name} by ${way}`) > 1));
  expect(twice).toEqual([]);
}

async function untilDeath(act: (times: number) => Promise<void>): Promise<void> {
  try {
    for (let times = 0; times < 1000; times++) await act(times);
  } catch (error) {
    if (!isDeath(error)) throw error;
  }
}

async function giveWork(fixture: DelegationFixture, name: string, random: () => number): Promise<void> {
  const way = choose(WAYS, random);
  await fixture.begin(way, name, choose(TASKS, random));
  await pause(random() * 150);
  if (random() < 0.2) await fixture.parley.request('POST', `/api/sessions/${way}-${name}/cancellation`);
}

/** Somebody else may have answered, or the turn may be over: then there is nothing left to say. */
async function answerSome(fixture: DelegationFixture, random: () => number): Promise<void> {
  const { actions } = await fixture.parley.ok<ActionList>('GET', '/api/actions');
  for (const { id, kind } of actions) {
    const body = kind === 'approval' ? { decision: choose(DECISIONS, random) } : { decision: 'continue' };
    if (random() < 0.5) await fixture.parley.request('POST', `/api/actions/${id}/answer`, body);
  }
  await pause(random() * 60);
}

/** Everything that still waits for the person is answered. */
async function comeToRest(fixture: DelegationFixture): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const { actions } = await fixture.parley.ok<ActionList>('GET', '/api/actions');
    const open = actions.filter(({ kind }) => kind !== 'failure');
    for (const { id } of open) await fixture.parley.request('POST', `/api/actions/${id}/answer`, { decision: 'once' });
    if (open.length === 0 && (await fixture.isQuiet())) return;
    await pause(50);
  }
  throw new Error('what went on did not come to rest');
}

function choose<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)]!;
}
