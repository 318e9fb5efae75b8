import { describe, expect, it } from 'vitest';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { AGENTS, Scene } from './scene.ts';

async function withScene(limits: object, work: (scene: Scene) => Promise<void>): Promise<void> {
  const scene = await Scene.open({ config: { limits }, delayMs: 2 });
  try {
    await work(scene);
  } finally {
    await scene.close();
  }
}

describe('more than can be done at once', { timeout: 60_000 }, () => {
  it('P12: turns beyond the limit stay queued, visibly, and all of them finish', () =>
    withScene({ runningTurns: 3 }, async (scene) => {
      const sessions = await Promise.all(Array.from({ length: 12 }, () => scene.session()));
      scene.delayMs = 15;
      const receipts = await Promise.all(sessions.map(({ id }) => scene.send(id, { content: `in ${id}` })));
      const metrics = (await scene.parley.request<string>('GET', '/metrics')).body;
      expect(Number(/^parley_turns_running (\d+)$/m.exec(metrics)?.[1])).toBeLessThanOrEqual(3);
      expect(Number(/^parley_turns_queued (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(5);
      const waiting = await scene.parley.ok<{ queue: unknown[] }>('GET', `/api/sessions/${sessions.at(-1)!.id}/queue`);
      expect(waiting.queue.length).toBe(1);
      for (const receipt of receipts) await scene.settled(receipt);
      const { sessions: all } = await checkPromises(scene.parley, scene.ledger);
      expect(all.flatMap((one) => one.turns.map((turn) => turn.state))).toEqual(Array(12).fill('complete'));
    }));

  it('P4, P12: a slot that was held for a moment and not used wakes whoever waited for it', () =>
    withScene({ runningTurns: 1 }, async (scene) => {
      const known = await scene.session();
      const done = await scene.say(known.id, { id: 'known', content: 'known' });
      const others = await Promise.all(Array.from({ length: 8 }, () => scene.session()));
      for (const { id } of others) {
        // A repeated send takes the only slot for as long as it takes to see that there is nothing to do.
        const repeat = () => scene.send(known.id, { id: 'known', content: 'known' });
        const before = Array.from({ length: 4 }, repeat);
        const fresh = scene.send(id, { content: `new in ${id}` });
        const after = Array.from({ length: 12 }, repeat);
        await Promise.all([...before, ...after]);
        await scene.settled(await fresh);
      }
      expect(scene.asked(done.message.text)).toBe(1);
      await checkPromises(scene.parley, scene.ledger);
    }));

  it('P12: beyond the waiting limit messages are refused with 503 and Retry-After, and nothing is written', () =>
    withScene({ runningTurns: 1, waitingTurns: 4 }, async (scene) => {
      const sessions = await Promise.all(Array.from({ length: 9 }, () => scene.session()));
      scene.delayMs = 30;
      const answers = [];
      for (const { id } of sessions) answers.push(await scene.ledger.send(scene.parley, id, { content: `m ${id}` }));
      const refused = answers.filter((answer) => answer.status !== 202);
      expect(refused.length).toBe(4);
      for (const answer of refused) {
        expect(answer.status).toBe(503);
        expect(answer.body).toMatchObject({ code: 'overloaded' });
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      for (const sent of [...scene.ledger.sent.values()]) if (!sent.acknowledged) scene.ledger.removed(sent.id);
      await checkPromises(scene.parley, scene.ledger);
      await scene.say(sessions.at(-1)!.id, { content: 'welcome again' });
    }));

  it('P12: the streams of one person are bounded', () =>
    withScene({ streamsPerUser: 3 }, async (scene) => {
      const controller = new AbortController();
      const open = () => scene.parley.fetch('GET', '/api/events', undefined, {}, controller.signal);
      const responses = await Promise.all([open(), open(), open()]);
      expect(responses.map((response) => response.status)).toEqual([200, 200, 200]);
      const refused = await scene.parley.request('GET', '/api/events');
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({ code: 'too_many_streams' });
      controller.abort();
      const again = () => scene.parley.fetch('GET', '/api/events', undefined, {}, AbortSignal.timeout(500));
      await until(again, (response) => response.status === 200);
    }));

  it('P2, P11: fifty parallel sends of one message are one message and one turn', () =>
    withScene({}, async (scene) => {
      const { id } = await scene.session();
      const sends = Array.from({ length: 50 }, () =>
        scene.ledger.send(scene.parley, id, { id: 'the-one', content: 'once' }),
      );
      const answers = await Promise.all(sends);
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([202]));
      expect(new Set(answers.map((answer) => answer.body.turn.id)).size).toBe(1);
      expect(answers.filter((answer) => !answer.body.duplicate).length).toBe(1);
      const other = await scene.parley.request('POST', `/api/sessions/${id}/messages`, {
        id: 'the-one',
        content: 'twice',
      });
      expect([other.status, (other.body as { code: string }).code]).toEqual([409, 'message_id_conflict']);
      await checkPromises(scene.parley, scene.ledger);
      expect(scene.asked('once')).toBe(1);
    }));

  it('P5, P11: fifty parallel sends to one session: one runs, twenty wait, the order is that of acceptance', () =>
    withScene({}, async (scene) => {
      const { id } = await scene.session();
      scene.delayMs = 60;
      const sends = Array.from({ length: 50 }, (_, index) =>
        scene.ledger.send(scene.parley, id, { id: `m-${index}`, content: `message ${index}` }),
      );
      const answers = await Promise.all(sends);
      scene.delayMs = 1;
      const codes = Map.groupBy(answers, (answer) => answer.status);
      expect(codes.get(202)!.length).toBe(21);
      expect(codes.get(429)!.length).toBe(29);
      for (const answer of codes.get(429)!) expect(answer.body).toMatchObject({ code: 'queue_full' });
      for (const sent of [...scene.ledger.sent.values()]) if (!sent.acknowledged) scene.ledger.removed(sent.id);
      const { sessions } = await checkPromises(scene.parley, scene.ledger, { quietMs: 30_000 });
      const accepted = sessions[0]!.events.flatMap((event) => (event.type === 'turn.queued' ? [event.message.id] : []));
      const said = sessions[0]!.messages.filter((message) => message.role === 'user').map((message) => message.id);
      expect(said).toEqual(accepted);
      expect((await scene.parley.messages(id)).filter((m) => m.agent === AGENTS[0]).length).toBe(21);
    }));
});
