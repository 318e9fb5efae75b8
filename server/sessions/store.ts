import { type Kysely, sql, type Transaction } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { SessionListQuery } from '../../contract/sessions.ts';
import { statement } from '../storage/statement.ts';
import type { SessionRow, Tables } from '../storage/tables.ts';

export type Connection = Kysely<Tables> | Transaction<Tables>;

/** Loads through the owner: what belongs to somebody else does not exist. */
export async function loadSession(db: Connection, owner: string, id: string): Promise<SessionRow> {
  const row = await findSession(db, owner, id);
  if (!row) throw new AppError('session_not_found', `There is no session ${id}.`);
  return row;
}

export async function findSession(db: Connection, owner: string, id: string): Promise<SessionRow | undefined> {
  return remember((await selectOwned(db, id, owner))[0]);
}

const selectOwned = statement<SessionRow>('SELECT * FROM sessions WHERE id = ? AND owner = ?');

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
  const changed = (Object.keys(row) as (keyof SessionRow)[]).filter((column) => before?.[column] !== row[column]);
  if (changed.length === 0) return;
  const text = `UPDATE sessions SET ${changed.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`;
  await statement(text)(db, ...changed.map((column) => row[column]), row.id);
  if (before) for (const column of changed) Object.assign(before, { [column]: row[column] });
}

export interface SessionPage {
  after?: { lastActivityAt: number; id: string };
  limit: number;
}

/** What a session shows of itself; the rest is bookkeeping. */
export type ShownSession = Omit<SessionRow, 'owner' | 'key_agent_id' | 'message_seq' | 'event_floor'>;

const SHOWN = [
  'id, type, status, agent_id, sender, name, title, folder, parent_session_id, forked_from_session_id',
  'forked_from_message_id, head_id, event_seq, message_count, queued_count, unread_count, snippet, agents',
  'working_for_session_id, mode, attributes, pinned_at, archived_at, created_at, updated_at, last_activity_at',
].join(', ');

/** A page by newest activity. Plain text, so that the index serves it and a list costs little more than its rows. */
export function selectSessions(
  db: Connection,
  owner: string,
  filter: SessionListQuery,
  page: SessionPage,
): Promise<ShownSession[]> {
  const conditions = ['owner = ?', filter.archived ? 'archived_at IS NOT NULL' : 'archived_at IS NULL'];
  const parameters: unknown[] = [owner];
  const add = (condition: string, ...values: unknown[]) => {
    conditions.push(condition);
    parameters.push(...values);
  };
  if (filter.type) add('type = ?', filter.type);
  if (filter.status) add('status = ?', filter.status);
  if (filter.folder) add('folder = ?', filter.folder);
  if (filter.name) add('name = ?', filter.name);
  if (filter.parent) add('parent_session_id = ?', filter.parent);
  if (filter.pinned !== undefined) add(`pinned_at IS ${filter.pinned ? 'NOT NULL' : 'NULL'}`);
  if (filter.agent) add(HAS_AGENT, filter.agent);
  if (page.after) add('(last_activity_at, id) < (?, ?)', page.after.lastActivityAt, page.after.id);
  const where = conditions.join(' AND ');
  const text = `SELECT ${SHOWN} FROM sessions WHERE ${where} ORDER BY last_activity_at DESC, id DESC LIMIT ?`;
  return statement<ShownSession>(text)(db, ...parameters, page.limit);
}

const HAS_AGENT = `EXISTS (SELECT 1 FROM session_agents
  WHERE session_agents.session_id = sessions.id AND session_agents.agent_id = ?)`;

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
  await db.deleteFrom('extensions').where('root_turn_id', 'in', turns).execute();
  await db.deleteFrom('turns').where('session_id', '=', sessionId).execute();
  await db.deleteFrom('tool_calls').where('session_id', '=', sessionId).execute();
  await db.deleteFrom('actions').where('session_id', '=', sessionId).execute();
  await db.deleteFrom('grants').where('session_id', '=', sessionId).execute();
  await db.deleteFrom('delegations').where('session_id', '=', sessionId).execute();
  await db.deleteFrom('message_files').where('session_id', '=', sessionId).execute();
  await db.deleteFrom('shares').where('session_id', '=', sessionId).execute();
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
