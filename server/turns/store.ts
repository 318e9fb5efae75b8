import { sql, type Updateable } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { SessionStatus } from '../../contract/sessions.ts';
import { say } from '../../contract/texts.ts';
import type { Turn, TurnState } from '../../contract/turns.ts';
import type { StoredMessage } from '../sessions/message-store.ts';
import { type Connection, remember } from '../sessions/store.ts';
import { toTime } from '../sessions/views.ts';
import { insertion, statement } from '../storage/statement.ts';
import type { CompactionRow, MessageRow, PartialRow, SessionRow, TurnRequestRow, TurnRow } from '../storage/tables.ts';

export function toTurn(row: TurnRow): Turn {
  return {
    id: row.id,
    sessionId: row.session_id,
    agentId: row.agent_id,
    guest: row.guest === 1,
    state: row.state as TurnState,
    messageId: row.message_id,
    answerId: row.answer_id,
    parentTurnId: row.parent_turn_id,
    rootTurnId: row.root_turn_id,
    retryOf: row.retry_of,
    steeredInto: row.steered_at === null ? null : row.steer_into,
    stopReason: row.stop_reason,
    error: row.error ? JSON.parse(row.error) : null,
    usage: row.usage ? JSON.parse(row.usage) : null,
    createdAt: toTime(row.created_at),
    startedAt: toTime(row.started_at),
    endedAt: toTime(row.ended_at),
    waitedMs: row.waited_ms,
  };
}

/** Gives the turn the next number of its session. */
export async function insertTurn(db: Connection, row: TurnRow): Promise<void> {
  row.seq = ((await selectNewestSeq(db, row.session_id))[0]?.seq ?? 0) + 1;
  await insertTurnRow(db, row);
}

const selectNewestSeq = statement<Pick<TurnRow, 'seq'>>('SELECT max(seq) AS seq FROM turns WHERE session_id = ?');
const insertTurnRow = insertion<TurnRow>('turns');

export async function loadTurn(db: Connection, owner: string, id: string): Promise<TurnRow> {
  const row = await db
    .selectFrom('turns')
    .innerJoin('sessions', 'sessions.id', 'turns.session_id')
    .selectAll('turns')
    .where('turns.id', '=', id)
    .where('sessions.owner', '=', owner)
    .executeTakeFirst();
  if (!row) throw new AppError('turn_not_found', say('turn_not_found', { id }));
  return row;
}

export async function findTurn(db: Connection, id: string): Promise<TurnRow | undefined> {
  return (await selectTurn(db, id))[0];
}

const selectTurn = statement<TurnRow>('SELECT * FROM turns WHERE id = ?');

/** Newest first, by number: times and ids are out of order after the clock was set back. */
export function selectTurns(
  db: Connection,
  sessionId: string,
  limit: number,
  beforeSeq = Number.MAX_SAFE_INTEGER,
): Promise<TurnRow[]> {
  return selectPage(db, sessionId, beforeSeq, limit);
}

const selectPage = statement<TurnRow>('SELECT * FROM turns WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?');

/** Spelt out as in the indexes, which serve only the condition they were made with. */
const IS_QUEUED = sql<boolean>`state = 'queued'`;
const IS_RUNNING = sql<boolean>`state IN ('running','waiting')`;

/** What was done on behalf of a turn, in the order in which it was asked for. */
export const selectChildTurns = statement<TurnRow & { mode: string | null }>(`SELECT turns.*, delegations.mode
  FROM turns LEFT JOIN delegations ON delegations.turn_id = turns.id WHERE turns.parent_turn_id = ? ORDER BY turns.id`);

/** Turns that are not over and work for this session: for one of its turns, or for a turn that worked for one of them. */
export const selectOpenDelegatesOf = statement<TurnRow>(`WITH RECURSIVE work(id) AS (
    SELECT turn_id FROM delegations WHERE parent_session_id = ?
    UNION SELECT delegations.turn_id FROM work CROSS JOIN delegations ON delegations.parent_turn_id = work.id)
  SELECT turns.* FROM work CROSS JOIN turns ON turns.id = work.id WHERE turns.ended_at IS NULL ORDER BY turns.id`);

/** What the turns of one tree have used, as far as they are over. */
export const selectUsageOfRoot = statement<{ usage: string | null }>(
  `SELECT usage FROM turns WHERE id = ? AND ended_at IS NOT NULL
    UNION ALL SELECT usage FROM turns WHERE root_turn_id = ? AND ended_at IS NOT NULL`,
);

/** Turns that are not over: the running one, then those that wait, in the order in which they will be taken. */
export async function selectOpenTurns(db: Connection, sessionId: string): Promise<TurnRow[]> {
  const [running, queued] = [await selectRunning(db, sessionId), await selectQueued(db, sessionId)];
  return [...running, ...queued];
}

export const selectRunning =
  statement<TurnRow>(`SELECT * FROM turns WHERE session_id = ? AND state IN ('running','waiting')
  ORDER BY started_at, id`);
const selectQueued = statement<TurnRow>(
  `SELECT * FROM turns WHERE session_id = ? AND state = 'queued' ORDER BY queue_order`,
);

/** Usage is saved too: a turn that waits may outlive the process that counts it. */
export const updateTurnState = statement<Pick<TurnRow, 'waited_ms' | 'waiting_since'>>(`UPDATE turns SET
    state = ?1, usage = ?2,
    waited_ms = waited_ms + coalesce(CASE ?1 WHEN 'running' THEN max(0, ?4 - waiting_since) END, 0),
    waiting_since = CASE ?1 WHEN 'waiting' THEN ?4 END
  WHERE id = ?3 AND state IN ('running','waiting') AND state <> ?1 RETURNING waited_ms, waiting_since`);

export async function saveTurn(db: Connection, id: string, changes: Updateable<TurnRow>): Promise<void> {
  await db.updateTable('turns').set(changes).where('id', '=', id).execute();
}

export type TurnEnding = Pick<
  TurnRow,
  'state' | 'stop_reason' | 'error' | 'usage' | 'ended_at' | 'answer_id' | 'waited_ms' | 'waiting_since'
>;

/** Ends a turn unless it has ended: exactly one of several attempts succeeds. */
export async function endTurn(db: Connection, id: string, ending: TurnEnding): Promise<boolean> {
  const { state, stop_reason, error, usage, ended_at, answer_id, waited_ms } = ending;
  return (await updateOpenTurn(db, state, stop_reason, error, usage, ended_at, answer_id, waited_ms, id)).length === 1;
}

const updateOpenTurn = statement<{ id: string }>(
  `UPDATE turns SET state = ?, stop_reason = ?, error = ?, usage = ?, ended_at = ?, answer_id = ?,
    waited_ms = ?, waiting_since = NULL
    WHERE id = ? AND state IN ('queued','running','waiting') RETURNING id`,
);

export async function deleteTurn(db: Connection, id: string): Promise<void> {
  await db.deleteFrom('turns').where('id', '=', id).execute();
}

/** The turns of every agent that one message addressed when it was sent, in the order in which they answer. */
export const selectAddressed = statement<TurnRow>(`SELECT * FROM turns
  WHERE session_id = ? AND created_at = ? AND message_id = ? AND retry_of IS NULL ORDER BY id`);

export async function selectUnownedTurns(db: Connection): Promise<TurnRow[]> {
  const rows = await db.selectFrom('turns').selectAll().where(IS_RUNNING).execute();
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Turns given as a JSON list, and those that wait for one of them, whether or not they had time to write that down. */
export const selectWithCallers = statement<{ id: string }>(`WITH RECURSIVE held(id) AS (
    SELECT value FROM json_each(?)
    UNION SELECT parent_turn_id FROM delegations JOIN held ON held.id = delegations.turn_id WHERE mode = 'sync')
  SELECT id FROM held`);

export async function selectSessionsWithQueue(db: Connection): Promise<string[]> {
  const rows = await db.selectFrom('turns').select('session_id').distinct().where(IS_QUEUED).execute();
  return rows.map((row) => row.session_id);
}

export async function countQueued(db: Connection): Promise<number> {
  const row = await db
    .selectFrom('turns')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(IS_QUEUED)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function loadSessionRow(db: Connection, id: string): Promise<SessionRow | undefined> {
  return remember((await selectSession(db, id))[0]);
}

const selectSession = statement<SessionRow>('SELECT * FROM sessions WHERE id = ?');

export async function findMessageAt(db: Connection, sessionId: string, seq: number): Promise<string | undefined> {
  return (await selectMessageAt(db, sessionId, seq))[0]?.id;
}

const selectMessageAt = statement<{ id: string }>('SELECT id FROM messages WHERE session_id = ? AND seq = ?');

export async function findMessage(db: Connection, id: string): Promise<StoredMessage | undefined> {
  return (await selectMessage(db, id))[0];
}

const selectMessage = statement<StoredMessage>('SELECT * FROM messages WHERE id = ?');

export async function updateMessage(db: Connection, id: string, changes: Updateable<MessageRow>): Promise<void> {
  await db.updateTable('messages').set(changes).where('id', '=', id).execute();
}

/** A message and everything before it on its branch, oldest first, from a place on. */
export async function selectAncestry(db: Connection, messageId: string, afterSeq: number): Promise<StoredMessage[]> {
  const rows = await sql<StoredMessage>`
    WITH RECURSIVE line(id) AS (
      SELECT id FROM messages WHERE id = ${messageId}
      UNION ALL
      SELECT messages.parent_id FROM messages JOIN line ON messages.id = line.id
      WHERE messages.parent_id IS NOT NULL AND messages.seq > ${afterSeq})
    SELECT messages.* FROM messages JOIN line ON messages.id = line.id
    WHERE messages.seq > ${afterSeq} ORDER BY messages.seq`.execute(db);
  return rows.rows;
}

/** Pieces of any number of turns in one statement, always the same one: a flush costs little however many speak. */
export async function insertPartials(db: Connection, rows: PartialRow[]): Promise<void> {
  if (rows.length === 0) return;
  const values = JSON.stringify(rows.map((row) => [row.turn_id, row.ord, row.part, row.kind, row.text]));
  await insertPartialRows(db, values);
}

const insertPartialRows = statement(`INSERT INTO partials (turn_id, ord, part, kind, text)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)
  WHERE EXISTS (SELECT 1 FROM turns WHERE turns.id = value ->> 0)`);

export function selectPartials(db: Connection, turnId: string): Promise<PartialRow[]> {
  return db.selectFrom('partials').selectAll().where('turn_id', '=', turnId).orderBy('ord').execute();
}

export const deletePartials = statement('DELETE FROM partials WHERE turn_id = ?');

export async function deleteOrphanPartials(db: Connection): Promise<void> {
  const running = db.selectFrom('turns').select('id').where(IS_RUNNING);
  await db.deleteFrom('partials').where('turn_id', 'not in', running).execute();
}

/** The summaries that there were at a moment, the furthest first; those of other branches are among them. */
export function selectCompactionsUntil(db: Connection, sessionId: string, at: number): Promise<CompactionRow[]> {
  return db
    .selectFrom('compactions')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('created_at', '<=', at)
    .orderBy('upto_seq', 'desc')
    .execute();
}

/** What was said in a turn, added to it, and done for it in its session, in order. */
export const selectDuring = (db: Connection, turn: TurnRow, at: number): Promise<StoredMessage[]> =>
  selectMessagesDuring(db, turn.session_id, turn.message_id, turn.id, turn.id, at, turn.id);

const selectMessagesDuring = statement<StoredMessage>(`SELECT messages.* FROM messages
    JOIN turns ON turns.id = messages.turn_id
  WHERE messages.session_id = ? AND messages.seq > (SELECT seq FROM messages WHERE id = ?)
    AND ((turns.id = ? AND messages.role <> 'user') OR (turns.steer_into = ? AND turns.steered_at <= ?)
      OR turns.nested_in = ?)
  ORDER BY messages.seq`);

/** A session may be wiped while its turn speaks: nothing about the turn may come to the disk after that. */
export async function insertRequests(db: Connection, rows: NotedRequest[]): Promise<void> {
  if (rows.length === 0) return;
  for (const [hash, [first, ...others]] of Map.groupBy(rows, (row) => row.text_hash)) {
    const turnIds = [first!, ...others].map((row) => row.turn_id);
    await insertText(db, hash, first!.text, JSON.stringify(turnIds));
  }
  const values = rows.map((row) => [row.turn_id, row.step, row.at, row.request, row.text_hash]);
  await insertRequestRows(db, JSON.stringify(values));
}

/** The same for requests of turns that are known to exist. */
export async function insertRequestsOfTurn(db: Connection, rows: readonly NotedRequest[]): Promise<void> {
  for (const { text, ...row } of rows) {
    await insertKnownText(db, row.text_hash, text);
    await insertRequestRow(db, row);
  }
}

const insertKnownText = statement('INSERT INTO request_texts (hash, text) VALUES (?, ?) ON CONFLICT DO NOTHING');
const insertRequestRow = insertion<TurnRequestRow>('turn_requests');

/** A request with its prompt and tools, which are stored once however many requests have them. */
export interface NotedRequest extends TurnRequestRow {
  text: string;
}

const insertText = statement(`INSERT INTO request_texts (hash, text) SELECT ?, ?
  WHERE EXISTS (SELECT 1 FROM turns WHERE id IN (SELECT value FROM json_each(?))) ON CONFLICT DO NOTHING`);

const insertRequestRows = statement(`INSERT INTO turn_requests (turn_id, step, at, request, text_hash)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)
  WHERE EXISTS (SELECT 1 FROM turns WHERE turns.id = value ->> 0)`);

export const selectRequests = statement<TurnRequestRow & { text: string | null }>(`SELECT turn_requests.*, text
  FROM turn_requests LEFT JOIN request_texts ON hash = text_hash WHERE turn_id = ? ORDER BY step`);

/** Of the oldest requests, at most `limit`: deletes those built before a moment. Returns how many it deleted. */
export async function deleteOldRequests(db: Connection, before: number, limit: number): Promise<number> {
  return (await deleteOldRequestRows(db, limit, before)).length;
}

// Ids of turns sort by time, so the oldest requests come first in the primary key.
const deleteOldRequestRows = statement<{ turn_id: string }>(`DELETE FROM turn_requests WHERE (turn_id, step) IN (
  SELECT turn_id, step FROM (
    SELECT turn_id, step, at FROM turn_requests WHERE turn_id > '' ORDER BY turn_id, step LIMIT ?) WHERE at < ?)
  RETURNING turn_id`);

/** A session's status, from its turns and nothing else. */
export async function computeStatus(db: Connection, session: SessionRow): Promise<SessionStatus> {
  const last = await findLastEnded(db, session.id);
  if (last) return statusWithout(db, session, last);
  return (await statusOfOpen(db, session)) ?? (session.message_count > 0 ? 'active' : 'idle');
}

function findLastEnded(db: Connection, sessionId: string): Promise<TurnRow | undefined> {
  return db
    .selectFrom('turns')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('ended_at', 'is not', null)
    .orderBy('ended_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The same, when it is known which turn was the last to end. */
export async function statusWithout(db: Connection, session: SessionRow, ended: TurnRow): Promise<SessionStatus> {
  return (await statusOfOpen(db, session)) ?? statusAfter(ended.state as TurnState, session);
}

async function statusOfOpen(db: Connection, session: SessionRow): Promise<SessionStatus | null> {
  const open = await selectOpenTurns(db, session.id);
  if (open.some((turn) => turn.state === 'waiting')) return 'waiting';
  return open.length > 0 ? 'working' : null;
}

export function statusAfter(last: TurnState, session: SessionRow): SessionStatus {
  switch (last) {
    case 'failed':
      return 'error';
    case 'interrupted':
      return 'paused';
    case 'complete':
    case 'cancelled':
      return session.type === 'tool-execution' ? 'completed' : 'active';
    default:
      return 'working';
  }
}
