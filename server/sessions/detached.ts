import { setImmediate } from 'node:timers/promises';
import type { EventLog, Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import { deleteDetachedPiece, detachContents, selectDeleted, selectDetached } from './detached-store.ts';

/**
 * Contents that belong to no session: of a copy or an import that is not finished, and of a session that was deleted.
 * Nothing shows them, because everything is read through its session. So they can be written and deleted in short
 * transactions, between which others write, and still appear and vanish at once. What a crash leaves is deleted at the
 * next start.
 */

/** How long one transaction works before others have their turn. */
const SLICE_MS = 12;

/** Writes the contents of a session that is not there yet, batch by batch. */
export async function writeDetached<T>(
  log: EventLog,
  sessionId: string,
  batches: readonly T[],
  write: (tx: Tx, batch: T) => Promise<void>,
): Promise<void> {
  const left = batches.values();
  for (let next = left.next(); !next.done; ) {
    await log.write(async (tx) => {
      await detachContents(tx.db, sessionId, 0);
      const end = performance.now() + SLICE_MS;
      for (; !next.done && performance.now() < end; next = left.next()) await write(tx, next.value);
    });
    reach('detached.written');
    await setImmediate();
  }
}

/** Deletes what is stored under ids that have no session any more, or never got one. */
export async function removeDetached(log: EventLog, sessionIds: readonly string[]): Promise<void> {
  for (const sessionId of sessionIds) {
    for (let isMore = true; isMore; ) {
      isMore = await log.write((tx) => deleteDetachedPiece(tx.db, sessionId));
      reach('detached.removed');
      await setImmediate();
    }
  }
}

/** What a crash, or a full disk, has left. Only at the start: later, unfinished copies may be among it. */
export async function removeAllDetached(log: EventLog): Promise<void> {
  await removeDetached(log, idsOf(await selectDetached(log.db)));
}

/** What deleted sessions have left when they could not be deleted completely at once. */
export async function removeDeleted(log: EventLog): Promise<void> {
  await removeDetached(log, idsOf(await selectDeleted(log.db)));
}

function idsOf(rows: readonly { session_id: string }[]): string[] {
  return rows.map(({ session_id }) => session_id);
}
