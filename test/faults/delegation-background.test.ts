import { describe, expect, it } from 'vitest';
import type { ActionList } from '../../contract/actions.ts';
import type { UsageReport } from '../../contract/delegation.ts';
import type { SessionList } from '../../contract/sessions.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { DelegationFixture } from './delegation-fixture.ts';

async function withFixture(work: (fixture: DelegationFixture) => Promise<void>, env = {}, config = {}): Promise<void> {
  const fixture = await DelegationFixture.open(env, config);
  try {
    await work(fixture);
  } finally {
    await fixture.close();
  }
}

const sessions = async (fixture: DelegationFixture, query: string) =>
  (await fixture.parley.ok<SessionList>('GET', `/api/sessions?limit=200${query}`)).sessions;

describe('work that goes on elsewhere when the server ends', { timeout: 60_000 }, () => {
  it.each([
    ['a kill', (fixture: DelegationFixture) => fixture.parley.kill()],
    ['an orderly stop', (fixture: DelegationFixture) => fixture.parley.stop()],
  ])(
    'P3, P4: what went on in the background is interrupted by %s, never begun again, and its agent is told once',
    (_, end) =>
      withFixture(async (fixture) => {
        await fixture.ledger.createSession(fixture.parley, { id: 'begun', agentId: 'lead' });
        await fixture.ledger.send(fixture.parley, 'begun', { content: 'background: echo begun; sleep 60' });
        const [work] = await until(
          () => sessions(fixture, '&type=tool-execution&parent=begun'),
          ([session]) => session?.status === 'working',
        );
        await until(
          () => fixture.parley.session('begun'),
          ({ status }) => status === 'active',
        );
        await end(fixture);
        await fixture.parley.restart({});
        await fixture.quiet();
        await checkPromises(fixture.parley, fixture.ledger);
        expect(await fixture.parley.session(work!.id)).toMatchObject({ status: 'paused', parentSessionId: 'begun' });
        const lines = await fixture.parley.transcript('begun');
        expect(lines.slice(2)).toEqual([
          expect.stringMatching(
            /^lead: \[The background command did not finish: Parley restarted before it finished\./,
          ),
          'lead: Noted, thanks.',
        ]);
      }),
  );

  it('P3, P4: what had not begun in the background is not begun after a kill, by nobody', () =>
    withFixture(
      async (fixture) => {
        await fixture.ledger.createSession(fixture.parley, { id: 'begun', agentId: 'lead' });
        await fixture.ledger.send(fixture.parley, 'begun', { content: 'background: echo begun' });
        await fixture.parley.waitForExit();
        await fixture.parley.restart({});
        await fixture.quiet();
        await checkPromises(fixture.parley, fixture.ledger);
        const [work] = await sessions(fixture, '&type=tool-execution');
        expect(work).toMatchObject({ status: 'error', parentSessionId: 'begun' });
        expect(await fixture.parley.transcript(work!.id)).toEqual(['lead: echo begun']);
        const told = (await fixture.parley.transcript('begun')).filter((line) => line.includes('did not finish'));
        expect(told).toEqual([expect.stringContaining('Parley stopped before this work started.')]);
      },
      { PARLEY_FAULT: 'delegation.accepted' },
      // The one turn that may run is that of the agent, so that the work waits.
      { limits: { runningTurns: 1 } },
    ));

  it('P4: an orderly stop while delegates speak leaves nobody working, and tells async callers once', () =>
    withFixture(async (fixture) => {
      await Promise.all((['sync', 'async', 'tag'] as const).map((way) => fixture.begin(way, 'stop', 'slow')));
      await until(
        async () => fixture.provider.requests.filter(({ body }) => body.model === 'model-of-bob').length,
        (count) => count === 3,
      );
      expect(await fixture.parley.stop()).toBe(0);
      await fixture.parley.restart({});
      await fixture.quiet();
      await checkPromises(fixture.parley, fixture.ledger);
      const notices = (await fixture.parley.messages('async-stop')).filter(
        ({ role, agent }) => role === 'user' && agent === 'bob',
      );
      expect(notices).toHaveLength(1);
      expect(notices[0]!.text).toMatch(/^\[bob did not finish: Parley restarted before it finished\./);
    }));

  it('what was spent before a restart is not forgotten by who waited through it', () =>
    withFixture(async (fixture) => {
      await fixture.begin('tag', 'count', 'delete');
      const open = () => fixture.parley.ok<ActionList>('GET', '/api/actions');
      const { actions } = await until(open, (found) => found.actions.length === 1);
      await until(
        () => fixture.parley.session('tag-count'),
        ({ status }) => status === 'waiting',
      );
      await fixture.parley.kill();
      await fixture.parley.restart({});
      await fixture.parley.ok('POST', `/api/actions/${actions[0]!.id}/answer`, { decision: 'once' });
      await fixture.quiet();
      await checkPromises(fixture.parley, fixture.ledger);
      // Two requests of each of them, at ten tokens.
      const { rows } = await fixture.parley.ok<UsageReport>('GET', '/api/usage');
      expect(rows.map(({ key, inputTokens }) => [key, inputTokens]).toSorted()).toEqual([
        ['bob', 20],
        ['lead', 20],
      ]);
    }));
});
