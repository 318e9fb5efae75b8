import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TurnTree } from '../../contract/delegation.ts';
import type { Turn } from '../../contract/turns.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { DelegationFixture } from './delegation-fixture.ts';

interface Pair {
  fixture: DelegationFixture;
  parent: Turn;
  child: Turn;
}

/** What a person may do while a delegate speaks. */
const ACTS: Record<string, (pair: Pair) => Promise<unknown>> = {
  'stop the session of the caller': ({ fixture, parent }) =>
    fixture.parley.ok('POST', `/api/sessions/${parent.sessionId}/cancellation`),
  'stop the delegate': ({ fixture, child }) => fixture.parley.ok('POST', `/api/turns/${child.id}/cancellation`),
  'stop the session of the delegate': ({ fixture, child }) =>
    fixture.parley.ok('POST', `/api/sessions/${child.sessionId}/cancellation`),
  'stop both at once': ({ fixture, parent, child }) =>
    Promise.all([parent, child].map(({ id }) => fixture.parley.ok('POST', `/api/turns/${id}/cancellation`))),
  'clear the session of the caller': ({ fixture, parent }) => wipe(fixture, parent.sessionId, 'clear'),
  'clear the session of the delegate': ({ fixture, child }) => wipe(fixture, child.sessionId, 'clear'),
  'delete the session of the caller': ({ fixture, parent }) => wipe(fixture, parent.sessionId, 'delete'),
  'delete the session of the delegate': ({ fixture, child }) => wipe(fixture, child.sessionId, 'delete'),
  'interrupt the caller': ({ fixture, parent }) => interrupt(fixture, parent),
  'interrupt the delegate': ({ fixture, child }) => interrupt(fixture, child),
  'answer late': () => Promise.resolve(),
};

async function wipe({ parley, ledger }: DelegationFixture, id: string, how: 'clear' | 'delete'): Promise<void> {
  ledger.doubt(id);
  await parley.ok('DELETE', how === 'clear' ? `/api/sessions/${id}/messages` : `/api/sessions/${id}`);
  if (how === 'delete') return ledger.deleted(id);
  ledger.cleared(id);
  if (ledger.sessions.has(id)) ledger.sessions.set(id, 'live');
}

function interrupt({ ledger, parley }: DelegationFixture, { sessionId }: Turn) {
  return ledger.send(parley, sessionId, { content: 'Rather this.', busy: 'interrupt' });
}

async function childOf({ parley }: DelegationFixture, sessionId: string): Promise<Omit<Pair, 'fixture'>> {
  const newest = async () =>
    (await parley.ok<{ turns: Turn[] }>('GET', `/api/sessions/${sessionId}/turns`)).turns.at(-1)!;
  const { root } = await until(
    async () => parley.ok<TurnTree>('GET', `/api/turns/${(await newest()).id}/tree`),
    (tree) => tree.root.children[0]?.turn.state === 'running',
  );
  return { parent: root.turn, child: root.children[0]!.turn };
}

describe('what a person does while a delegate speaks', { timeout: 60_000 }, () => {
  let fixture: DelegationFixture;
  beforeAll(async () => {
    fixture = await DelegationFixture.open();
  });
  afterAll(() => fixture.close());

  it.each(['sync', 'async', 'tag'] as const)('leaves nothing open and nobody waiting for nothing (%s)', async (way) => {
    const work = Object.values(ACTS).map(async (act, index) => {
      await fixture.begin(way, `act-${index}`, 'a while');
      const pair = { fixture, ...(await childOf(fixture, `${way}-act-${index}`)) };
      await act(pair);
    });
    await Promise.all(work);
    await fixture.quiet();
    expect(fixture.parley.stderr).toBe('');
  });

  it('P1-P11 hold after all of it', async () => {
    await fixture.quiet();
    await checkPromises(fixture.parley, fixture.ledger);
  });
});
