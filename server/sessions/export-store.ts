import { CUT_REASONS, type CutReason } from '../../contract/cut-answer.ts';
import type { Db } from '../storage/tables.ts';
import type { StoredMessage } from './message-store.ts';

export interface Stretch {
  after: number;
  upto: number;
  limit: number;
}

/** Messages of every branch in order, one page. */
export function selectStretch(db: Db, sessionId: string, stretch: Stretch): Promise<StoredMessage[]> {
  return stretchOf(db, sessionId, stretch).selectAll().execute();
}

/** Only the parent of each message: enough to tell the branches apart. */
export function selectLinks(db: Db, sessionId: string, stretch: Stretch) {
  return stretchOf(db, sessionId, stretch).select(['id', 'parent_id', 'seq']).execute();
}

/** Why answers of a session end early, by the ids of the answers. */
export async function selectCutAnswers(db: Db, sessionId: string): Promise<Map<string, CutReason>> {
  const rows = await db
    .selectFrom('turns')
    .select(['answer_id', 'stop_reason'])
    .where('session_id', '=', sessionId)
    .where('state', '=', 'complete')
    .where('stop_reason', 'in', [...CUT_REASONS])
    .where('answer_id', 'is not', null)
    .execute();
  return new Map(rows.map(({ answer_id, stop_reason }) => [answer_id!, stop_reason as CutReason]));
}

function stretchOf(db: Db, sessionId: string, { after, upto, limit }: Stretch) {
  return db
    .selectFrom('messages')
    .where('session_id', '=', sessionId)
    .where('seq', '>', after)
    .where('seq', '<=', upto)
    .orderBy('seq')
    .limit(limit);
}
