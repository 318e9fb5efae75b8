import { AppError } from '../../contract/errors.ts';
import type { SessionListQuery, SessionWorkspace } from '../../contract/sessions.ts';
import { say } from '../../contract/texts.ts';
import { ChangedColumns } from '../storage/changed-columns.ts';
import { statement } from '../storage/statement.ts';
import type { Db, SessionRow } from '../storage/tables.ts';
import { deleteDetachedPiece, detachContents } from './detached-store.ts';

export type { Db as Connection } from '../storage/tables.ts';

/** Loads through the owner: a session of another owner does not exist. */
export async function loadSession(db: Db, owner: string, id: string): Promise<SessionRow> {
  const row = await findSession(db, owner, id);
  if (!row) throw new AppError('session_not_found', say('session_not_found', { id }));
  return row;
}

export async function findSession(db: Db, owner: string, id: string): Promise<SessionRow | undefined> {
  return remember((await selectOwned(db, id, owner))[0]);
}

const selectOwned = statement<SessionRow>('SELECT * FROM sessions WHERE id = ? AND owner = ?');

export function findSessionByName(db: Db, owner: string, name: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('owner', '=', owner).where('name', '=', name).executeTakeFirst();
}

export function findSessionByKey(db: Db, owner: string, agentId: string, sender: string) {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('owner', '=', owner)
    .where('key_agent_id', '=', agentId)
    .where('sender', '=', sender)
    .executeTakeFirst();
}

/**
 * Of the sessions of an agent and a sender, those in which a turn, or work elsewhere that one of their turns led to, is
 * not over.
 */
export const selectBusyOf = statement<{ id: string }>(`SELECT id FROM sessions
  WHERE owner = ?1 AND sender = ?2 AND (agent_id = ?3 OR key_agent_id = ?3)
    AND (EXISTS (SELECT 1 FROM turns WHERE turns.session_id = sessions.id AND turns.ended_at IS NULL)
      OR EXISTS (SELECT 1 FROM delegations JOIN turns ON turns.id = delegations.turn_id
        WHERE delegations.parent_session_id = sessions.id AND turns.ended_at IS NULL)
      OR EXISTS (SELECT 1 FROM turns AS root JOIN turns AS work ON work.root_turn_id = root.id
        WHERE root.session_id = sessions.id AND work.ended_at IS NULL))
  ORDER BY id`);

export function findLatestSession(db: Db, owner: string, agentId: string): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('owner', '=', owner)
    .where('agent_id', '=', agentId)
    .where('delegated_from_session_id', 'is', null)
    .where('archived_at', 'is', null)
    .orderBy('last_activity_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function isSessionIdTaken(db: Db, id: string): Promise<boolean> {
  return (await selectTaken(db, id)).length > 0;
}

export type ScratchSession = Pick<SessionRow, 'id' | 'owner' | 'agent_id' | 'last_activity_at'>;

/** Those that only try an agent or a team, the one that was left alone for longest first. */
export const selectScratch = statement<ScratchSession>(`SELECT id, owner, agent_id, last_activity_at
  FROM sessions WHERE json_type(attributes, '$.scratch') = 'true' ORDER BY last_activity_at`);

/** Also while there is something left of a session that was deleted. */
const selectTaken = statement(
  'SELECT id FROM sessions WHERE id = ?1 UNION ALL SELECT session_id FROM detached_contents WHERE session_id = ?1',
);

export async function insertSession(db: Db, row: SessionRow): Promise<void> {
  await db.insertInto('sessions').values(row).execute();
  remember(row);
}

const rows = new ChangedColumns<SessionRow>('sessions', 'id');

export function remember<Row extends SessionRow | undefined>(row: Row): Row {
  if (row) rows.remember(row);
  return row;
}

export function saveSession(db: Db, row: SessionRow): Promise<void> {
  return rows.save(db, row);
}

export interface SessionPage {
  after?: { lastActivityAt: number; id: string };
  limit: number;
}

/** What a session shows of itself; the rest is bookkeeping. */
export type ShownSession = Omit<SessionRow, 'owner' | 'key_agent_id' | 'message_seq' | 'event_floor'>;

const SHOWN = [
  'id, type, status, agent_id, sender, name, title, folder, parent_session_id, forked_from_session_id',
  'forked_from_message_id, head_id, event_seq, message_count, queued_count, unread_count, snippet, snippet_speaker, agents',
  'working_for_session_id, delegated_from_session_id, mode, workspace, team, attributes, pinned_at, archived_at, created_at, updated_at, last_activity_at',
].join(', ');

/** A page by newest activity. Plain text, so that the index serves it and a list costs little more than its rows. */
export function selectSessions(
  db: Db,
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

export async function addSessionAgent(db: Db, sessionId: string, agentId: string, spokeAt: number | null) {
  await upsertSessionAgent(db, sessionId, agentId, spokeAt);
}

const upsertSessionAgent = statement(`INSERT INTO session_agents (session_id, agent_id, spoke_at) VALUES (?, ?, ?)
  ON CONFLICT (session_id, agent_id) DO UPDATE SET spoke_at = coalesce(excluded.spoke_at, session_agents.spoke_at)`);

/** Deletes everything of a session except its row, in one transaction. A running turn is stopped after it. */
export async function deleteSessionContents(db: Db, session: SessionRow): Promise<void> {
  await deleteAttached(db, session.id);
  await detachContents(db, session.id, session.event_seq);
  while (await deleteDetachedPiece(db, session.id));
}

/**
 * Deletes the row of a session with everything that is found otherwise than through it: what waits, links, questions. The
 * rest is no longer shown and is deleted piece by piece.
 */
export async function detachSession(db: Db, session: SessionRow): Promise<void> {
  const open = db.selectFrom('turns').select('id').where('session_id', '=', session.id).where('ended_at', 'is', null);
  await db.deleteFrom('turn_requests').where('turn_id', 'in', open).execute();
  await db.deleteFrom('partials').where('turn_id', 'in', open).execute();
  await db.deleteFrom('extensions').where('root_turn_id', 'in', open).execute();
  await db.deleteFrom('turns').where('session_id', '=', session.id).where('ended_at', 'is', null).execute();
  await deleteAttached(db, session.id);
  await db.deleteFrom('sessions').where('id', '=', session.id).execute();
}

/** What refers to a session from elsewhere. */
async function deleteAttached(db: Db, sessionId: string): Promise<void> {
  for (const table of ['actions', 'grants', 'delegations', 'message_files', 'shares', 'push_configs'] as const)
    await db.deleteFrom(table).where('session_id', '=', sessionId).execute();
}

/**
 * A session with every session that goes when it is deleted: those in which its tools work, and those made for work that it
 * delegated, directly or further down. A session made for delegated work stays when the person has written in it, or when
 * a session that stays has delegated to it, too.
 */
export async function selectWithDescendants(db: Db, sessionId: string): Promise<string[]> {
  const staying = new Set<string>();
  for (;;) {
    const below = await selectBelow(db, sessionId, JSON.stringify([...staying]));
    const ids = below.map(({ id }) => id);
    const used = await selectUsedElsewhere(db, JSON.stringify(ids));
    if (used.length === 0) return ids;
    for (const { id } of used) staying.add(id);
  }
}

const selectBelow = statement<{ id: string }>(`WITH RECURSIVE below(id) AS (
    VALUES (?1)
    UNION SELECT sessions.id FROM below CROSS JOIN sessions ON sessions.parent_session_id = below.id
    UNION SELECT sessions.id FROM below CROSS JOIN sessions ON sessions.delegated_from_session_id = below.id
      WHERE sessions.id NOT IN (SELECT value FROM json_each(?2)) AND NOT EXISTS (SELECT 1 FROM messages
        WHERE messages.session_id = sessions.id AND messages.role = 'user' AND messages.agent_id IS NULL))
  SELECT id FROM below`);

/** Of these sessions, those made for delegated work to which a session elsewhere has delegated. */
const selectUsedElsewhere = statement<{ id: string }>(`SELECT sessions.id FROM json_each(?1) AS given
    CROSS JOIN sessions ON sessions.id = given.value
  WHERE given.key > 0 AND sessions.delegated_from_session_id IS NOT NULL AND EXISTS (SELECT 1 FROM delegations
    JOIN sessions AS caller ON caller.id = delegations.parent_session_id
    WHERE delegations.session_id = sessions.id AND caller.id NOT IN (SELECT value FROM json_each(?1)))`);

/** Sessions made for work that these sessions delegated, which stay: each with another session that delegated to it. */
export const selectMadeFor = statement<SessionRow & { other_caller: string | null }>(`SELECT sessions.*,
    (SELECT caller.id FROM delegations JOIN sessions AS caller ON caller.id = delegations.parent_session_id
      WHERE delegations.session_id = sessions.id AND caller.id <> sessions.id ORDER BY caller.id LIMIT 1) AS other_caller
  FROM sessions WHERE delegated_from_session_id IN (SELECT value FROM json_each(?))`);

/** The sessions in which tools of this session work or have worked. */
export async function selectToolSessions(db: Db, sessionId: string): Promise<string[]> {
  return (await selectTools(db, sessionId)).map(({ id }) => id);
}

const selectTools = statement<{ id: string }>(
  `SELECT id FROM sessions WHERE parent_session_id = ? AND type = 'tool-execution'`,
);

/** The number of the newest event that is left of an id: of a deleted session, the one that says so. */
export async function lastNumberOf(db: Db, sessionId: string): Promise<number> {
  const newest = db.selectFrom('events').select('seq').where('session_id', '=', sessionId).orderBy('seq', 'desc');
  return (await newest.limit(1).executeTakeFirst())?.seq ?? 0;
}

/** The folder that the person chose for a session, or for the nearest of the sessions that it works for. */
export async function findWorkspace(
  db: Db,
  sessionId: string,
): Promise<{ sessionId: string; workspace: SessionWorkspace } | null> {
  const [found] = await selectWorkspace(db, sessionId);
  return found ? { sessionId: found.id, workspace: JSON.parse(found.workspace) } : null;
}

const selectWorkspace = statement<{
  id: string;
  workspace: string;
}>(`WITH RECURSIVE above(id, workspace, caller, depth) AS (
    SELECT id, workspace, coalesce(delegated_from_session_id, parent_session_id), 0 FROM sessions WHERE id = ?
    UNION ALL SELECT sessions.id, sessions.workspace,
      coalesce(sessions.delegated_from_session_id, sessions.parent_session_id), above.depth + 1
    FROM above JOIN sessions ON sessions.id = above.caller WHERE above.workspace IS NULL AND above.depth < 32)
  SELECT id, workspace FROM above WHERE workspace IS NOT NULL LIMIT 1`);

/** A session keeps the time at which it began, wherever that was. */
export async function backdateSession(db: Db, sessionId: string, createdAt: number): Promise<void> {
  await db.updateTable('sessions').set({ created_at: createdAt }).where('id', '=', sessionId).execute();
}
