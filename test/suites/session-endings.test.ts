import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { text } from '../harness/scripted-script.ts';
import { firstFrame } from './following.ts';
import { TestServer } from './test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.close());
beforeEach(() => server.provider.script(({ said }) => ({ steps: text(`Re: ${said}`) })));

describe('clear', () => {
  test('takes the history and keeps the identity', async () => {
    const wanted = { agentId: 'ada', name: 'To be cleared', folder: 'Work', attributes: { keep: true } };
    const { id, createdAt } = await server.create(wanted);
    await server.say(id, { content: 'Old zanzibar', guest: 'bob' });
    await server.call('pinSession', { params: { sessionId: id } });
    const cleared = await server.call('clearSession', { params: { sessionId: id } });
    expect(cleared).toMatchObject({ ...wanted, id, createdAt, status: 'idle', messageCount: 0, unreadCount: 0 });
    expect(cleared).toMatchObject({ agents: [], headId: null, lastSnippet: '' });
    expect(cleared.pinnedAt).not.toBeNull();
    expect(await server.messages(id)).toEqual([]);
    expect(await server.turns(id)).toEqual([]);
    expect((await server.call('search', { query: { q: 'zanzibar' } })).hits).toEqual([]);
    await server.say(id, 'New');
    expect(server.prompt('ada').map(({ content }) => content)).toEqual(['You are ada.', 'New']);
    expect((await server.session(id)).messageCount).toBe(2);
  });

  test('begins the events anew: those who were there see it, older cursors are reset', async () => {
    const sessionId = await server.open();
    await server.say(sessionId, 'Old');
    const { lastSeq } = await server.session(sessionId);
    await server.call('clearSession', { params: { sessionId } });
    expect(await firstFrame(server, sessionId, lastSeq)).toMatchObject({
      type: 'session.cleared',
      data: { seq: lastSeq + 1 },
    });
    expect(await firstFrame(server, sessionId, 1)).toMatchObject({ type: 'reset', data: { position: lastSeq + 1 } });
  });
});

describe('delete', () => {
  test('leaves nothing but the one event that says so', async () => {
    const { id } = await server.create({ agentId: 'ada', name: 'Gone' });
    const { turn, message } = await server.say(id, 'Secret xylophone');
    const second = await server.say(id, { content: 'More', guest: 'bob' });
    await server.call('retryTurn', { params: { turnId: second.turn.id }, query: { wait: 10 } });
    await server.call('compactSession', { params: { sessionId: id }, body: { keep: 1 } });
    server.provider.script(() => ({ steps: [...text('Secret'), { kind: 'stall' }] }));
    await server.send(id, 'Running xylophone');
    await server.send(id, 'Queued xylophone');
    await server.speaking(id);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await server.call('deleteSession', { params: { sessionId: id } });
    await server.refused('session_not_found', 'getSession', { params: { sessionId: id } });
    await server.refused('session_not_found', 'listMessages', { params: { sessionId: id } });
    await server.refused('session_not_found', 'deleteSession', { params: { sessionId: id } });
    await server.refused('turn_not_found', 'getTurn', { params: { turnId: turn.id } });
    await server.refused('message_not_found', 'getMessage', { params: { messageId: message.id } });
    expect((await server.call('search', { query: { q: 'xylophone' } })).hits).toEqual([]);
    await expect.poll(() => rowsOf(id)).toEqual([{ table: 'events', type: 'session.deleted' }]);
    await server.create({ name: 'Gone' });
  });
});

/** Every row anywhere that has to do with a session, orphans of any session included. */
function rowsOf(sessionId: string): object[] {
  const db = new DatabaseSync(path.join(server.parley.home, 'parley.db'), { readOnly: true });
  const rows = (sql: string, ...given: string[]) => db.prepare(sql).all(...given) as object[];
  const found = [
    ...['messages', 'turns', 'compactions', 'session_agents'].flatMap((table) =>
      rows(`SELECT '${table}' AS "table" FROM ${table} WHERE session_id = ?`, sessionId),
    ),
    ...rows(`SELECT 'sessions' AS "table" FROM sessions WHERE id = ?`, sessionId),
    ...rows(`SELECT 'events' AS "table", type FROM events WHERE session_id = ?`, sessionId),
    ...rows(`SELECT 'turn_requests' AS "table" FROM turn_requests WHERE turn_id NOT IN (SELECT id FROM turns)`),
    ...rows(`SELECT 'partials' AS "table" FROM partials WHERE turn_id NOT IN (SELECT id FROM turns)`),
    ...rows(`SELECT 'messages_fts' AS "table" FROM messages_fts WHERE rowid NOT IN (SELECT rid FROM messages)`),
  ];
  db.close();
  return found.map((row) => ({ ...row }));
}

test('whatever is asked of a session that is not there is refused alike', async () => {
  const params = { sessionId: 'nowhere' };
  const named = { body: { name: 'x' } };
  for (const [route, given] of [
    ['getSession', {}],
    ['patchSession', { body: {} }],
    ['renameSession', named],
    ['pinSession', {}],
    ['unpinSession', {}],
    ['archiveSession', {}],
    ['unarchiveSession', {}],
    ['markRead', {}],
    ['chooseHead', { body: { messageId: 'x' } }],
    ['forkSession', {}],
    ['compactSession', {}],
    ['cancelSession', {}],
    ['exportSession', {}],
    ['sessionEvents', {}],
    ['listQueue', {}],
    ['listTurns', {}],
    ['listMessages', {}],
    ['clearSession', {}],
    ['deleteSession', {}],
    ['sendMessage', { body: { content: 'Hi' } }],
  ] as const)
    await server.refused('session_not_found', route, { params, ...given });
});

test('the file of the database holds nothing any more of what was said in a deleted session', async () => {
  const sessionId = await server.open();
  await server.say(sessionId, 'The quince harvest failed twice.');
  await server.call('deleteSession', { params: { sessionId } });
  await server.parley.stop();
  const file = readFileSync(path.join(server.parley.home, 'parley.db'), 'latin1');
  await server.parley.restart();
  expect(file.includes('quince harvest')).toBe(false);
});
