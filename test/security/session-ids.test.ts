import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bus } from '../../server/events/bus.ts';
import { EventLog } from '../../server/events/log.ts';
import { Sessions } from '../../server/sessions/sessions.ts';
import { openSqlite, type SqliteStore } from '../../server/storage/sqlite.ts';
import { Workspaces } from '../../server/workspaces/workspaces.ts';

/** Ways in check ids by their own schemas; what is tested here holds for a way in that forgets to. */
let folder: string;
let store: SqliteStore;
let log: EventLog;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-ids-'));
  store = await openSqlite(path.join(folder, 'parley.db'), { synchronous: 'full' });
  log = new EventLog(store.db, new Bus(console.error));
});
afterAll(async () => {
  await log.idle();
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const PATHS = ['../..', '..', '.', '', 'a/b', 'a\\b', 'a\0b', '/etc', `${'x'.repeat(129)}`];

describe('an id that is a path', () => {
  it.each([...PATHS, '__proto__', 'constructor'])('never becomes a session: %j', async (id) => {
    const sessions = new Sessions(log, async () => {});
    await expect(sessions.create('me', { id, agentId: 'ada' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(sessions.get('me', id)).rejects.toMatchObject({ code: 'session_not_found' });
  });

  it.each(PATHS)('never becomes a folder that an agent works in, nor one that is deleted: %j', async (sessionId) => {
    const workspaces = new Workspaces({
      home: folder,
      settings: () => ({ files: { workspaces: {} } }),
      ofAgent: () => ({ per: 'session' }),
      ofSession: async () => null,
    });
    const before = readdirSync(folder).toSorted();
    await expect(workspaces.folderOf({ agentId: 'ada', sessionId })).rejects.toMatchObject({
      code: 'workspace_refused',
    });
    await expect(workspaces.forget(sessionId)).rejects.toMatchObject({ code: 'workspace_refused' });
    expect(existsSync(path.join(folder, 'parley.db'))).toBe(true);
    expect(readdirSync(folder).toSorted()).toEqual(before);
  });
});
