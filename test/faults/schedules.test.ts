import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { NewSchedule, Schedule, SchedulePreview, ScheduleRun } from '../../contract/schedules.ts';
import { until } from '../harness/parley.ts';
import { AGENTS, Fixture } from './fixture.ts';
import { ShiftedClock } from './shifted-clock.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

function make({ parley }: Fixture, wanted: Partial<NewSchedule>): Promise<Schedule> {
  const given = { name: 'Morning', content: 'What is due?', when: 'every day at 8', agentId: AGENTS[0] };
  return parley.ok<Schedule>('POST', '/api/schedules', { ...given, ...wanted });
}

const get = ({ parley }: Fixture, { id }: Schedule) => parley.ok<Schedule>('GET', `/api/schedules/${id}`);

async function runsOf({ parley }: Fixture, { id }: Schedule): Promise<ScheduleRun[]> {
  return (await parley.ok<{ runs: ScheduleRun[] }>('GET', `/api/schedules/${id}/runs`)).runs;
}

function ran(fixture: Fixture, schedule: Schedule, count: number): Promise<ScheduleRun[]> {
  return until(
    () => runsOf(fixture, schedule),
    (runs) => runs.filter(({ state }) => state !== 'sending').length >= count,
    15_000,
  );
}

async function sentWords({ parley }: Fixture): Promise<string[]> {
  const { sessions } = await parley.ok<{ sessions: { id: string }[] }>('GET', '/api/sessions?limit=200');
  const said = await Promise.all(sessions.map(({ id }) => parley.messages(id)));
  return said.flat().flatMap(({ role, text }) => (role === 'user' ? [text] : []));
}

async function withClock(work: (clock: ShiftedClock) => Promise<void>): Promise<void> {
  const clock = await ShiftedClock.open();
  try {
    await work(clock);
  } finally {
    await clock.close();
  }
}

it.each(['schedule.stored', 'schedule.accepted'])(
  'a kill at %s neither loses a run nor repeats it',
  async (point) => {
    const fixture = await Fixture.open({ env: { PARLEY_FAULT: point }, delayMs: 1 });
    try {
      const made = await make(fixture, { when: new Date(Date.now() + 700).toISOString() });
      await fixture.parley.waitForExit();
      await fixture.parley.restart({});
      const [run] = await ran(fixture, made, 1);
      expect(run!.state).toBe('sent');
      expect(await runsOf(fixture, made)).toHaveLength(1);
      expect(await sentWords(fixture)).toEqual(['What is due?']);
      expect((await get(fixture, made)).state).toBe('ended');
    } finally {
      await fixture.close();
    }
  },
  40_000,
);

it(
  'times that passed while no server ran are run once, or skipped, and stand in the history',
  () =>
    withClock(async ({ fixture, set }) => {
      const once = await make(fixture, {});
      const skipped = await make(fixture, { name: 'Skipped', missed: 'skip' });
      await fixture.parley.stop();
      set(3 * DAY_MS + MINUTE_MS);
      await fixture.parley.restart();
      const [run, ...others] = await ran(fixture, once, 1);
      expect([run!.state, others.length]).toEqual(['sent', 0]);
      expect(run!.missedBefore).toBe(2);
      const [missed] = await ran(fixture, skipped, 1);
      expect(missed).toMatchObject({ state: 'missed', missedBefore: 2, sessionId: null });
      expect(await sentWords(fixture)).toEqual(['What is due?']);
      expect(Date.parse((await get(fixture, once)).nextAt!) - Date.now() - 3 * DAY_MS).toBeLessThanOrEqual(DAY_MS);
    }),
  40_000,
);

it(
  'a clock that goes back and comes forward again runs no time twice',
  () =>
    withClock(async ({ fixture, set }) => {
      const made = await make(fixture, { when: 'every hour' });
      set(60 * MINUTE_MS);
      const [first] = await ran(fixture, made, 1);
      expect(first!.state).toBe('sent');
      set(0);
      await until(
        () => get(fixture, made),
        ({ nextAt }) => nextAt !== null,
        15_000,
      );
      set(60 * MINUTE_MS);
      await fixture.parley.restart();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      expect(await runsOf(fixture, made)).toHaveLength(1);
      set(120 * MINUTE_MS);
      await fixture.parley.restart();
      const runs = await ran(fixture, made, 2);
      expect(new Set(runs.map(({ dueAt }) => dueAt)).size).toBe(runs.length);
      expect(await sentWords(fixture)).toHaveLength(2);
    }),
  60_000,
);

it(
  'a clock that was days ahead when the schedule was made does not delay it by days',
  () =>
    withClock(async ({ fixture, set }) => {
      set(40 * DAY_MS);
      await fixture.parley.restart();
      const made = await make(fixture, { when: 'every day at 8' });
      expect(Date.parse(made.nextAt!) - Date.now()).toBeGreaterThan(30 * DAY_MS);
      set(0);
      await until(
        () => get(fixture, made),
        ({ nextAt }) => Date.parse(nextAt!) - Date.now() <= DAY_MS,
        15_000,
      );
    }),
  40_000,
);

it(
  'a local time comes once on the days on which summer time begins and ends',
  () =>
    withClock(async ({ fixture, set }) => {
      const timesFrom = async (day: string, when: string) => {
        set(Date.parse(day) - Date.now());
        const body = { when, timeZone: 'Europe/Berlin' };
        return (await fixture.parley.ok<SchedulePreview>('POST', '/api/schedule-previews', body)).next.slice(0, 3);
      };
      expect(await timesFrom('2027-03-27T12:00:00Z', 'every day at 2:30')).toEqual([
        '2027-03-28T01:00:00.000Z',
        '2027-03-29T00:30:00.000Z',
        '2027-03-30T00:30:00.000Z',
      ]);
      expect(await timesFrom('2027-10-30T12:00:00Z', 'every day at 2:30')).toEqual([
        '2027-10-31T00:30:00.000Z',
        '2027-11-01T01:30:00.000Z',
        '2027-11-02T01:30:00.000Z',
      ]);
      expect((await timesFrom('2027-10-30T12:00:00Z', 'tomorrow at 2:30'))[0]).toBe('2027-10-31T00:30:00.000Z');
      expect((await timesFrom('2027-03-27T12:00:00Z', 'tomorrow at 2:30'))[0]).toBe('2027-03-28T01:30:00.000Z');
    }),
  40_000,
);

it('messages that a full queue turns away are sent once there is room', async () => {
  const fixture = await Fixture.open({ config: { limits: { queuedPerSession: 1 } }, delayMs: 60 });
  try {
    const { id } = await fixture.session();
    await fixture.send(id, { content: 'busy' });
    await fixture.send(id, { content: 'waits' });
    const made = await make(fixture, { sessionId: id, agentId: null });
    const run = await fixture.parley.ok<ScheduleRun>('POST', `/api/schedules/${made.id}/runs`);
    expect(run.state).toBe('sending');
    const [sent] = await ran(fixture, made, 1);
    expect(sent).toMatchObject({ id: run.id, state: 'sent', sessionId: id });
  } finally {
    await fixture.close();
  }
}, 40_000);

it('runs that no queue has room for do not keep the messages of other schedules waiting', async () => {
  const fixture = await Fixture.open({
    config: { limits: { queuedPerSession: 1, schedulesPerUser: 200 } },
    delayMs: 2000,
  });
  try {
    const { id } = await fixture.session();
    await fixture.send(id, { content: 'busy' });
    await fixture.send(id, { content: 'waits' });
    for (let count = 0; count < 105; count++) {
      const made = await make(fixture, { name: `Turned away ${count}`, sessionId: id, agentId: null });
      const run = () => fixture.parley.ok<ScheduleRun>('POST', `/api/schedules/${made.id}/runs`);
      const [first, again] = [await run(), await run()];
      expect([first.state, again.id]).toEqual(['sending', first.id]);
    }
    const other = await make(fixture, { agentId: AGENTS[1]!, when: new Date(Date.now() + 500).toISOString() });
    const [run] = await ran(fixture, other, 1);
    expect(run).toMatchObject({ state: 'sent' });
    expect(fixture.parley.exited).toBe(false);
  } finally {
    await fixture.close();
  }
}, 60_000);

it('a schedule whose time zone there no longer is is paused and says so, and the others run', async () => {
  const fixture = await Fixture.open({ delayMs: 1 });
  try {
    const broken = await make(fixture, { name: 'Broken', when: 'every hour' });
    await fixture.parley.stop();
    const db = new DatabaseSync(path.join(fixture.parley.home, 'parley.db'));
    db.prepare(`UPDATE schedules SET time_zone = 'Mars/Base', next_at = 1000 WHERE id = ?`).run(broken.id);
    db.close();
    await fixture.parley.restart();
    const other = await make(fixture, { when: new Date(Date.now() + 300).toISOString() });
    expect(await ran(fixture, other, 1)).toMatchObject([{ state: 'sent' }]);
    const { state, pausedBecause } = await get(fixture, broken);
    expect([state, pausedBecause]).toEqual(['paused', expect.stringContaining('Mars/Base')]);
    expect(fixture.parley.stderr.split('the next time of a schedule')).toHaveLength(2);
  } finally {
    await fixture.close();
  }
}, 40_000);

it('a database that another program has locked is tried again every few seconds only, and the message is sent once', async () => {
  const fixture = await Fixture.open({ delayMs: 1 });
  try {
    const made = await make(fixture, { when: new Date(Date.now() + 800).toISOString() });
    const db = new DatabaseSync(path.join(fixture.parley.home, 'parley.db'));
    db.exec('BEGIN IMMEDIATE');
    const tries = () => fixture.parley.stderr.split('schedules could not be run').length - 1;
    await until(
      async () => tries(),
      (count) => count > 0,
      15_000,
    );
    await new Promise((resolve) => setTimeout(resolve, 4000));
    expect(tries()).toBeLessThanOrEqual(2);
    db.exec('ROLLBACK');
    db.close();
    expect(await ran(fixture, made, 1)).toMatchObject([{ state: 'sent' }]);
    expect(await sentWords(fixture)).toEqual(['What is due?']);
  } finally {
    await fixture.close();
  }
}, 60_000);
