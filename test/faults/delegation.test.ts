import { describe, expect, it } from 'vitest';
import type { ActionList } from '../../contract/actions.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { DelegationFixture } from './delegation-fixture.ts';

/** Each chain is one data folder: killed at one point after the other, each time with the next round of work begun. */
const CHAINS = [
  ['delegation.before-accept', 'delegation.accepted:2', 'delegation.before-delivery'],
  ['delegation.nested', 'delegation.before-accept:2', 'settle.committed:2'],
  ['delegation.accepted', 'turn.started:4', 'settle.before-commit:4'],
  ['accept.committed:4', 'settle.before-commit:2', 'write.committed:17'],
  ['write.committed:23', 'write.committed:9', 'write.committed:13'],
];

async function withFixture(work: (fixture: DelegationFixture) => Promise<void>, env = {}): Promise<void> {
  const fixture = await DelegationFixture.open(env);
  try {
    await work(fixture);
  } finally {
    await fixture.close();
  }
}

/** What goes on by itself after a start may come by the next point already: then that was the kill. */
async function restart({ parley }: DelegationFixture, point: string | undefined): Promise<void> {
  const started = await parley.restart(point ? { PARLEY_FAULT: point } : {}).catch((error) => error);
  if (started instanceof Error && !started.message.startsWith('the server ended with null')) throw started;
}

describe('kill -9 while agents give work to each other', { timeout: 60_000 }, () => {
  it.each(CHAINS.map((points) => [points.join(', '), points] as const))(
    'P1-P11: nothing is lost, told twice or left open after kills at %s',
    (_, points) =>
      withFixture(
        async (fixture) => {
          for (const [index, point] of points.entries()) {
            const next = points[index + 1];
            const name = point.replace(/\W/g, '-');
            expect([point, await fixture.delegate(name)]).toEqual([point, 'died']);
            await fixture.parley.waitForExit();
            await restart(fixture, next);
          }
          await fixture.quiet();
          const { sessions } = await checkPromises(fixture.parley, fixture.ledger);
          for (const point of points) {
            const name = point.replace(/\W/g, '-');
            // P3: nothing that was asked of a model is asked again by itself.
            for (const way of ['sync', 'async', 'tag'])
              expect([way, point, fixture.asked('bob', `work of ${name} by ${way}`) <= 1]).toEqual([way, point, true]);
          }
          expect(sessions.every(({ session }) => session.parentSessionId === null)).toBe(true);
        },
        { PARLEY_FAULT: points[0]! },
      ),
  );

  it('without a kill, the same flow passes the checker', () =>
    withFixture(async (fixture) => {
      expect(await fixture.delegate('calm')).toBe('lived');
      await checkPromises(fixture.parley, fixture.ledger);
      expect((await fixture.parley.transcript('async-calm')).slice(2)).toEqual([
        'bob: Well, so it is.',
        'lead: Noted, thanks.',
      ]);
      expect(await fixture.parley.transcript('tag-calm')).toEqual([
        'user: tag: work of calm',
        'lead: Bob will. ',
        'bob: work of calm by tag',
        'bob: Well, so it is.',
        'lead: Bob has done it.',
      ]);
    }));
});

describe('an approval that a delegate waits for', { timeout: 60_000 }, () => {
  it.each([
    ['a kill', (fixture: DelegationFixture) => fixture.parley.kill()],
    ['an orderly stop', (fixture: DelegationFixture) => fixture.parley.stop()],
  ])('P3, P4: survives %s, twice, with everybody who waits for it, and all complete once it is answered', (_, end) =>
    withFixture(async (fixture) => {
      await Promise.all((['sync', 'async', 'tag'] as const).map((way) => fixture.begin(way, 'wait', 'delete')));
      const open = () => fixture.parley.ok<ActionList>('GET', '/api/actions');
      const waiting = await until(open, ({ actions }) => actions.length === 3);
      await until(
        async () =>
          (await fixture.parley.session('sync-wait')).status + (await fixture.parley.session('tag-wait')).status,
        (statuses) => statuses === 'waitingwaiting',
      );
      for (let times = 0; times < 2; times++) {
        await end(fixture);
        await fixture.parley.restart({});
        expect((await open()).actions.map(({ id }) => id)).toEqual(waiting.actions.map(({ id }) => id));
        for (const id of ['sync-wait', 'tag-wait']) expect((await fixture.parley.session(id)).status).toBe('waiting');
      }
      for (const { id } of waiting.actions)
        await fixture.parley.ok('POST', `/api/actions/${id}/answer`, { decision: 'once' });
      await fixture.quiet();
      await checkPromises(fixture.parley, fixture.ledger);
      for (const way of ['sync', 'async', 'tag']) expect([way, fixture.asked('bob', `by ${way}`)]).toEqual([way, 1]);
      expect((await fixture.parley.transcript('sync-wait')).at(-1)).toMatch(/Begun, or done\.$/);
      expect((await fixture.parley.transcript('async-wait')).at(-1)).toBe('lead: Noted, thanks.');
      expect((await fixture.parley.transcript('tag-wait')).at(-1)).toBe('lead: Bob has done it.');
      const turns = (await fixture.parley.ok<{ turns: { state: string }[] }>('GET', '/api/sessions/tag-wait/turns'))
        .turns;
      expect(turns.map(({ state }) => state)).toEqual(['complete', 'complete']);
    }),
  );

  it.each([
    ['tag', 'tool.started'],
    ['sync', 'tool.started:2'],
  ] as const)(
    'P3, P4: is not lost on who waits for it (%s) when the kill comes before that was written down',
    (way, point) =>
      withFixture(
        async (fixture) => {
          await fixture.begin(way, 'wait', 'delete').catch(() => {});
          await fixture.parley.waitForExit();
          await fixture.parley.restart({});
          const { actions } = await fixture.parley.ok<ActionList>('GET', '/api/actions');
          await fixture.parley.ok('POST', `/api/actions/${actions[0]!.id}/answer`, { decision: 'once' });
          await fixture.quiet();
          const { sessions } = await checkPromises(fixture.parley, fixture.ledger);
          const states = sessions.flatMap(({ turns }) => turns.map(({ agentId, state }) => [agentId, state]));
          expect(states.toSorted()).toEqual([
            ['bob', 'complete'],
            ['lead', 'complete'],
          ]);
          expect(fixture.asked('bob', `by ${way}`)).toBe(1);
        },
        { PARLEY_FAULT: point },
      ),
  );
});
