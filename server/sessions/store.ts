import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { SessionListQuery } from '../../contract/sessions.ts';
import type { CompactionRow, MessageRow, SessionRow, Tables } from '../storage/tables.ts';
import { searchTags } from './search-tag.ts';

export type Connection = Kysely<Tables> | Transaction<Tables>;
export type StoredMessage = Selectable<MessageRow>;

/** Loads through the owner: what belongs to somebody else does not exist. */
export async function loadSession(db: Connection, owner: string, id: string): Promise<SessionRow> {
  const row = await findSession(db, owner, id);
  if (!row) throw new AppError('session_not_found', `There is no session ${id}.`);
  return row;
}

export async function findSession(db: Connection, owner: string, id: string): Promise<SessionRow | undefined> {
  const query = db.selectFrom('sessions').selectAll().where('id', '=', id).where('owner', '=', owner);
  return remember(await query.executeTakeFirst());
}

export function findSessionByName(db: Connection, owner: string, name: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('owner', '=', owner).where('name', '=', name).executeTakeFirst();
}

export function findSessionByKey(db: Connection, owner: string, agentId: string, sender: string) {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('owner', '=', owner)
    .where('key_agent_id', '=', agentId)
    .where('sender', '=', sender)
    .executeTakeFirst();
}

export function findLatestSession(db: Connection, owner: string, agentId: string): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('owner', '=', owner)
    .where('agent_id', '=', agentId)
    .orderBy('updated_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function isSessionIdTaken(db: Connection, id: string): Promise<boolean> {
  return (await db.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

export async function insertSession(db: Connection, row: SessionRow): Promise<void> {
  await db.insertInto('sessions').values(row).execute();
  remember(row);
}

/** What a row was when it came from the database, so that saving it writes, and indexes, only what changed. */
const stored = new WeakMap<SessionRow, SessionRow>();

export function remember<Row extends SessionRow | undefined>(row: Row): Row {
  if (row) stored.set(row, { ...row });
  return row;
}

export async function saveSession(db: Connection, row: SessionRow): Promise<void> {
  const before = stored.get(row);
  const changes: Partial<SessionRow> = {};
  for (const column of Object.keys(row) as (keyof SessionRow)[]) {
    if (before?.[column] !== row[column]) Object.assign(changes, { [column]: row[column] });
  }
  if (Object.keys(changes).length === 0) return;
  await db.updateTable('sessions').set(changes).where('id', '=', row.id).execute();
  if (before) Object.assign(before, changes);
}

export interface SessionPage {
  after?: { lastActivityAt: number; id: string };
  limit: number;
}

export function selectSessions(db: Connection, owner: string, filter: SessionListQuery, page: SessionPage) {
  let query = db.selectFrom('sessions').selectAll().where('owner', '=', owner);
  query = filter.archived ? query.where('archived_at', 'is not', null) : query.where('archived_at', 'is', null);
  if (filter.type) query = query.where('type', '=', filter.type);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.folder) query = query.where('folder', '=', filter.folder);
  if (filter.name) query = query.where('name', '=', filter.name);
  if (filter.parent) query = query.where('parent_session_id', '=', filter.parent);
  if (filter.pinned !== undefined) query = query.where('pinned_at', filter.pinned ? 'is not' : 'is', null);
  if (filter.agent) query = query.where(hasAgent(filter.agent));
  const { after } = page;
  if (after) query = query.where(sql<boolean>`(last_activity_at, id) < (${after.lastActivityAt}, ${after.id})`);
  return query.orderBy('last_activity_at', 'desc').orderBy('id', 'desc').limit(page.limit).execute();
}

function hasAgent(agentId: string) {
  return sql<boolean>`EXISTS (SELECT 1 FROM session_agents
    WHERE session_agents.session_id = sessions.id AND session_agents.agent_id = ${agentId})`;
}

export async function addSessionAgent(db: Connection, sessionId: string, agentId: string, spokeAt: number | null) {
  await db
    .insertInto('session_agents')
    .values({ session_id: sessionId, agent_id: agentId, spoke_at: spokeAt })
    .onConflict((conflict) =>
      conflict.columns(['session_id', 'agent_id']).doUpdateSet({
        spoke_at: sql`coalesce(excluded.spoke_at, session_agents.spoke_at)`,
      }),
    )
    .execute();
}

/**
 * Everything of a session except its row: messages, search index, turns, events, requests. The index comes last: to
 * forget takes room there, and on a full disk the only room is what the rows have just left.
 */
export async function deleteSessionContents(db: Connection, sessionId: string): Promise<void> {
  const turns = db.selectFrom('turns').select('id').where('session_id', '=', sessionId);
  const indexed = await sql<{ rids: string }>`SELECT json_group_array(rid) AS rids FROM messages
    WHERE session_id = ${sessionId}`.execute(db);
  await db.deleteFrom('turn_requests').where('turn_id', 'in', turns).execute();
  await db.deleteFrom('partials').where('turn_id', 'in', turns).execute();
  await db.deleteFrom('turns').where('session_id', '=', sessionId).execute();
  await db.deleteFrom('messages').where('session_id', '=', sessionId).execute();
  await db.deleteFrom('compactions').where('session_id', '=', sessionId).execute();
  await db.deleteFrom('session_agents').where('session_id', '=', sessionId).execute();
  await db.deleteFrom('events').where('session_id', '=', sessionId).execute();
  const { rids = '[]' } = indexed.rows[0] ?? {};
  await sql`DELETE FROM messages_fts WHERE rowid IN (SELECT value FROM json_each(${rids}))`.execute(db);
}

export async function deleteSessionRow(db: Connection, sessionId: string): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', sessionId).execute();
}

export function selectChildren(db: Connection, sessionId: string): Promise<SessionRow[]> {
  return db.selectFrom('sessions').selectAll().where('parent_session_id', '=', sessionId).execute();
}

/** The number of the newest event that is left of an id: of a deleted session, the one that says so. */
export async function lastNumberOf(db: Connection, sessionId: string): Promise<number> {
  const newest = db.selectFrom('events').select('seq').where('session_id', '=', sessionId).orderBy('seq', 'desc');
  return (await newest.limit(1).executeTakeFirst())?.seq ?? 0;
}

export async function insertMessage(db: Connection, row: Insertable<MessageRow>): Promise<void> {
  const inserted = await db.insertInto('messages').values(row).returning('rid').executeTakeFirstOrThrow();
  await indexMessage(db, inserted.rid, row);
}

/** Words and, as tokens of their own, what searches filter by: who said it and where. */
async function indexMessage(db: Connection, rid: number, row: Insertable<MessageRow>): Promise<void> {
  if (!row.text) return;
  await sql`INSERT INTO messages_fts (rowid, text, tags) VALUES (${rid}, ${row.text}, ${searchTags(row)})`.execute(db);
}

export async function reindexMessage(db: Connection, id: string): Promise<void> {
  const row = await db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  await sql`DELETE FROM messages_fts WHERE rowid = ${row.rid}`.execute(db);
  await indexMessage(db, row.rid, row);
}

export async function deleteMessage(db: Connection, id: string): Promise<void> {
  await sql`DELETE FROM messages_fts WHERE rowid IN (SELECT rid FROM messages WHERE id = ${id})`.execute(db);
  await db.deleteFrom('messages').where('id', '=', id).execute();
}

export async function loadMessage(db: Connection, owner: string, id: string): Promise<StoredMessage> {
  const row = await db
    .selectFrom('messages')
    .innerJoin('sessions', 'sessions.id', 'messages.session_id')
    .selectAll('messages')
    .where('messages.id', '=', id)
    .where('sessions.owner', '=', owner)
    .executeTakeFirst();
  if (!row) throw new AppError('message_not_found', `There is no message ${id}.`);
  return row;
}

export interface MessagePage {
  before?: number | undefined;
  after?: number | undefined;
  limit: number;
}

/** A page of the branch being shown, oldest first. */
export async function selectMessages(db: Connection, sessionId: string, page: MessagePage): Promise<StoredMessage[]> {
  let query = db.selectFrom('messages').selectAll().where('session_id', '=', sessionId).where('on_path', '=', 1);
  if (page.after !== undefined) {
    return query.where('seq', '>', page.after).orderBy('seq').limit(page.limit).execute();
  }
  query = page.before === undefined ? query.where('seq', 'is not', null) : query.where('seq', '<', page.before);
  return (await query.orderBy('seq', 'desc').limit(page.limit).execute()).reverse();
}

export function selectAllMessages(db: Connection, sessionId: string): Promise<StoredMessage[]> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('seq', 'is not', null)
    .orderBy('seq')
    .execute();
}

/** Messages that wait, in the order in which their turns will be taken. */
export function selectQueuedMessages(db: Connection, sessionId: string): Promise<StoredMessage[]> {
  return db
    .selectFrom('messages')
    .innerJoin('turns', 'turns.message_id', 'messages.id')
    .selectAll('messages')
    .where('messages.session_id', '=', sessionId)
    .where('messages.seq', 'is', null)
    .where('turns.state', '=', 'queued')
    .orderBy('turns.queue_order')
    .execute();
}

/** For each message of a session that has alternatives: all of them in order. The first message may have some too. */
export async function selectSiblings(db: Connection, messages: StoredMessage[]): Promise<Map<string, string[]>> {
  const parents = [...new Set(messages.map((message) => message.parent_id).filter((id) => id !== null))];
  const first = messages.find((message) => message.parent_id === null);
  const placed = db.selectFrom('messages').select(['id', 'parent_id']).where('seq', 'is not', null);
  const rows = parents.length > 0 ? await placed.where('parent_id', 'in', parents).orderBy('seq').execute() : [];
  if (!first) return groupSiblings(rows);
  const beginnings = placed.where('session_id', '=', first.session_id).where('parent_id', 'is', null);
  return groupSiblings([...rows, ...(await beginnings.orderBy('seq').execute())]);
}

/** Whoever spoke: after a turn without an answer, one branch goes on with the person and another with the agent. */
function groupSiblings(rows: { id: string; parent_id: string | null }[]): Map<string, string[]> {
  const groups = Map.groupBy(rows, (row) => row.parent_id);
  const siblings = new Map<string, string[]>();
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    const ids = group.map((row) => row.id);
    for (const id of ids) siblings.set(id, ids);
  }
  return siblings;
}

/** Takes everything after a place off the branch being shown. Nothing is deleted. */
export async function leavePath(db: Connection, sessionId: string, afterSeq: number): Promise<number> {
  const result = await db
    .updateTable('messages')
    .set({ on_path: 0 })
    .where('session_id', '=', sessionId)
    .where('on_path', '=', 1)
    .where('seq', '>', afterSeq)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

export async function joinPath(db: Connection, ids: string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += 500) {
    await db
      .updateTable('messages')
      .set({ on_path: 1 })
      .where('id', 'in', ids.slice(start, start + 500))
      .execute();
  }
}

/** The newest compaction that stands for messages of the branch being shown. */
export function findCompaction(db: Connection, sessionId: string): Promise<CompactionRow | undefined> {
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

export function selectCompactions(db: Connection, sessionId: string): Promise<CompactionRow[]> {
  return db.selectFrom('compactions').selectAll().where('session_id', '=', sessionId).orderBy('upto_seq').execute();
}

export async function insertCompaction(db: Connection, row: CompactionRow): Promise<void> {
  await db.insertInto('compactions').values(row).execute();
}

/** Marks what a compaction stands for; attribution stays on every message. */
export async function archiveMessages(db: Connection, sessionId: string, uptoSeq: number, compactionId: string) {
  await db
    .updateTable('messages')
    .set({ compaction_id: compactionId })
    .where('session_id', '=', sessionId)
    .where('on_path', '=', 1)
    .where('seq', '<=', uptoSeq)
    .where('compaction_id', 'is', null)
    .execute();
}

/** Everyone who has spoken on the branch being shown, archived messages included. */
export async function selectSpeakers(db: Connection, sessionId: string): Promise<string[]> {
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
