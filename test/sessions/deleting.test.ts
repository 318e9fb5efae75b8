import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deleteDetachedPiece, detachContents } from '../../server/sessions/detached-store.ts';
import { insertMessages } from '../../server/sessions/search-index-store.ts';
import { openSqlite } from '../../server/storage/sqlite.ts';
import type { NewMessage } from '../../server/storage/tables.ts';

const MESSAGES = 10_000;

/** In time of the processor, which a busy machine does not stretch. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function row(session_id: string, index: number): NewMessage {
  const text = `line ${index} of a long conversation about several things, with some more words to make it ordinary`;
  const told = {
    session_id,
    seq: index + 1,
    role: 'user' as const,
    status: 'complete' as const,
    text,
    created_at: 1,
    guest: 0,
    on_path: 1,
  };
  const none = { parent_id: null, turn_id: null, agent_id: null, parts: null, compaction_id: null, request_hash: null };
  return { id: `${session_id}-${index}`, ...told, ...none };
}

test('a long session is deleted in a fraction of the time that it took to write it', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-deleting-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { db, close } = await openSqlite(path.join(folder, 'parley.db'), { synchronous: 'normal' });
  onTestFinished(close);
  const write = (session: string, start: number) =>
    db.transaction().execute((tx) =>
      insertMessages(
        tx,
        Array.from({ length: 500 }, (_, index) => row(session, start + index)),
      ),
    );
  const writeAll = async () => {
    for (const session of ['kept', 'gone'])
      for (let start = 0; start < MESSAGES; start += 500) await write(session, start);
  };
  const deleteAll = async () => {
    while (await db.transaction().execute((tx) => deleteDetachedPiece(tx, 'gone')));
  };
  const written = await cost(writeAll);
  // Without a mark, what is stored under an id belongs to a session.
  expect(await deleteDetachedPiece(db, 'gone')).toBe(false);
  expect((await db.selectFrom('messages').select('id').where('session_id', '=', 'gone').execute()).length).toBe(
    MESSAGES,
  );
  await detachContents(db, 'gone', 1);
  expect((await cost(deleteAll)) / written).toBeLessThan(0.4);
  expect(await db.selectFrom('messages').select('session_id').distinct().execute()).toEqual([{ session_id: 'kept' }]);
});
