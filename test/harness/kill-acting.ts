import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ActionList } from '../../contract/actions.ts';
import type { DelegationScene } from '../faults/delegation-scene.ts';
import { isDeath } from '../faults/scene.ts';
import { checkPromises } from './checker.ts';
import type { KillRound } from './kill-loop.ts';

const WAYS = ['sync', 'async', 'tag'] as const;
const TASKS = ['work', 'work a while', 'delete'];
const DECISIONS = ['once', 'once', 'deny', 'session'] as const;

/** Agents that give work to each other and ask for approval, a person who answers and stops them, and a kill -9. */
export async function killActing(scene: DelegationScene, round: KillRound, random: () => number): Promise<void> {
  const names: string[] = [];
  const people = Array.from({ length: round.sessions }, (_, index) => {
    const begun = Date.now();
    return untilDeath(async (times) => {
      const name = `${begun}-${index}-${times}`;
      names.push(name);
      await giveWork(scene, name, random);
    });
  });
  const clerk = untilDeath(() => answerSome(scene, random));
  await pause(round.afterMs);
  await scene.parley.kill();
  await Promise.all([...people, clerk]);
  await scene.parley.restart({});
  await comeToRest(scene);
  await checkPromises(scene.parley, scene.ledger, { quietMs: 60_000 });
  // P3: nothing that was asked of a model is asked again by itself.
  const twice = names.flatMap((name) => WAYS.filter((way) => scene.asked('bob', `of ${name} by ${way}`) > 1));
  expect(twice).toEqual([]);
}

async function untilDeath(act: (times: number) => Promise<void>): Promise<void> {
  try {
    for (let times = 0; times < 1000; times++) await act(times);
  } catch (error) {
    if (!isDeath(error)) throw error;
  }
}

async function giveWork(scene: DelegationScene, name: string, random: () => number): Promise<void> {
  const way = choose(WAYS, random);
  await scene.begin(way, name, choose(TASKS, random));
  await pause(random() * 150);
  if (random() < 0.2) await scene.parley.request('POST', `/api/sessions/${way}-${name}/cancellation`);
}

/** Somebody else may have answered, or the turn may be over: then there is nothing left to say. */
async function answerSome(scene: DelegationScene, random: () => number): Promise<void> {
  const { actions } = await scene.parley.ok<ActionList>('GET', '/api/actions');
  for (const { id, kind } of actions) {
    const body = kind === 'approval' ? { decision: choose(DECISIONS, random) } : { decision: 'continue' };
    if (random() < 0.5) await scene.parley.request('POST', `/api/actions/${id}/answer`, body);
  }
  await pause(random() * 60);
}

/** Everything that still waits for the person is answered. */
async function comeToRest(scene: DelegationScene): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const { actions } = await scene.parley.ok<ActionList>('GET', '/api/actions');
    const open = actions.filter(({ kind }) => kind !== 'failure');
    for (const { id } of open) await scene.parley.request('POST', `/api/actions/${id}/answer`, { decision: 'once' });
    if (open.length === 0 && (await scene.isQuiet())) return;
    await pause(50);
  }
  throw new Error('what went on did not come to rest');
}

function choose<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)]!;
}
