import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActionList } from '../../contract/actions.ts';
import { newId } from '../../contract/ids.ts';
import type { ExportedSession, ResolvedSession, Session, SessionList } from '../../contract/sessions.ts';
import type { Receipt, TurnList } from '../../contract/turns.ts';
import { parley as runParley } from '../cli/parley.ts';
import { scriptedAgent } from '../harness/agents.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { callAsTold } from '../suites/calling.ts';
import { AGENTS, Fixture } from './fixture.ts';
import { ShiftedClock } from './shifted-clock.ts';

const HOUR_MS = 3_600_000;

async function expectOnTop({ parley }: Fixture, id: string): Promise<void> {
  const { sessions } = await parley.ok<SessionList>('GET', '/api/sessions');
  expect(sessions[0]!.id).toBe(id);
  const wanted = { session: 'latest', agentId: AGENTS[0] };
  const latest = await parley.ok<ResolvedSession>('POST', '/api/session-resolutions', wanted);
  expect(latest.session.id).toBe(id);
}

describe('a clock that jumps', { timeout: 60_000 }, () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await Fixture.open({ delayMs: 1 });
  });
  afterAll(() => fixture.close());

  it('P5, P9: order is by place, never by time: a past that runs backwards stays in order', async () => {
    const { id } = await fixture.session();
    for (const content of ['one', 'two', 'three']) await fixture.say(id, { content });
    await fixture.say(id, { content: 'four', guest: AGENTS[2]! });
    const exported = await fixture.parley.ok<ExportedSession>('GET', `/api/sessions/${id}/export`);
    const backwards = exported.messages.map((message, index) => ({
      ...message,
      id: newId(),
      createdAt: new Date(Date.UTC(2031, 0, 1) - index * 86_400_000).toISOString(),
    }));
    for (const [index, message] of backwards.entries()) message.parentId = backwards[index - 1]?.id ?? null;
    const copy = { ...exported, messages: backwards };
    const imported = await fixture.parley.ok<Session>('POST', '/api/imports', copy);
    const order = (messages: { agent: string | null; text: string }[]) => messages.map((m) => [m.agent, m.text]);
    expect(order(await fixture.parley.messages(imported.id))).toEqual(order(exported.messages));
    const again = await fixture.parley.ok<ExportedSession>('GET', `/api/sessions/${imported.id}/export`);
    expect(order(again.messages)).toEqual(order(exported.messages));
    // It goes on after its last place, although its clock is years ahead.
    await fixture.send(imported.id, { content: 'and now' }).then((receipt) => fixture.settled(receipt));
    expect((await fixture.parley.transcript(imported.id)).at(-2)).toBe('user: and now');
    await checkPromises(fixture.parley, fixture.ledger);
  });

  it('the session used last is on top and the newest turn first, also after the clock was set back', async () => {
    const clock = await ShiftedClock.open();
    try {
      const { fixture } = clock;
      const ids: string[] = [];
      for (const name of ['first', 'second', 'third']) ids.push((await fixture.session(AGENTS[0], { name })).id);
      for (const id of ids) await fixture.say(id, { content: `to ${id}` });
      fixture.delayMs = 30;
      const running = await fixture.send(ids[0]!, { content: 'while the clock goes back' });
      clock.set(-HOUR_MS);
      await fixture.settled(running);
      const turn = await fixture.parley.turn(running.turn.id);
      const took = Date.parse(turn.endedAt!) - Date.parse(turn.startedAt!);
      // The answer has dozens of pieces, 30 ms apart.
      expect(took).toBeGreaterThan(500);
      expect(took).toBeLessThan(60_000);
      await expectOnTop(fixture, ids[0]!);
      await fixture.parley.restart();
      fixture.delayMs = 1;
      await fixture.say(ids[1]!, { content: 'after a restart' });
      await expectOnTop(fixture, ids[1]!);
      await fixture.say(ids[0]!, { content: 'and here' });
      const { turns } = await fixture.parley.ok<TurnList>('GET', `/api/sessions/${ids[0]}/turns`);
      const messages = await fixture.parley.messages(ids[0]!);
      const asked = messages.filter(({ role }) => role === 'user').map(({ id }) => id);
      expect(turns.map(({ messageId }) => messageId)).toEqual(asked.reverse());
      for (const one of turns) expect(one.endedAt! >= one.startedAt!).toBe(true);
      await checkPromises(fixture.parley, fixture.ledger);
    } finally {
      await clock.close();
    }
  });

  it('the newest turn comes first and is repeated after a clock that was two days ahead was corrected', async () => {
    const clock = await ShiftedClock.open();
    try {
      const { parley } = clock.fixture;
      const { id } = await clock.fixture.session(AGENTS[0], { name: 'ahead' });
      clock.set(48 * HOUR_MS);
      await clock.fixture.say(id, { content: 'one' });
      clock.set(0);
      await parley.restart();
      await clock.fixture.say(id, { content: 'two' });
      await clock.fixture.say(id, { content: 'three' });
      const asked = (await parley.messages(id)).filter(({ role }) => role === 'user').map(({ id }) => id);
      const listed: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const { turns, next }: TurnList = await parley.ok('GET', `/api/sessions/${id}/turns?limit=1${query}`);
        listed.push(...turns.map(({ messageId }) => messageId));
        cursor = next;
      }
      expect(listed).toEqual(asked.reverse());
      const retried = await runParley(parley.home, ['retry', '-s', 'ahead']);
      expect(retried).toMatchObject({ code: 0 });
      const users = (await parley.transcript(id)).filter((line) => line.startsWith('user: '));
      expect(users).toEqual(['user: one', 'user: two', 'user: three']);
    } finally {
      await clock.close();
    }
  });

  it('what waits for the person does not expire because the clock was set forward, but does when its time is up', async () => {
    const clock = await ShiftedClock.open();
    try {
      const { fixture } = clock;
      const agents = [scriptedAgent(fixture.provider.url, AGENTS[0]!, { toolAllowlist: ['ask_user'] })];
      const config = { agents, approvals: { expireAfterSeconds: 4 } };
      writeFileSync(path.join(fixture.parley.home, 'parley.json'), JSON.stringify(config));
      await fixture.parley.restart();
      fixture.provider.script(callAsTold);
      const { id } = await fixture.session();
      const { turn } = await fixture.parley.send(id, { content: 'call ask_user {"question":"Well?"}' });
      const actions = async (state: string) =>
        (await fixture.parley.ok<ActionList>('GET', `/api/actions?state=${state}`)).actions;
      const opened = await until(
        () => actions('open'),
        (open) => open.length === 1,
      );
      const began = performance.now();
      clock.set(HOUR_MS);
      await until(
        () => actions('expired'),
        (expired) => expired.length === 1,
      );
      expect(performance.now() - began).toBeGreaterThan(3000);
      expect((await actions('expired'))[0]!.id).toBe(opened[0]!.id);
      await fixture.settled({ turn } as Receipt);
    } finally {
      await clock.close();
    }
  });

  it('ids stay in the order in which they were made when the clock goes back', () => {
    const made = [5000, 4000, 4000, 3000, 6000].map((now) => newId(now + 4_000_000_000_000));
    expect([...made].sort()).toEqual(made);
  });
});
