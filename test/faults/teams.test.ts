import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { AgentList } from '../../contract/agents.ts';
import type { Session, SessionList } from '../../contract/sessions.ts';
import type { Team, TeamList } from '../../contract/teams.ts';
import { until } from '../harness/parley.ts';
import { AGENTS, Fixture, isDeath } from './fixture.ts';

const IDS = ['crew/lead', 'crew/one', 'crew/two', 'crew/three'];

const agents = IDS.map((agentId, index) => ({
  agentId,
  chat: { provider: 'demo' },
  ...(index > 0 && { parentAgentId: IDS[0] }),
}));

async function withServer(fault: string, work: (fixture: Fixture) => Promise<void>): Promise<void> {
  const fixture = await Fixture.open({ env: { PARLEY_FAULT: fault } });
  try {
    await work(fixture);
  } finally {
    await fixture.close();
  }
}

const make = ({ parley }: Fixture) => parley.ok<Team>('POST', '/api/made-teams', { name: 'Crew', agents });

async function made({ parley }: Fixture) {
  const { agents: all } = await parley.ok<AgentList>('GET', '/api/agents');
  const { teams } = await parley.ok<TeamList>('GET', '/api/teams');
  return { ids: all.map(({ agentId }) => agentId).filter((id) => id.startsWith('crew/')), teams };
}

/** Dies with the request, and answers again afterwards. */
async function dies(fixture: Fixture, request: Promise<unknown>): Promise<void> {
  await request.then(
    () => expect.unreachable('the server was not killed'),
    (error) => expect(isDeath(error)).toBe(true),
  );
  await fixture.parley.waitForExit();
}

it.each([
  ['team.stored', 0],
  ['config.journal', 4],
  ['config.edit', 4],
  ['config.edit:3', 4],
  ['team.before-ready', 4],
])(
  'a kill at %s while a team is created leaves all of it or nothing',
  (point, count) =>
    withServer(point, async (fixture) => {
      await dies(fixture, make(fixture));
      await fixture.parley.restart({});
      const { ids, teams } = await made(fixture);
      expect(ids).toHaveLength(count);
      expect(teams.map(({ agents: members, created }) => [members, created.length])).toEqual(
        count === 0 ? [] : [[IDS, 4]],
      );
      if (count === 0) await make(fixture);
      const [team] = (await made(fixture)).teams;
      await fixture.parley.ok('DELETE', `/api/made-teams/${team!.id}`);
      expect(await made(fixture)).toEqual({ ids: [], teams: [] });
      expect(readdirSync(fixture.parley.home)).not.toContain('.edits.json');
    }),
  40_000,
);

it(
  'a kill while the creation is being undone leaves nothing of it',
  () =>
    withServer('config.edit:6', async (fixture) => {
      const { id } = await make(fixture);
      await dies(fixture, fixture.parley.ok('DELETE', `/api/made-teams/${id}`));
      await fixture.parley.restart({});
      expect(await made(fixture)).toEqual({ ids: [], teams: [] });
    }),
  40_000,
);

it.each([
  ['team.hidden', [IDS]],
  ['config.journal:2', []],
])(
  'a kill at %s while a creation is undone never counts an agent that joined later among those that were created',
  (point, created) =>
    withServer(point, async (fixture) => {
      const { id } = await make(fixture);
      await fixture.parley.ok('PATCH', `/api/teams/${id}`, { agents: [AGENTS[0]] });
      await dies(fixture, fixture.parley.ok('DELETE', `/api/made-teams/${id}`));
      await fixture.parley.restart({});
      expect((await made(fixture)).teams.map((team) => team.created)).toEqual(created);
    }),
  40_000,
);

it(
  'what another program wrote meanwhile stays, and then nothing is created',
  () =>
    withServer('config.edit:2', async (fixture) => {
      await dies(fixture, make(fixture));
      const file = path.join(fixture.parley.home, 'agents', 'crew', 'three.json');
      writeFileSync(file, JSON.stringify({ chat: { provider: 'demo' }, description: 'Mine.' }));
      await fixture.parley.restart({});
      const { ids, teams } = await made(fixture);
      expect(ids).toEqual(['crew/three']);
      expect(teams).toEqual([]);
      expect((await fixture.parley.ok<AgentList>('GET', '/api/agents')).agents.map((one) => one.agentId)).toContain(
        AGENTS[0],
      );
    }),
  40_000,
);

describe('a page that vanished without deleting what was only tried in it', () => {
  const trial = ({ parley }: Fixture) =>
    parley.ok<Session>('POST', '/api/team-trials', { agents: [{ agentId: 'brief/one', chat: { provider: 'demo' } }] });
  const ids = async ({ parley }: Fixture) =>
    (await parley.ok<SessionList>('GET', '/api/sessions?limit=200')).sessions.map(({ id }) => id);
  const test = (agentId: string) => ({ agentId, attributes: { scratch: true } });

  /** As if it had been left alone for some hours. */
  async function leave({ parley }: Fixture, sessionId: string, hours: number): Promise<void> {
    const db = new DatabaseSync(path.join(parley.home, 'parley.db'));
    const at = Date.now() - hours * 3600_000;
    db.prepare('UPDATE sessions SET last_activity_at = ? WHERE id = ?').run(at, sessionId);
    db.close();
  }

  it('leaves nothing: a trial goes with the next start, a test of an agent after a day', () =>
    withServer('', async (fixture) => {
      const { parley } = fixture;
      const tried = await trial(fixture);
      const { id: fresh } = await fixture.session();
      const open = await parley.ok<Session>('POST', '/api/sessions', test(AGENTS[0]!));
      const left = await parley.ok<Session>('POST', '/api/sessions', test(AGENTS[0]!));
      const kept = await parley.ok<Session>('POST', '/api/sessions', test(AGENTS[0]!));
      await parley.ok('PATCH', `/api/sessions/${kept.id}`, { attributes: { scratch: null } });
      await fixture.settled(await fixture.send(left.id, { content: 'a test' }));
      await parley.kill();
      for (const id of [left.id, kept.id]) await leave(fixture, id, 25);
      await leave(fixture, open.id, 23);
      await parley.restart({});
      await until(
        () => ids(fixture),
        (all) => !all.includes(tried.id) && !all.includes(left.id),
      );
      expect((await ids(fixture)).sort()).toEqual([fresh, open.id, kept.id].sort());
    }));

  it.each(['write.before-commit', 'write.committed'])(
    'leaves nothing either after a kill at %s while it is deleted',
    (point) =>
      withServer('', async (fixture) => {
        const { parley } = fixture;
        const tried = await trial(fixture);
        await parley.kill();
        // Killed before or after it has said that it is ready.
        await parley.restart({ PARLEY_FAULT: point }).catch(() => undefined);
        await parley.waitForExit();
        await parley.restart({});
        await until(
          () => ids(fixture),
          (all) => !all.includes(tried.id),
        );
      }),
  );
});
