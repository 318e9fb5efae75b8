import { describe, expect, it } from 'vitest';
import type { ActionList } from '../../contract/actions.ts';
import type { UsageReport } from '../../contract/delegation.ts';
import type { SessionList } from '../../contract/sessions.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { DelegationScene } from './delegation-scene.ts';

async function withScene(work: (scene: DelegationScene) => Promise<void>, env = {}, config = {}): Promise<void> {
  const scene = await DelegationScene.open(env, config);
  try {
    await work(scene);
  } finally {
    await scene.close();
  }
}

const sessions = async (scene: DelegationScene, query: string) =>
  (await scene.parley.ok<SessionList>('GET', `/api/sessions?limit=200${query}`)).sessions;

describe('work that goes on elsewhere when the server ends', { timeout: 60_000 }, () => {
  it.each([
    ['a kill', (scene: DelegationScene) => scene.parley.kill()],
    ['an orderly stop', (scene: DelegationScene) => scene.parley.stop()],
  ])(
    'P3, P4: what went on in the background is interrupted by %s, never begun again, and its agent is told once',
    (_, end) =>
      withScene(async (scene) => {
        await scene.ledger.createSession(scene.parley, { id: 'begun', agentId: 'lead' });
        await scene.ledger.send(scene.parley, 'begun', { content: 'background: echo begun; sleep 60' });
        const [work] = await until(
          () => sessions(scene, '&type=tool-execution&parent=begun'),
          ([session]) => session?.status === 'working',
        );
        await until(
          () => scene.parley.session('begun'),
          ({ status }) => status === 'active',
        );
        await end(scene);
        await scene.parley.restart({});
        await scene.quiet();
        await checkPromises(scene.parley, scene.ledger);
        expect(await scene.parley.session(work!.id)).toMatchObject({ status: 'paused', parentSessionId: 'begun' });
        const lines = await scene.parley.transcript('begun');
        expect(lines.slice(2)).toEqual([
          expect.stringMatching(
            /^lead: \[The background command did not finish: Parley restarted before it finished\./,
          ),
          'lead: Noted, thanks.',
        ]);
      }),
  );

  it('P3, P4: what had not begun in the background is not begun after a kill, by nobody', () =>
    withScene(
      async (scene) => {
        await scene.ledger.createSession(scene.parley, { id: 'begun', agentId: 'lead' });
        await scene.ledger.send(scene.parley, 'begun', { content: 'background: echo begun' });
        await scene.parley.waitForExit();
        await scene.parley.restart({});
        await scene.quiet();
        await checkPromises(scene.parley, scene.ledger);
        const [work] = await sessions(scene, '&type=tool-execution');
        expect(work).toMatchObject({ status: 'error', parentSessionId: 'begun' });
        expect(await scene.parley.transcript(work!.id)).toEqual(['lead: echo begun']);
        const told = (await scene.parley.transcript('begun')).filter((line) => line.includes('did not finish'));
        expect(told).toEqual([expect.stringContaining('Parley stopped before this work started.')]);
      },
      { PARLEY_FAULT: 'delegation.accepted' },
      // The one turn that may run is that of the agent, so that the work waits.
      { limits: { runningTurns: 1 } },
    ));

  it('P4: an orderly stop while delegates speak leaves nobody working, and tells async callers once', () =>
    withScene(async (scene) => {
      await Promise.all((['sync', 'async', 'tag'] as const).map((way) => scene.begin(way, 'stop', 'slow')));
      await until(
        async () => scene.provider.requests.filter(({ body }) => body.model === 'model-of-bob').length,
        (count) => count === 3,
      );
      expect(await scene.parley.stop()).toBe(0);
      await scene.parley.restart({});
      await scene.quiet();
      await checkPromises(scene.parley, scene.ledger);
      const notices = (await scene.parley.messages('async-stop')).filter(
        ({ role, agent }) => role === 'user' && agent === 'bob',
      );
      expect(notices).toHaveLength(1);
      expect(notices[0]!.text).toMatch(/^\[bob did not finish: Parley restarted before it finished\./);
    }));

  it('what was spent before a restart is not forgotten by who waited through it', () =>
    withScene(async (scene) => {
      await scene.begin('tag', 'count', 'delete');
      const open = () => scene.parley.ok<ActionList>('GET', '/api/actions');
      const { actions } = await until(open, (found) => found.actions.length === 1);
      await until(
        () => scene.parley.session('tag-count'),
        ({ status }) => status === 'waiting',
      );
      await scene.parley.kill();
      await scene.parley.restart({});
      await scene.parley.ok('POST', `/api/actions/${actions[0]!.id}/answer`, { decision: 'once' });
      await scene.quiet();
      await checkPromises(scene.parley, scene.ledger);
      // Two requests of each of them, at ten tokens.
      const { rows } = await scene.parley.ok<UsageReport>('GET', '/api/usage');
      expect(rows.map(({ key, inputTokens }) => [key, inputTokens]).toSorted()).toEqual([
        ['bob', 20],
        ['lead', 20],
      ]);
    }));
});
