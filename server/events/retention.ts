import type { EventLog } from './log.ts';
import { deleteEventsUpto, oldEventsEnd } from './store.ts';

const DAY_MS = 24 * 3600_000;
const BATCH = 2000;

/** Deletes events older than some days, in short transactions so that no other writer waits long. */
export async function pruneEvents(log: EventLog, days: number, now: number = Date.now()): Promise<void> {
  for (;;) {
    const end = await log.write(async (tx) => {
      const position = await oldEventsEnd(tx.db, now - days * DAY_MS, BATCH);
      if (position !== null) await deleteEventsUpto(tx.db, position);
      return position;
    });
    if (end === null) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
