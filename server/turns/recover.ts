import type { EventLog, Tx } from '../events/log.ts';
import { reach } from '../fault-points.ts';
import type { TurnRow } from '../storage/tables.ts';
import type { TurnEngine } from './engine.ts';
import { type Outcome, settleTurn } from './settle.ts';
import { speechFromPartials } from './speech.ts';
import { SHUTDOWN } from './stops.ts';
import { deleteOrphanPartials, selectPartials, selectSessionsWithQueue, selectUnownedTurns } from './store.ts';

const LEFT_OPEN: Outcome = { ...SHUTDOWN, usage: null };

/**
 * After a start nothing runs without an owner: turns that were running become interrupted with what they had said, and
 * what waited is taken up, unless whoever starts this will not stay to see it through. Nothing is executed twice.
 */
export async function recover(
  engine: TurnEngine,
  resumeQueued: boolean,
): Promise<{ interrupted: number; queued: number }> {
  const unowned = await selectUnownedTurns(engine.log.db);
  for (const turn of unowned) await interrupt(engine.log, turn);
  await engine.log.write((tx) => deleteOrphanPartials(tx.db));
  await engine.recount();
  const queued = resumeQueued ? await selectSessionsWithQueue(engine.log.db) : [];
  for (const sessionId of queued) engine.wake(sessionId);
  return { interrupted: unowned.length, queued: queued.length };
}

function interrupt(log: EventLog, turn: TurnRow): Promise<unknown> {
  return log.write(async (tx: Tx) => {
    const parts = speechFromPartials(await selectPartials(tx.db, turn.id));
    await settleTurn(tx, turn, { parts, isFlushed: true }, LEFT_OPEN);
    reach('recovery.before-commit');
  });
}
