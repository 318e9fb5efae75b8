import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { SearchResults } from '../../contract/sessions.ts';
import { checkDatabase } from '../harness/check-database.ts';
import { checkPromises } from '../harness/checker.ts';
import { until } from '../harness/parley.ts';
import { AGENTS, Fixture, isDeath } from './fixture.ts';

/** Messages are stored first and indexed later: no search may notice which of them are. */
describe('the search index', { timeout: 40_000 }, () => {
  async function found(fixture: Fixture, word: string): Promise<string[]> {
    const { hits } = await fixture.parley.ok<SearchResults>('GET', `/api/search?q=${word}`);
    return hits.map(({ messageId }) => messageId);
  }

  function notIndexed(fixture: Fixture): number {
    const db = new DatabaseSync(path.join(fixture.parley.home, 'parley.db'), { readOnly: true, timeout: 5000 });
    const [row] = db.prepare('SELECT count(*) AS count FROM messages, search_progress WHERE rid > indexed_upto').all();
    db.close();
    return Number(row!.count);
  }

  async function indexed(fixture: Fixture): Promise<void> {
    await until(
      async () => notIndexed(fixture),
      (count) => count === 0,
      20_000,
    );
  }

  it('P1: a message is found as soon as it is acknowledged, and once, before and after it is indexed', async () => {
    const fixture = await Fixture.open();
    try {
      const { id } = await fixture.session();
      const first = await fixture.say(id, { content: 'quokka' });
      const before = await found(fixture, 'quokka');
      expect(before).toContain(first.message.id);
      await indexed(fixture);
      expect(await found(fixture, 'quokka')).toEqual(before);
      const second = await fixture.send(id, { content: 'another quokka' });
      expect(await found(fixture, 'quokka')).toEqual(expect.arrayContaining([second.message.id, ...before]));
      await fixture.settled(second);
      await checkPromises(fixture.parley, fixture.ledger);
    } finally {
      await fixture.close();
    }
  });

  it('P1, P14: after a kill while messages are indexed, all of them are found once', async () => {
    const fixture = await Fixture.open({ env: { PARLEY_FAULT: 'search.before-commit' } });
    try {
      await fixture.session(AGENTS[0], { id: 'killed' });
      const sent = await fixture.send('killed', { content: 'wombat' }).catch((error: unknown) => {
        if (!isDeath(error)) throw error;
      });
      await fixture.parley.waitForExit();
      await fixture.parley.restart({});
      const before = await found(fixture, 'wombat');
      if (sent) expect(before).toContain(sent.message.id);
      await indexed(fixture);
      expect(await found(fixture, 'wombat')).toEqual(before);
      expect(checkDatabase(fixture.parley.home)).toEqual([]);
    } finally {
      await fixture.close();
    }
  });

  it('P1: a message that gets the row of a deleted one is found', async () => {
    const fixture = await Fixture.open();
    try {
      const { id } = await fixture.session();
      await fixture.say(id, { content: 'the older one' });
      const { message } = await fixture.say(id, { content: 'platypus' });
      await indexed(fixture);
      await fixture.parley.ok('DELETE', `/api/sessions/${id}/messages`);
      expect(await found(fixture, 'platypus')).toEqual([]);
      const next = await fixture.send(id, { content: 'echidna' });
      await fixture.settled(next);
      await indexed(fixture);
      const hits = await found(fixture, 'echidna');
      expect(hits).toContain(next.message.id);
      expect(hits).not.toContain(message.id);
      expect(await found(fixture, 'platypus')).toEqual([]);
    } finally {
      await fixture.close();
    }
  });

  it('follows a queued message whose words are changed, whether or not it was indexed', async () => {
    const fixture = await Fixture.open({ delayMs: 400 });
    try {
      const { id } = await fixture.session();
      const first = await fixture.send(id, { content: 'goes on for a while' });
      const queued = await fixture.send(id, { content: 'numbat' });
      await indexed(fixture);
      await fixture.parley.ok('PATCH', `/api/turns/${queued.turn.id}`, { content: 'bilby' });
      fixture.delayMs = 1;
      await fixture.parley.ok('POST', `/api/turns/${first.turn.id}/cancellation`);
      await fixture.settled(queued);
      await indexed(fixture);
      expect(await found(fixture, 'numbat')).toEqual([]);
      expect(await found(fixture, 'bilby')).toContain(queued.message.id);
      expect(checkDatabase(fixture.parley.home)).toEqual([]);
    } finally {
      await fixture.close();
    }
  });
});
