import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ParleyClient } from '../../client/parley-client.ts';
import { type RunningServer, startServer } from '../../server/main.ts';
import { MIGRATIONS } from '../../server/storage/migrations.ts';

const GROWING = ['messages', 'turns', 'events', 'sessions', 'session_agents', 'compactions', 'turn_requests'];
const AGENT = { agentId: 'ada', displayName: 'Ada', chat: { provider: 'demo', model: 'demo-fast' } };

const asked = new Set<string>();
const prepare = DatabaseSync.prototype.prepare;
let home: string;
let server: RunningServer;
let client: ParleyClient;

beforeAll(async () => {
  DatabaseSync.prototype.prepare = function (text: string) {
    asked.add(text);
    return prepare.call(this, text);
  };
  home = mkdtempSync(path.join(tmpdir(), 'parley-plans-'));
  writeFileSync(path.join(home, 'parley.json'), JSON.stringify({ agents: [AGENT], log: { level: 'silent' } }));
  server = await startServer({ home, port: 0, env: {} });
  client = new ParleyClient({ baseUrl: server.url, token: server.token });
});

afterAll(async () => {
  DatabaseSync.prototype.prepare = prepare;
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Run once, when a data folder is made or an older one is opened. */
const MIGRATING = new Set(MIGRATIONS.flatMap(({ statements }) => statements));

test('nothing a person does reads a whole table that grows', async () => {
  await doEverything();
  const database = new DatabaseSync(path.join(home, 'parley.db'), { readOnly: true });
  const scans = [...asked]
    .filter((text) => /^\s*(select|update|delete|with)/i.test(text) && !MIGRATING.has(text))
    .flatMap((text) => {
      const plan = prepare.call(database, `EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[];
      return plan.filter(({ detail }) => GROWING.some((table) => detail === `SCAN ${table}`)).map(() => text);
    });
  database.close();
  expect(asked.size).toBeGreaterThan(40);
  expect(scans).toEqual([]);
});

async function doEverything(): Promise<void> {
  const { id } = await client.call('createSession', { body: { agentId: 'ada', name: 'one' } });
  const say = (content: string) => client.sendMessage(id, { content }, { wait: 20 });
  const first = await say('echo one');
  for (const words of ['echo two', 'echo three', 'echo four', 'echo five']) await say(words);
  await client.call('retryTurn', { turnId: first.turn.id, query: { wait: 20 } });
  await client.reviseMessage(first.message.id, { content: 'echo other' }, { wait: 20 });
  const { messages } = await client.call('listMessages', { sessionId: id, query: { limit: 2 } });
  await client.call('chooseHead', { sessionId: id, body: { messageId: messages.at(-1)!.id } });
  const fork = await client.call('forkSession', { sessionId: id, body: {} });
  await client.call('listSessions', { query: { status: 'active', agent: 'ada' } });
  const { next } = await client.call('listTurns', { sessionId: id, query: { limit: 2 } });
  await client.call('listTurns', { sessionId: id, query: { cursor: next! } });
  await client.call('listQueue', { sessionId: id });
  await client.call('seenByTurn', { turnId: first.turn.id });
  await client.call('compactSession', { sessionId: fork.id, body: { keep: 0 } }).catch(() => {});
  await client.call('exportSession', { sessionId: id, query: { format: 'json' } });
  await client.call('patchSession', { sessionId: id, body: { attributes: { a: 1 } } });
  await client.call('cancelSession', { sessionId: id });
  await client.call('clearSession', { sessionId: fork.id });
  await client.call('deleteSession', { sessionId: fork.id });
}
