import { setImmediate } from 'node:timers/promises';
import type { CutReason } from '../../contract/cut-answer.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { CompactionRow, Db, SessionRow } from '../storage/tables.ts';
import {
  type StoredMessage,
  type Stretch,
  selectCompactions,
  selectCutAnswers,
  selectLinks,
  selectStretch,
} from './message-store.ts';
import { loadSession } from './store.ts';

/** A session as it was at one moment, whatever is said while it is read. */
export interface Snapshot {
  session: SessionRow;
  compactions: CompactionRow[];
  /** The branch that was being shown. */
  path: ReadonlySet<string>;
  count: number;
  /** Answers that end early although their turns are complete. */
  cut: ReadonlyMap<string, CutReason>;
}

const PAGE = 200;

/**
 * Messages never change once they have a place, so their numbers and the head are enough to remember; the path follows
 * from them. No transaction is held, since others want to write meanwhile.
 */
export async function takeSnapshot(db: Db, owner: string, id: string): Promise<Snapshot> {
  const session = await loadSession(db, owner, id);
  const compactions = await selectCompactions(db, id);
  const parents = new Map<string, string | null>();
  for await (const links of inPages(session, (stretch) => selectLinks(db, id, stretch))) {
    for (const link of links) parents.set(link.id, link.parent_id);
  }
  const known = compactions.filter((compaction) => parents.has(compaction.last_message_id));
  const cut = await selectCutAnswers(db, id);
  return { session, compactions: known, path: pathTo(session.head_id, parents), count: parents.size, cut };
}

function pathTo(head: string | null, parents: ReadonlyMap<string, string | null>): Set<string> {
  const path = new Set<string>();
  for (let id = head; id && parents.has(id); id = parents.get(id) ?? null) path.add(id);
  return path;
}

/** Everything that was said, in order, a page at a time. */
export async function* readSnapshot(db: Db, snapshot: Snapshot): AsyncGenerator<StoredMessage[]> {
  const { session, path } = snapshot;
  const compactions = new Set(snapshot.compactions.map((compaction) => compaction.id));
  let read = 0;
  for await (const rows of inPages(session, (stretch) => selectStretch(db, session.id, stretch))) {
    read += rows.length;
    yield rows.map((row) => ({
      ...row,
      on_path: path.has(row.id) ? 1 : 0,
      compaction_id: row.compaction_id && compactions.has(row.compaction_id) ? row.compaction_id : null,
    }));
  }
  if (read < snapshot.count) {
    throw new AppError('session_busy', say('session_busy.export'));
  }
}

/** Others get their turn between the pages. */
async function* inPages<Row extends { seq: number | null }>(
  session: SessionRow,
  select: (stretch: Stretch) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let after = 0;
  for (;;) {
    const rows = await select({ after, upto: session.message_seq, limit: PAGE });
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.seq!;
    await setImmediate();
  }
}
