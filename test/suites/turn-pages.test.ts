import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TurnList } from '../../contract/turns.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.close());

test('turns come in pages, newest first, each once, also when some are of the same moment', async () => {
  const sessionId = await server.open();
  for (let at = 0; at < 7; at++) await server.say(sessionId, at % 2 ? '@ada @bob Both' : `Only one ${at}`);
  const all = await server.turns(sessionId);
  expect(all).toHaveLength(10);
  const pageOf = (cursor: string) =>
    server.call('listTurns', { params: { sessionId }, query: { limit: 3, ...(cursor && { cursor }) } });
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
  const params = { sessionId: await server.open() };
  for (const cursor of ['made up', 'WyJhIl0', 'W10'])
    await server.refused('invalid_request', 'listTurns', { params, query: { cursor } });
});
