import { type Selectable, sql } from 'kysely';
import { CUT_REASONS, type CutReason } from '../../contract/cut-answer.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { insertion, statement } from '../storage/statement.ts';
import type { CompactionRow, Db, MessageRow, NewMessage } from '../storage/tables.ts';
import { deleteStatesBeyond } from './agent-state-store.ts';

export type StoredMessage = Selectable<MessageRow>;

/** Searches find it at once; it becomes part of the search index later (`search-index-store.ts`). */
export const insertMessage = insertion<NewMessage>('messages', 'rid');

export async function deleteMessage(db: Db, id: string): Promise<void> {
  await sql`DELETE FROM messages_fts WHERE rowid IN (SELECT rid FROM messages WHERE id = ${id})`.execute(db);
  await db.deleteFrom('message_files').where('message_id', '=', id).execute();
  await db.deleteFrom('messages').where('id', '=', id).execute();
}

/** A copy of a message has its files, too. */
export async function copyFiles(db: Db, from: string, to: { id: string; session_id: string }): Promise<void> {
  await copyLinks(db, to.id, to.session_id, from);
}

const copyLinks = statement(`INSERT INTO message_files (message_id, place, file_id, session_id)
  SELECT ?, place, file_id, ? FROM message_files WHERE message_id = ?`);

export async function loadMessage(db: Db, owner: string, id: string): Promise<StoredMessage> {
  const row = await db
    .selectFrom('messages')
    .innerJoin('sessions', 'sessions.id', 'messages.session_id')
    .selectAll('messages')
    .where('messages.id', '=', id)
    .where('sessions.owner', '=', owner)
    .executeTakeFirst();
  if (!row) throw new AppError('message_not_found', say('message_not_found', { id }));
  return row;
}

export interface MessagePage {
  before?: number | undefined;
  after?: number | undefined;
  limit: number;
}

/** A page of the branch being shown, oldest first. */
export async function selectMessages(db: Db, sessionId: string, page: MessagePage): Promise<StoredMessage[]> {
  let query = db.selectFrom('messages').selectAll().where('session_id', '=', sessionId).where('on_path', '=', 1);
  if (page.after !== undefined) {
    return query.where('seq', '>', page.after).orderBy('seq').limit(page.limit).execute();
  }
  query = page.before === undefined ? query.where('seq', 'is not', null) : query.where('seq', '<', page.before);
  return (await query.orderBy('seq', 'desc').limit(page.limit).execute()).reverse();
}

/** Where a message stands; its words are not read. */
export type MessagePosition = Pick<StoredMessage, 'id' | 'parent_id' | 'on_path'> & { seq: number };

/** Every branch of a session, in order. */
export const selectPositions = statement<MessagePosition>(`SELECT id, parent_id, on_path, seq FROM messages
  WHERE session_id = ? AND seq IS NOT NULL ORDER BY seq`);

/** Messages of a session by their ids, in the order of the session. */
export function selectMessagesById(db: Db, sessionId: string, ids: readonly string[]): Promise<StoredMessage[]> {
  return selectGiven(db, JSON.stringify(ids), sessionId);
}

const selectGiven = statement<StoredMessage>(`SELECT messages.* FROM messages
  WHERE id IN (SELECT value FROM json_each(?)) AND session_id = ? AND seq IS NOT NULL ORDER BY seq`);

export function selectAllMessages(db: Db, sessionId: string): Promise<StoredMessage[]> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('seq', 'is not', null)
    .orderBy('seq')
    .execute();
}

/** Messages that wait, in the order in which their turns will be taken. */
export function selectQueuedMessages(db: Db, sessionId: string): Promise<StoredMessage[]> {
  return db
    .selectFrom('messages')
    .innerJoin('turns', 'turns.id', 'messages.turn_id')
    .selectAll('messages')
    .where('messages.session_id', '=', sessionId)
    .where('messages.seq', 'is', null)
    .where('turns.state', '=', 'queued')
    .orderBy('turns.queue_order')
    .execute();
}

/**
 * For each message of a session that has alternatives: all of them in order, of every speaker. Most have none, and only
 * what lies off the path is indexed by parent, so asking costs little and nothing is kept for the usual message.
 */
export async function selectSiblings(db: Db, messages: StoredMessage[]): Promise<Map<string, string[]>> {
  if (messages.length === 0) return new Map();
  const session = messages[0]!.session_id;
  const parents = new Set(messages.map((message) => message.parent_id));
  const aside = await selectAside(db, session, JSON.stringify([...parents]));
  if (parents.has(null)) aside.push(...(await selectOtherBeginnings(db, session)));
  const siblings = new Map<string, string[]>();
  for (const [parent, group] of Map.groupBy(aside, (link) => link.parent_id)) {
    const onPath = await selectNextOnPath(db, session, parent, session);
    const all = [...group, ...onPath.filter((link) => link.parent_id === parent)].sort((a, b) => a.seq - b.seq);
    if (all.length > 1)
      for (const { id } of all)
        siblings.set(
          id,
          all.map((link) => link.id),
        );
  }
  return siblings;
}

/** What lies off the path has a place: only what waits has none, and it is on the path to be. */
type Link = { id: string; parent_id: string | null; seq: number };

const selectAside = statement<Link>(`SELECT id, parent_id, seq FROM messages
  WHERE session_id = ? AND on_path = 0 AND parent_id IN (SELECT value FROM json_each(?))`);

const selectOtherBeginnings = statement<Link>(`SELECT id, parent_id, seq FROM messages
  WHERE session_id = ? AND on_path = 0 AND parent_id IS NULL`);

/** What follows a message on the path being shown, or begins it. */
const selectNextOnPath = statement<Link>(`SELECT id, parent_id, seq FROM messages
  WHERE session_id = ? AND on_path = 1 AND seq > coalesce((SELECT seq FROM messages WHERE id = ? AND session_id = ?), 0)
  ORDER BY seq LIMIT 1`);

/** How many messages are on the branch being shown. */
export async function countShown(db: Db, sessionId: string): Promise<number> {
  return (await countOnPath(db, sessionId))[0]!.count;
}

const countOnPath = statement<{ count: number }>(`SELECT count(*) AS count FROM messages
  WHERE session_id = ? AND on_path = 1 AND seq IS NOT NULL`);

/**
 * Takes everything after a place off the branch being shown. No message is deleted. Agents that own their context and know
 * something of what leaves the branch lose their state: they are shown the branch anew.
 */
export async function leavePath(db: Db, sessionId: string, afterSeq: number): Promise<number> {
  await deleteStatesBeyond(db, sessionId, afterSeq);
  const result = await db
    .updateTable('messages')
    .set({ on_path: 0 })
    .where('session_id', '=', sessionId)
    .where('on_path', '=', 1)
    .where('seq', '>', afterSeq)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Puts messages on the branch being shown; those that are on it already are left alone. */
export async function joinPath(db: Db, ids: readonly string[]): Promise<void> {
  await joinGiven(db, JSON.stringify(ids));
}

const joinGiven = statement(
  'UPDATE messages SET on_path = 1 WHERE id IN (SELECT value FROM json_each(?)) AND on_path = 0',
);

/** The newest compaction that stands for messages of the branch being shown. */
export function findCompaction(db: Db, sessionId: string): Promise<CompactionRow | undefined> {
  return db
    .selectFrom('compactions')
    .innerJoin('messages', 'messages.id', 'compactions.last_message_id')
    .selectAll('compactions')
    .where('compactions.session_id', '=', sessionId)
    .where('messages.on_path', '=', 1)
    .orderBy('compactions.upto_seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export function selectCompactions(db: Db, sessionId: string): Promise<CompactionRow[]> {
  return db.selectFrom('compactions').selectAll().where('session_id', '=', sessionId).orderBy('upto_seq').execute();
}

export async function insertCompaction(db: Db, row: CompactionRow): Promise<void> {
  await db.insertInto('compactions').values(row).execute();
}

/** Marks what a compaction stands for; attribution stays on every message. */
export async function archiveMessages(db: Db, sessionId: string, uptoSeq: number, compactionId: string) {
  await db
    .updateTable('messages')
    .set({ compaction_id: compactionId })
    .where('session_id', '=', sessionId)
    .where('on_path', '=', 1)
    .where('seq', '<=', uptoSeq)
    .where('compaction_id', 'is', null)
    .execute();
}

/** Every agent that has spoken on the branch being shown, archived messages included. */
export async function selectSpeakers(db: Db, sessionId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('messages')
    .select('agent_id')
    .distinct()
    .where('session_id', '=', sessionId)
    .where('on_path', '=', 1)
    .where('agent_id', 'is not', null)
    .execute();
  return rows.map((row) => row.agent_id!);
}

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
