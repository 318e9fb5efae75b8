import { describe, expect, it } from 'vitest';
import { checkPromises } from '../harness/checker.ts';
import { doEverything } from './everything.ts';
import { AGENTS, answerTo, Fixture, isDeath } from './fixture.ts';

/** Every named point, some of them at a later passage too. `npm run soak` goes through all passages. */
const POINTS = [
  'accept.committed',
  'turn.started:2',
  'turn.said:60',
  'flush.before-commit',
  'settle.before-commit',
  'settle.before-commit:3',
  'settle.committed:2',
  'compaction.before-commit',
  'write.before-commit:5',
  'write.before-commit:9',
  'write.before-commit:20',
  'write.before-commit:27',
  'write.committed:6',
  'write.committed:13',
  'write.committed:26',
];

describe('kill -9 at a named point', { timeout: 40_000 }, () => {
  it.concurrent.each(POINTS)('P1-P9, P11, P14 hold after a kill at %s', async (point) => {
    const fixture = await Fixture.open({ env: { PARLEY_FAULT: point } });
    try {
      expect(await doEverything(fixture)).toBe('died');
      await fixture.parley.waitForExit();
      await fixture.parley.restart({});
      await checkPromises(fixture.parley, fixture.ledger);
      // P3: nothing that was asked of a model is asked again by itself.
      const once = [...fixture.ledger.sent.values()].filter(({ text }) => text !== 'too long');
      for (const { text } of once) expect([text, fixture.asked(text) <= 1]).toEqual([text, true]);
    } finally {
      await fixture.close();
    }
  });

  it.concurrent.each(['write.before-commit:14', 'accept.committed:5'])(
    'P1-P5, P14 hold after a kill at %s, in the middle of transactions that share a commit',
    async (point) => {
      const fixture = await Fixture.open({ env: { PARLEY_FAULT: point } });
      try {
        const ids = Array.from({ length: 6 }, (_, index) => `together-${index}`);
        const send = async (id: string) => {
          await fixture.session(AGENTS[0], { id });
          for (const content of ['first', 'second', 'third'])
            await fixture.send(id, { content: `${content} of ${id}` });
        };
        const ends = await Promise.allSettled(ids.map(send));
        for (const end of ends) if (end.status === 'rejected' && !isDeath(end.reason)) throw end.reason;
        await fixture.parley.waitForExit();
        await fixture.parley.restart({});
        await checkPromises(fixture.parley, fixture.ledger);
      } finally {
        await fixture.close();
      }
    },
  );

  it('without a kill, the same flow passes the checker', async () => {
    const fixture = await Fixture.open();
    try {
      expect(await doEverything(fixture)).toBe('lived');
      await checkPromises(fixture.parley, fixture.ledger);
    } finally {
      await fixture.close();
    }
  });

  it('P3, P4, P14: nothing is asked twice; recovery itself can be killed and goes on at the next start', async () => {
    const fixture = await Fixture.open({ delayMs: 50 });
    try {
      const { id } = await fixture.session();
      await fixture.send(id, { content: 'cut short' });
      await fixture.send(id, { content: 'waits' });
      await new Promise((resolve) => setTimeout(resolve, 600));
      await fixture.parley.kill();
      await expect(fixture.parley.restart({ PARLEY_FAULT: 'recovery.before-commit' })).rejects.toThrow(
        'ended with null',
      );
      await fixture.parley.restart({});
      const readback = await checkPromises(fixture.parley, fixture.ledger);
      const states = readback.sessions[0]!.turns.map((turn) => turn.state);
      expect(states).toEqual(['complete', 'interrupted']);
      expect(fixture.asked('cut short')).toBe(1);
    } finally {
      await fixture.close();
    }
  });

  it('P7: what was streamed survives kill -9, at most 250 ms or 4 kB short; a guest leaves nothing', async () => {
    const fixture = await Fixture.open({ delayMs: 60 });
    try {
      const { id } = await fixture.session();
      const guests = await fixture.session(AGENTS[1]);
      await fixture.send(guests.id, { content: 'for a guest', guest: AGENTS[2]! });
      const heard: { at: number; length: number }[] = [];
      const listening = (async () => {
        for await (const frame of fixture.parley.sendStream(id, { id: 'told', content: 'told' }))
          if (frame.type === 'delta')
            heard.push({ at: Date.now(), length: frame.data.offset + frame.data.text.length });
      })();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const killedAt = Date.now();
      await fixture.parley.kill();
      await listening.catch(() => {});
      await fixture.parley.restart({});
      fixture.ledger.sent.set('told', { ...told(id), acknowledged: true });
      await checkPromises(fixture.parley, fixture.ledger);
      const [, answer] = await fixture.parley.messages(id);
      const due = heard.filter(({ at }) => at < killedAt - 350).at(-1)!.length;
      expect(answer).toMatchObject({ status: 'interrupted', agent: AGENTS[0] });
      expect(answer!.text.length).toBeGreaterThanOrEqual(due);
      expect(answerTo('told').startsWith(answer!.text)).toBe(true);
      expect(await fixture.parley.transcript(guests.id)).toEqual(['user: for a guest']);
    } finally {
      await fixture.close();
    }
  });
});

function told(sessionId: string) {
  return { id: 'told', sessionId, text: 'told', agent: undefined, guest: false, mayBeGone: false };
}
