import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NewSchedule, Schedule } from '../../contract/schedules.ts';
import { until } from '../harness/parley.ts';
import { answer, waitingIn } from './answering.ts';
import { callAsTold } from './calling.ts';
import { TestServer } from './test-server.ts';

const LIMIT = 4;
const HOUR_MS = 3_600_000;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    agents: ['ada', { agentId: 'planner', toolAllowlist: ['schedules_*'] }],
    config: { limits: { schedulesPerUser: LIMIT } },
  });
  server.provider.script(callAsTold);
});
afterEach(async () => {
  for (const { id } of await list()) await server.call('deleteSchedule', { params: { scheduleId: id } });
});
afterAll(() => server.close());

const make = (wanted: Partial<NewSchedule> = {}) =>
  server.call('createSchedule', { body: { ...MORNING, ...wanted } as NewSchedule });
const list = async () => (await server.call('listSchedules')).schedules;
const get = ({ id }: Schedule) => server.call('getSchedule', { params: { scheduleId: id } });
const patch = ({ id }: Schedule, body: object) => server.call('patchSchedule', { params: { scheduleId: id }, body });
const runsOf = async ({ id }: Schedule) => (await server.call('listScheduleRuns', { params: { scheduleId: id } })).runs;
const runNow = ({ id }: Schedule) => server.call('runSchedule', { params: { scheduleId: id } });
const soon = (ms = 400) => new Date(Date.now() + ms).toISOString();
const ran = (schedule: Schedule) =>
  until(
    () => runsOf(schedule),
    (runs) => runs[0] !== undefined && runs[0].state !== 'sending',
  );

const MORNING = {
  name: 'Morning',
  content: 'What is due today?',
  when: 'every weekday at 8',
  agentId: 'ada',
  timeZone: 'Europe/Berlin',
};

describe('a schedule', () => {
  it('sends its message when it is due, to a new session that bears its name, once', async () => {
    const made = await make({ when: soon(), folder: 'Mornings' });
    expect(made).toMatchObject({ state: 'active', repeats: false, lastRun: null, sessionId: null });
    const [run] = await ran(made);
    expect(run).toMatchObject({ state: 'sent', missedBefore: 0, error: null });
    expect(await server.session(run!.sessionId!)).toMatchObject({
      title: 'Morning',
      agentId: 'ada',
      folder: 'Mornings',
    });
    await server.settled(run!.turnId!);
    expect((await server.transcript(run!.sessionId!))[0]).toBe('user: What is due today?');
    expect(await get(made)).toMatchObject({ state: 'ended', nextAt: null, lastRun: { id: run!.id } });
    expect(await runsOf(made)).toHaveLength(1);
  });

  it('sends to a session that is there, which answers in turn', async () => {
    const sessionId = await server.open();
    await server.say(sessionId, 'before');
    const made = await make({ sessionId, agentId: null, when: soon() });
    const [run] = await ran(made);
    expect(run).toMatchObject({ sessionId });
    await server.settled(run!.turnId!);
    expect((await server.transcript(sessionId)).filter((line) => line.startsWith('user:'))).toEqual([
      'user: before',
      'user: What is due today?',
    ]);
  });

  it('is listed with its next time, the earliest first, and can be changed', async () => {
    const later = await make({ name: 'Later', when: 'in 3 hours' });
    const sooner = await make({ name: 'Sooner', when: 'in 2 hours' });
    expect((await list()).map(({ name }) => name)).toEqual(['Sooner', 'Later']);
    const changed = await patch(later, { when: 'in 1 hour', content: 'changed' });
    expect(changed).toMatchObject({ content: 'changed', name: 'Later', when: 'in 1 hour' });
    expect((await list()).map(({ name }) => name)).toEqual(['Later', 'Sooner']);
    expect((await get(sooner)).nextAt).toBe(sooner.nextAt);
  });

  it('keeps its time when something else is changed', async () => {
    const made = await make({ when: 'in 2 hours' });
    expect((await patch(made, { content: 'other' })).nextAt).toBe(made.nextAt);
  });

  it('is paused and resumed; what is paused does not run', async () => {
    const made = await make({ when: soon(300) });
    const params = { scheduleId: made.id };
    expect(await server.call('pauseSchedule', { params })).toMatchObject({ state: 'paused', nextAt: null });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await runsOf(made)).toEqual([]);
    await server.refused('schedule_ended', 'resumeSchedule', { params });
    expect((await patch(made, { when: 'in 2 hours' })).state).toBe('paused');
    const resumed = await server.call('resumeSchedule', { params });
    expect(Date.parse(resumed.nextAt!) - Date.now()).toBeGreaterThan(HOUR_MS);
  });

  it('runs by hand without losing its next time', async () => {
    const made = await make();
    const run = await runNow(made);
    expect(run).toMatchObject({ state: 'sent', dueAt: null });
    expect(await get(made)).toMatchObject({ nextAt: made.nextAt, lastRun: { id: run.id } });
  });

  it('keeps the newest 500 runs, also of those started by hand', async () => {
    const made = await make();
    for (let count = 0; count < 510; count++) await runNow(made);
    const params = { scheduleId: made.id };
    let runs = 0;
    for (let before: string | undefined; ; ) {
      const page = await server.call('listScheduleRuns', { params, query: { limit: 200, ...(before && { before }) } });
      runs += page.runs.length;
      if (page.isComplete) break;
      before = page.runs.at(-1)!.id;
    }
    expect(runs).toBe(500);
  }, 60_000);

  it('ends after as many runs as were asked for', async () => {
    const made = await make({ when: soon(), runsLeft: 1 });
    await ran(made);
    expect(await get(made)).toMatchObject({ state: 'ended', runsLeft: 0 });
  });

  it('is paused, and says why, when its session is gone', async () => {
    const sessionId = await server.open();
    const made = await make({ sessionId, agentId: null });
    await server.call('deleteSession', { params: { sessionId } });
    expect(await runNow(made)).toMatchObject({ state: 'failed' });
    const paused = await get(made);
    expect(paused.state).toBe('paused');
    expect(paused.pausedBecause).toContain(sessionId);
  });

  it('is deleted with its history; its sessions stay', async () => {
    const made = await make();
    const { sessionId } = await runNow(made);
    const params = { scheduleId: made.id };
    await server.call('deleteSchedule', { params });
    await server.refused('schedule_not_found', 'listScheduleRuns', { params });
    expect((await server.session(sessionId!)).title).toBe('Morning');
  });
});

describe('what is refused', () => {
  it('a name that is taken, one schedule too many, an agent or session that is not there', async () => {
    await make();
    await server.refused('schedule_name_taken', 'createSchedule', { body: MORNING });
    await server.refused('agent_not_found', 'createSchedule', { body: { ...MORNING, name: 'b', agentId: 'gone' } });
    await server.refused('session_not_found', 'createSchedule', { body: { ...MORNING, name: 'b', sessionId: 'gone' } });
    const nobody = { ...MORNING, name: 'b', agentId: null };
    await server.refused('schedule_invalid', 'createSchedule', { body: nobody });
    for (let number = 1; number < LIMIT; number++) await make({ name: `number ${number}` });
    await server.refused('too_many_schedules', 'createSchedule', { body: { ...MORNING, name: 'one more' } });
  });

  it.each([
    ['hello', /Can't understand the time/],
    ['2020-01-01T00:00', /has passed/],
    ['2026-02-30T08:00', /Can't understand the time/],
    ['0 0 31 2 *', /never occurs again/],
    ['99 * * * *', /cron fields/],
    ['every 7 minutes', /does not fit evenly into an hour/],
    ['* * * * * *', /Can't understand the time/],
    ['every day at 25', /Can't understand the time/],
    [`${'every '.repeat(33)}`, /Can't understand the time/],
  ])('a time that never comes or means nothing: %s', async (when, words) => {
    const { detail } = await server.refused('schedule_invalid', 'createSchedule', { body: { ...MORNING, when } });
    expect(detail).toMatch(words);
  });

  it('a time zone that there is not', async () => {
    const { issues } = await server.refused('invalid_request', 'createSchedule', {
      body: { ...MORNING, timeZone: 'Mars/Base' },
    });
    expect(issues).toEqual(['timeZone must be a time zone such as Europe/Berlin']);
  });
});

describe('a time', () => {
  it.each([
    ['every weekday at 8', '0 8 * * 1-5'],
    ['Every  Monday and Friday at 17:30', '30 17 * * 1,5'],
    ['mondays at 9', '0 9 * * 1'],
    ['weekends at noon', '0 12 * * 0,6'],
    ['every day at 8:15 pm', '15 20 * * *'],
    ['every 15 minutes', '*/15 * * * *'],
    ['every 6 hours', '0 */6 * * *'],
    ['hourly', '0 * * * *'],
    ['every month on the 31st at 7', '0 7 31 * *'],
    ['0 8 * * 1-5', '0 8 * * 1-5'],
    ['@daily', '0 0 * * *'],
  ])('%s repeats', async (when, cron) => {
    const preview = await server.call('previewSchedule', { body: { when, timeZone: 'UTC' } });
    expect(preview).toMatchObject({ repeats: true, cron });
    expect(preview.next).toHaveLength(5);
    expect([...preview.next].sort()).toEqual(preview.next);
  });

  it.each([
    ['in 2 hours', 2 * HOUR_MS],
    ['in an hour', HOUR_MS],
    ['in 3 days', 72 * HOUR_MS],
  ])('%s comes once', async (when, away) => {
    const { next, repeats } = await server.call('previewSchedule', { body: { when } });
    expect([repeats, next.length]).toEqual([false, 1]);
    expect(Math.abs(Date.parse(next[0]!) - Date.now() - away)).toBeLessThan(5000);
  });

  it.each(['tomorrow at 9:30', 'next monday at 9:30', 'friday at 9:30'])('%s is local', async (when) => {
    const { next } = await server.call('previewSchedule', { body: { when, timeZone: 'America/New_York' } });
    const local = new Date(next[0]!).toLocaleTimeString('en-GB', { timeZone: 'America/New_York' });
    expect(local).toBe('09:30:00');
    expect(Date.parse(next[0]!)).toBeGreaterThan(Date.now());
  });
});

describe('an agent', () => {
  it('makes a schedule only after the person has seen all of it and agreed, each time', async () => {
    const sessionId = await server.open('planner');
    const args = { name: 'Standup', content: 'Stand up!', when: 'every weekday at 8', timeZone: 'Europe/Berlin' };
    await server.send(sessionId, `call schedules_create ${JSON.stringify(args)}`);
    const [action] = await waitingIn(server, sessionId);
    expect(await list()).toEqual([]);
    expect(action!.approval).toMatchObject({ tool: 'schedules_create', onceOnly: true });
    expect(JSON.parse(action!.approval!.input)).toEqual(args);
    const params = { actionId: action!.id };
    await server.refused('action_answer_invalid', 'answerAction', { params, body: { decision: 'always' } });
    await answer(server, action!, { decision: 'once' });
    const [made] = await until(list, (all) => all.length > 0);
    expect(made).toMatchObject({ ...args, agentId: 'planner', sessionId: null });
  });
});
