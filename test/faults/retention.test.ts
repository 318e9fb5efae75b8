import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { until } from '../harness/parley.ts';
import { Fixture } from './fixture.ts';

const DAY_MS = 24 * 3600_000;
const TABLES = ['events', 'turn_requests', 'request_texts', 'audit'];

it('what is older than its limit is deleted after the start, and the conversation stays', {
  timeout: 60_000,
}, async () => {
  const fixture = await Fixture.open();
  try {
    const { id } = await fixture.session();
    const old = await fixture.say(id, { content: 'long ago' });
    await fixture.parley.ok('GET', `/api/sessions/${id}/export?format=markdown`);
    await fixture.parley.stop();
    setBack(fixture.parley.home, 400 * DAY_MS);
    await fixture.parley.restart({});
    await until(
      async () => counts(fixture.parley.home),
      (all) => Object.values(all).every((count) => count === 0),
      20_000,
    );
    const recent = await fixture.say(id, { content: 'just now' });
    const steps = async (turnId: string) =>
      (await fixture.parley.ok<{ steps: unknown[] }>('GET', `/api/turns/${turnId}/seen`)).steps;
    expect(await steps(old.turn.id)).toEqual([]);
    expect(await steps(recent.turn.id)).toHaveLength(1);
    const { messages } = await fixture.parley.ok<{ messages: { text: string }[] }>(
      'GET',
      `/api/sessions/${id}/messages`,
    );
    expect(messages.map(({ text }) => text)).toContain('long ago');
  } finally {
    await fixture.close();
  }
});

function setBack(home: string, ms: number): void {
  const db = new DatabaseSync(path.join(home, 'parley.db'));
  for (const table of ['events', 'turn_requests', 'audit']) db.prepare(`UPDATE ${table} SET at = at - ?`).run(ms);
  db.close();
}

function counts(home: string): Record<string, number> {
  const db = new DatabaseSync(path.join(home, 'parley.db'), { readOnly: true });
  const count = (table: string) => Number(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()!.count);
  const counted = Object.fromEntries(TABLES.map((table) => [table, count(table)]));
  db.close();
  return counted;
}
