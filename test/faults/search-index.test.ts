import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { SearchResults } from '../../contract/sessions.ts';
import { checkDatabase } from '../harness/check-database.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { AGENTS, isDeath, Scene } from './scene.ts';

/** Messages are stored first and indexed later: no search may notice which of them are. */
describe('the search index', { timeout: 40_000 }, () => {
  async function found(scene: Scene, word: string): Promise<string[]> {
    const { hits } = await scene.parley.ok<SearchResults>('GET', `/api/search?q=${word}`);
    return hits.map(({ messageId }) => messageId);
  }

  function notIndexed(scene: Scene): number {
    const db = new DatabaseSync(path.join(scene.parley.home, 'parley.db'), { readOnly: true, timeout: 5000 });
    const [row] = db.prepare('SELECT count(*) AS count FROM messages, search_progress WHERE rid > indexed_upto').all();
    db.close();
    return Number(row!.count);
  }

  async function indexed(scene: Scene): Promise<void> {
    await until(
      async () => notIndexed(scene),
      (count) => count === 0,
      20_000,
    );
  }

  it('P1: a message is found as soon as it is acknowledged, and once, before and after it is indexed', async () => {
    const scene = await Scene.open();
    try {
      const { id } = await scene.session();
      const first = await scene.say(id, { content: 'quokka' });
      const before = await found(scene, 'quokka');
      expect(before).toContain(first.message.id);
      await indexed(scene);
      expect(await found(scene, 'quokka')).toEqual(before);
      const second = await scene.send(id, { content: 'another quokka' });
      expect(await found(scene, 'quokka')).toEqual(expect.arrayContaining([second.message.id, ...before]));
      await scene.settled(second);
      await checkPromises(scene.parley, scene.ledger);
    } finally {
      await scene.close();
    }
  });

  it('P1, P14: after a kill while messages are indexed, all of them are found once', async () => {
    const scene = await Scene.open({ env: { PARLEY_FAULT: 'search.before-commit' } });
    try {
      await scene.session(AGENTS[0], { id: 'killed' });
      const sent = await scene.send('killed', { content: 'wombat' }).catch((error: unknown) => {
        if (!isDeath(error)) throw error;
      });
      await scene.parley.waitForExit();
      await scene.parley.restart({});
      const before = await found(scene, 'wombat');
      if (sent) expect(before).toContain(sent.message.id);
      await indexed(scene);
      expect(await found(scene, 'wombat')).toEqual(before);
      expect(checkDatabase(scene.parley.home)).toEqual([]);
    } finally {
      await scene.close();
    }
  });

  it('P1: a message that gets the row of a deleted one is found', async () => {
    const scene = await Scene.open();
    try {
      const { id } = await scene.session();
      await scene.say(id, { content: 'the older one' });
      const { message } = await scene.say(id, { content: 'platypus' });
      await indexed(scene);
      await scene.parley.ok('DELETE', `/api/sessions/${id}/messages`);
      expect(await found(scene, 'platypus')).toEqual([]);
      const next = await scene.send(id, { content: 'echidna' });
      await scene.settled(next);
      await indexed(scene);
      const hits = await found(scene, 'echidna');
      expect(hits).toContain(next.message.id);
      expect(hits).not.toContain(message.id);
      expect(await found(scene, 'platypus')).toEqual([]);
    } finally {
      await scene.close();
    }
  });

  it('follows a queued message whose words are changed, whether or not it was indexed', async () => {
    const scene = await Scene.open({ delayMs: 400 });
    try {
      const { id } = await scene.session();
      const first = await scene.send(id, { content: 'goes on for a while' });
      const queued = await scene.send(id, { content: 'numbat' });
      await indexed(scene);
      await scene.parley.ok('PATCH', `/api/turns/${queued.turn.id}`, { content: 'bilby' });
      scene.delayMs = 1;
      await scene.parley.ok('POST', `/api/turns/${first.turn.id}/cancellation`);
      await scene.settled(queued);
      await indexed(scene);
      expect(await found(scene, 'numbat')).toEqual([]);
      expect(await found(scene, 'bilby')).toContain(queued.message.id);
      expect(checkDatabase(scene.parley.home)).toEqual([]);
    } finally {
      await scene.close();
    }
  });
});
