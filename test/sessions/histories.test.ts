import { expect, it } from 'vitest';
import { Histories } from '../../server/sessions/transcript.ts';
import { StoredSessions } from './stored-sessions.ts';

it('the cache of histories counts what a short message takes in memory, not only its characters', async () => {
  await using stored = await StoredSessions.open();
  const histories = new Histories(stored.log, 1_000_000);
  const said = Array.from({ length: 1000 }, () => ({ text: 'ok' }));
  const [first, second] = [await stored.add({}, said), await stored.add({}, said)];
  const kept = await histories.of(first.session.id);
  expect(await histories.of(first.session.id)).toBe(kept);
  await histories.of(second.session.id);
  expect(await histories.of(first.session.id)).not.toBe(kept);
});
