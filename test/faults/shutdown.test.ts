import { describe, expect, it } from 'vitest';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { AGENTS, answerTo, Scene } from './scene.ts';

describe('SIGTERM while turns are running', { timeout: 60_000 }, () => {
  it('P1, P4, P7: streams are told, words are kept, the queue stays queued, exit 0 within ten seconds', async () => {
    const scene = await Scene.open({ delayMs: 60 });
    try {
      const { id } = await scene.session();
      const guests = await scene.session(AGENTS[1]);
      const frames: string[] = [];
      const listening = (async () => {
        for await (const frame of scene.parley.events('/api/events')) frames.push(frame.type);
      })();
      await scene.send(id, { content: 'interrupted' });
      await scene.send(id, { content: 'still queued' });
      await scene.send(guests.id, { content: 'a guest', guest: AGENTS[2]! });
      await until(
        async () => frames,
        (types) => types.filter((type) => type === 'delta').length > 4,
      );
      const began = Date.now();
      expect(await scene.parley.stop()).toBe(0);
      expect(Date.now() - began).toBeLessThan(10_000);
      await listening;
      expect(frames.at(-1)).toBe('server.stopping');
      await scene.parley.restart({});
      const readback = await checkPromises(scene.parley, scene.ledger);
      const one = readback.sessions.find((each) => each.session.id === id)!;
      expect(one.turns.map((turn) => turn.state)).toEqual(['complete', 'interrupted']);
      expect(one.turns[1]!.error).toMatchObject({ code: 'server_stopped', retryable: true });
      const [, partial] = one.messages;
      expect(partial!.status).toBe('interrupted');
      expect(partial!.text.length).toBeGreaterThan(10);
      expect(answerTo('interrupted').startsWith(partial!.text)).toBe(true);
      expect(scene.asked('interrupted')).toBe(1);
      expect(scene.asked('still queued')).toBe(1);
      expect(await scene.parley.transcript(guests.id)).toEqual(['user: a guest']);
    } finally {
      await scene.close();
    }
  });

  it('a provider that never answers does not hold up the end', async () => {
    const scene = await Scene.open();
    try {
      scene.provider.script(() => ({ steps: [{ kind: 'stall' }] }));
      const { id } = await scene.session();
      await scene.send(id, { content: 'nobody answers' });
      await until(
        async () => scene.provider.requests,
        (requests) => requests.length === 1,
      );
      const began = Date.now();
      expect(await scene.parley.stop()).toBe(0);
      expect(Date.now() - began).toBeLessThan(10_000);
      await scene.parley.restart({});
      await checkPromises(scene.parley, scene.ledger);
    } finally {
      await scene.close();
    }
  });
});
