import { describe, expect, it } from 'vitest';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { AGENTS, answerTo, Fixture } from './fixture.ts';

describe('SIGTERM while turns are running', { timeout: 60_000 }, () => {
  it('P1, P4, P7: streams are told, words are kept, the queue stays queued, exit 0 within ten seconds', async () => {
    const fixture = await Fixture.open({ delayMs: 60 });
    try {
      const { id } = await fixture.session();
      const guests = await fixture.session(AGENTS[1]);
      const frames: string[] = [];
      const listening = (async () => {
        for await (const frame of fixture.parley.events('/api/events')) frames.push(frame.type);
      })();
      await fixture.send(id, { content: 'interrupted' });
      await fixture.send(id, { content: 'still queued' });
      await fixture.send(guests.id, { content: 'a guest', guest: AGENTS[2]! });
      await until(
        async () => frames,
        (types) => types.filter((type) => type === 'delta').length > 4,
      );
      const began = Date.now();
      expect(await fixture.parley.stop()).toBe(0);
      expect(Date.now() - began).toBeLessThan(10_000);
      await listening;
      expect(frames.at(-1)).toBe('server.stopping');
      await fixture.parley.restart({});
      const readback = await checkPromises(fixture.parley, fixture.ledger);
      const one = readback.sessions.find((each) => each.session.id === id)!;
      expect(one.turns.map((turn) => turn.state)).toEqual(['complete', 'interrupted']);
      expect(one.turns[1]!.error).toMatchObject({ code: 'server_stopped', retryable: true });
      const [, partial] = one.messages;
      expect(partial!.status).toBe('interrupted');
      expect(partial!.text.length).toBeGreaterThan(10);
      expect(answerTo('interrupted').startsWith(partial!.text)).toBe(true);
      expect(fixture.asked('interrupted')).toBe(1);
      expect(fixture.asked('still queued')).toBe(1);
      expect(await fixture.parley.transcript(guests.id)).toEqual(['user: a guest']);
    } finally {
      await fixture.close();
    }
  });

  it('a provider that never answers does not hold up the end', async () => {
    const fixture = await Fixture.open();
    try {
      fixture.provider.script(() => ({ steps: [{ kind: 'stall' }] }));
      const { id } = await fixture.session();
      await fixture.send(id, { content: 'nobody answers' });
      await until(
        async () => fixture.provider.requests,
        (requests) => requests.length === 1,
      );
      const began = Date.now();
      expect(await fixture.parley.stop()).toBe(0);
      expect(Date.now() - began).toBeLessThan(10_000);
      await fixture.parley.restart({});
      await checkPromises(fixture.parley, fixture.ledger);
    } finally {
      await fixture.close();
    }
  });
});
