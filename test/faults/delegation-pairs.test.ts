import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TurnTree } from '../../contract/delegation.ts';
import type { Turn } from '../../contract/turns.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { DelegationScene } from './delegation-scene.ts';

interface Pair {
  scene: DelegationScene;
  parent: Turn;
  child: Turn;
}

/** What a person may do while a delegate speaks. */
const ACTS: Record<string, (pair: Pair) => Promise<unknown>> = {
  'stop the session of the caller': ({ scene, parent }) =>
    scene.parley.ok('POST', `/api/sessions/${parent.sessionId}/cancellation`),
  'stop the delegate': ({ scene, child }) => scene.parley.ok('POST', `/api/turns/${child.id}/cancellation`),
  'stop the session of the delegate': ({ scene, child }) =>
    scene.parley.ok('POST', `/api/sessions/${child.sessionId}/cancellation`),
  'stop both at once': ({ scene, parent, child }) =>
    Promise.all([parent, child].map(({ id }) => scene.parley.ok('POST', `/api/turns/${id}/cancellation`))),
  'clear the session of the caller': ({ scene, parent }) => wipe(scene, parent.sessionId, 'clear'),
  'clear the session of the delegate': ({ scene, child }) => wipe(scene, child.sessionId, 'clear'),
  'delete the session of the caller': ({ scene, parent }) => wipe(scene, parent.sessionId, 'delete'),
  'delete the session of the delegate': ({ scene, child }) => wipe(scene, child.sessionId, 'delete'),
  'interrupt the caller': ({ scene, parent }) => interrupt(scene, parent),
  'interrupt the delegate': ({ scene, child }) => interrupt(scene, child),
  'answer late': () => Promise.resolve(),
};

async function wipe({ parley, ledger }: DelegationScene, id: string, how: 'clear' | 'delete'): Promise<void> {
  ledger.doubt(id);
  await parley.ok('DELETE', how === 'clear' ? `/api/sessions/${id}/messages` : `/api/sessions/${id}`);
  if (how === 'delete') return ledger.deleted(id);
  ledger.cleared(id);
  if (ledger.sessions.has(id)) ledger.sessions.set(id, 'live');
}

function interrupt({ ledger, parley }: DelegationScene, { sessionId }: Turn) {
  return ledger.send(parley, sessionId, { content: 'Rather this.', busy: 'interrupt' });
}

async function childOf({ parley }: DelegationScene, sessionId: string): Promise<Omit<Pair, 'scene'>> {
  const newest = async () =>
    (await parley.ok<{ turns: Turn[] }>('GET', `/api/sessions/${sessionId}/turns`)).turns.at(-1)!;
  const { root } = await until(
    async () => parley.ok<TurnTree>('GET', `/api/turns/${(await newest()).id}/tree`),
    (tree) => tree.root.children[0]?.turn.state === 'running',
  );
  return { parent: root.turn, child: root.children[0]!.turn };
}

describe('what a person does while a delegate speaks', { timeout: 60_000 }, () => {
  let scene: DelegationScene;
  beforeAll(async () => {
    scene = await DelegationScene.open();
  });
  afterAll(() => scene.close());

  it.each(['sync', 'async', 'tag'] as const)('leaves nothing open and nobody waiting for nothing (%s)', async (way) => {
    const work = Object.values(ACTS).map(async (act, index) => {
      await scene.begin(way, `act-${index}`, 'a while');
      const pair = { scene, ...(await childOf(scene, `${way}-act-${index}`)) };
      await act(pair);
    });
    await Promise.all(work);
    await scene.quiet();
    expect(scene.parley.stderr).toBe('');
  });

  it('P1-P11 hold after all of it', async () => {
    await scene.quiet();
    await checkPromises(scene.parley, scene.ledger);
  });
});
