import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TurnList } from '../../contract/turns.ts';
import { Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});
afterAll(() => stage.close());

test('turns come in pages, newest first, each once, also when some are of the same moment', async () => {
  const sessionId = await stage.open();
  for (let at = 0; at < 7; at++) await stage.say(sessionId, at % 2 ? '@ada @bob Both' : `Only one ${at}`);
  const all = await stage.turns(sessionId);
  expect(all).toHaveLength(10);
  const pageOf = (cursor: string) =>
    stage.call('listTurns', { params: { sessionId }, query: { limit: 3, ...(cursor && { cursor }) } });
  const paged: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: TurnList = await pageOf(cursor);
    expect(page.turns.length).toBeGreaterThan(0);
    paged.push(...page.turns.map(({ id }) => id));
    cursor = page.next;
  }
  expect(paged).toEqual(all.map(({ id }) => id));
});

test('a cursor that nobody gave out is refused', async () => {
  const params = { sessionId: await stage.open() };
  for (const cursor of ['made up', 'WyJhIl0', 'W10'])
    await stage.refused('invalid_request', 'listTurns', { params, query: { cursor } });
});
