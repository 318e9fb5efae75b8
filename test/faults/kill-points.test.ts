import { describe, expect, it } from 'vitest';
import { checkPromises } from '../harness/checker.ts';
import { doEverything } from './everything.ts';
import { AGENTS, answerTo, isDeath, Scene } from './scene.ts';

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
  'write.before-commit:2',
  'write.before-commit:9',
  'write.before-commit:20',
  'write.before-commit:27',
  'write.committed:3',
  'write.committed:13',
  'write.committed:26',
];

describe('kill -9 at a named point', { timeout: 40_000 }, () => {
  it.concurrent.each(POINTS)('P1-P9, P11, P14 hold after a kill at %s', async (point) => {
    const scene = await Scene.open({ env: { PARLEY_FAULT: point } });
    try {
      expect(await doEverything(scene)).toBe('died');
      await scene.parley.waitForExit();
      await scene.parley.restart({});
      await checkPromises(scene.parley, scene.ledger);
      // P3: nothing that was asked of a model is asked again by itself.
      const once = [...scene.ledger.sent.values()].filter(({ text }) => text !== 'too long');
      for (const { text } of once) expect([text, scene.asked(text) <= 1]).toEqual([text, true]);
    } finally {
      await scene.close();
    }
  });

  it.concurrent.each(['write.before-commit:14', 'accept.committed:5'])(
    'P1-P5, P14 hold after a kill at %s, in the middle of transactions that share a commit',
    async (point) => {
      const scene = await Scene.open({ env: { PARLEY_FAULT: point } });
      try {
        const ids = Array.from({ length: 6 }, (_, index) => `together-${index}`);
        const send = async (id: string) => {
          await scene.session(AGENTS[0], { id });
          for (const content of ['first', 'second', 'third']) await scene.send(id, { content: `${content} of ${id}` });
        };
        const ends = await Promise.allSettled(ids.map(send));
        for (const end of ends) if (end.status === 'rejected' && !isDeath(end.reason)) throw end.reason;
        await scene.parley.waitForExit();
        await scene.parley.restart({});
        await checkPromises(scene.parley, scene.ledger);
      } finally {
        await scene.close();
      }
    },
  );

  it('without a kill, the same scene passes the checker', async () => {
    const scene = await Scene.open();
    try {
      expect(await doEverything(scene)).toBe('lived');
      await checkPromises(scene.parley, scene.ledger);
    } finally {
      await scene.close();
    }
  });

  it('P3, P4, P14: nothing is asked twice; recovery itself can be killed and goes on at the next start', async () => {
    const scene = await Scene.open({ delayMs: 50 });
    try {
      const { id } = await scene.session();
      await scene.send(id, { content: 'cut short' });
      await scene.send(id, { content: 'waits' });
      await new Promise((resolve) => setTimeout(resolve, 600));
      await scene.parley.kill();
      await expect(scene.parley.restart({ PARLEY_FAULT: 'recovery.before-commit' })).rejects.toThrow('ended with null');
      await scene.parley.restart({});
      const readback = await checkPromises(scene.parley, scene.ledger);
      const states = readback.sessions[0]!.turns.map((turn) => turn.state);
      expect(states).toEqual(['complete', 'interrupted']);
      expect(scene.asked('cut short')).toBe(1);
    } finally {
      await scene.close();
    }
  });

  it('P7: what was streamed survives kill -9, at most 250 ms or 4 kB short; a guest leaves nothing', async () => {
    const scene = await Scene.open({ delayMs: 60 });
    try {
      const { id } = await scene.session();
      const guests = await scene.session(AGENTS[1]);
      await scene.send(guests.id, { content: 'for a guest', guest: AGENTS[2]! });
      const heard: { at: number; length: number }[] = [];
      const listening = (async () => {
        for await (const frame of scene.parley.sendStream(id, { id: 'told', content: 'told' }))
          if (frame.type === 'delta')
            heard.push({ at: Date.now(), length: frame.data.offset + frame.data.text.length });
      })();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const killedAt = Date.now();
      await scene.parley.kill();
      await listening.catch(() => {});
      await scene.parley.restart({});
      scene.ledger.sent.set('told', { ...told(id), acknowledged: true });
      await checkPromises(scene.parley, scene.ledger);
      const [, answer] = await scene.parley.messages(id);
      const due = heard.filter(({ at }) => at < killedAt - 350).at(-1)!.length;
      expect(answer).toMatchObject({ status: 'interrupted', agent: AGENTS[0] });
      expect(answer!.text.length).toBeGreaterThanOrEqual(due);
      expect(answerTo('told').startsWith(answer!.text)).toBe(true);
      expect(await scene.parley.transcript(guests.id)).toEqual(['user: for a guest']);
    } finally {
      await scene.close();
    }
  });
});

function told(sessionId: string) {
  return { id: 'told', sessionId, text: 'told', agent: undefined, guest: false, mayBeGone: false };
}
