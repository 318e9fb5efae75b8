import { describe, expect, it } from 'vitest';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { AGENTS, Fixture } from './fixture.ts';

async function withFixture(limits: object, work: (fixture: Fixture) => Promise<void>): Promise<void> {
  const fixture = await Fixture.open({ config: { limits }, delayMs: 2 });
  try {
    await work(fixture);
  } finally {
    await fixture.close();
  }
}

describe('more than can be done at once', { timeout: 60_000 }, () => {
  it('P12: turns beyond the limit stay queued, visibly, and all of them finish', () =>
    withFixture({ runningTurns: 3 }, async (fixture) => {
      const sessions = await Promise.all(Array.from({ length: 12 }, () => fixture.session()));
      fixture.delayMs = 15;
      const receipts = await Promise.all(sessions.map(({ id }) => fixture.send(id, { content: `in ${id}` })));
      const metrics = (await fixture.parley.request<string>('GET', '/metrics')).body;
      expect(Number(/^parley_turns_running (\d+)$/m.exec(metrics)?.[1])).toBeLessThanOrEqual(3);
      expect(Number(/^parley_turns_queued (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(5);
      const waiting = await fixture.parley.ok<{ queue: unknown[] }>(
        'GET',
        `/api/sessions/${sessions.at(-1)!.id}/queue`,
      );
      expect(waiting.queue.length).toBe(1);
      for (const receipt of receipts) await fixture.settled(receipt);
      const { sessions: all } = await checkPromises(fixture.parley, fixture.ledger);
      expect(all.flatMap((one) => one.turns.map((turn) => turn.state))).toEqual(Array(12).fill('complete'));
    }));

  it('P4, P12: a slot that was held for a moment and not used wakes whoever waited for it', () =>
    withFixture({ runningTurns: 1 }, async (fixture) => {
      const known = await fixture.session();
      const done = await fixture.say(known.id, { id: 'known', content: 'known' });
      const others = await Promise.all(Array.from({ length: 8 }, () => fixture.session()));
      for (const { id } of others) {
        // A repeated send takes the only slot for as long as it takes to see that there is nothing to do.
        const repeat = () => fixture.send(known.id, { id: 'known', content: 'known' });
        const before = Array.from({ length: 4 }, repeat);
        const fresh = fixture.send(id, { content: `new in ${id}` });
        const after = Array.from({ length: 12 }, repeat);
        await Promise.all([...before, ...after]);
        await fixture.settled(await fresh);
      }
      expect(fixture.asked(done.message.text)).toBe(1);
      await checkPromises(fixture.parley, fixture.ledger);
    }));

  it('P12: beyond the waiting limit messages are refused with 503 and Retry-After, and nothing is written', () =>
    withFixture({ runningTurns: 1, waitingTurns: 4 }, async (fixture) => {
      const sessions = await Promise.all(Array.from({ length: 9 }, () => fixture.session()));
      fixture.delayMs = 30;
      const answers = [];
      for (const { id } of sessions)
        answers.push(await fixture.ledger.send(fixture.parley, id, { content: `m ${id}` }));
      const refused = answers.filter((answer) => answer.status !== 202);
      expect(refused.length).toBe(4);
      for (const answer of refused) {
        expect(answer.status).toBe(503);
        expect(answer.body).toMatchObject({ code: 'overloaded' });
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      for (const sent of [...fixture.ledger.sent.values()]) if (!sent.acknowledged) fixture.ledger.removed(sent.id);
      await checkPromises(fixture.parley, fixture.ledger);
      await fixture.say(sessions.at(-1)!.id, { content: 'welcome again' });
    }));

  it('P12: the streams of one person are bounded', () =>
    withFixture({ streamsPerUser: 3 }, async (fixture) => {
      const controller = new AbortController();
      const open = () => fixture.parley.fetch('GET', '/api/events', undefined, {}, controller.signal);
      const responses = await Promise.all([open(), open(), open()]);
      expect(responses.map((response) => response.status)).toEqual([200, 200, 200]);
      const refused = await fixture.parley.request('GET', '/api/events');
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({ code: 'too_many_streams' });
      controller.abort();
      const again = () => fixture.parley.fetch('GET', '/api/events', undefined, {}, AbortSignal.timeout(500));
      await until(again, (response) => response.status === 200);
    }));

  it('P2, P11: fifty parallel sends of one message are one message and one turn', () =>
    withFixture({}, async (fixture) => {
      const { id } = await fixture.session();
      const sends = Array.from({ length: 50 }, () =>
        fixture.ledger.send(fixture.parley, id, { id: 'the-one', content: 'once' }),
      );
      const answers = await Promise.all(sends);
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202]));
      expect(new Set(answers.map((answer) => answer.body.turn.id)).size).toBe(1);
      expect(answers.filter((answer) => !answer.body.duplicate).length).toBe(1);
      const other = await fixture.parley.request('POST', `/api/sessions/${id}/messages`, {
        id: 'the-one',
        content: 'twice',
      });
      expect([other.status, (other.body as { code: string }).code]).toEqual([409, 'message_id_conflict']);
      await checkPromises(fixture.parley, fixture.ledger);
      expect(fixture.asked('once')).toBe(1);
    }));

  it('P5, P11: fifty parallel sends to one session: one runs, twenty wait, the order is that of acceptance', () =>
    withFixture({}, async (fixture) => {
      const { id } = await fixture.session();
      fixture.delayMs = 60;
      const sends = Array.from({ length: 50 }, (_, index) =>
        fixture.ledger.send(fixture.parley, id, { id: `m-${index}`, content: `message ${index}` }),
      );
      const answers = await Promise.all(sends);
      fixture.delayMs = 1;
      const codes = Map.groupBy(answers, (answer) => answer.status);
      expect(codes.get(202)!.length).toBe(21);
      expect(codes.get(429)!.length).toBe(29);
      for (const answer of codes.get(429)!) expect(answer.body).toMatchObject({ code: 'queue_full' });
      for (const sent of [...fixture.ledger.sent.values()]) if (!sent.acknowledged) fixture.ledger.removed(sent.id);
      const { sessions } = await checkPromises(fixture.parley, fixture.ledger, { quietMs: 30_000 });
      const accepted = sessions[0]!.events.flatMap((event) => (event.type === 'turn.queued' ? [event.message.id] : []));
      const said = sessions[0]!.messages.filter((message) => message.role === 'user').map((message) => message.id);
      expect(said).toEqual(accepted);
      expect((await fixture.parley.messages(id)).filter((m) => m.agent === AGENTS[0]).length).toBe(21);
    }));
});
