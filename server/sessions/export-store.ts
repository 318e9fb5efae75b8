import type { StoredMessage } from './message-store.ts';
import type { Connection } from './store.ts';

export interface Stretch {
  after: number;
  upto: number;
  limit: number;
}

/** Messages of every branch in order, one page. */
export function selectStretch(db: Connection, sessionId: string, stretch: Stretch): Promise<StoredMessage[]> {
  return stretchOf(db, sessionId, stretch).selectAll().execute();
}

/** Only who follows whom: enough to tell the branches apart. */
export function selectLinks(db: Connection, sessionId: string, stretch: Stretch) {
  return stretchOf(db, sessionId, stretch).select(['id', 'parent_id', 'seq']).execute();
}

function stretchOf(db: Connection, sessionId: string, { after, upto, limit }: Stretch) {
  return db
    .selectFrom('messages')
    .where('session_id', '=', sessionId)
    .where('seq', '>', after)
    .where('seq', '<=', upto)
    .orderBy('seq')
    .limit(limit);
}
