import type { Connection } from '../sessions/store.ts';
import { statement } from '../storage/statement.ts';
import type { DelegationRow, MessageRow, SessionRow, TurnRow } from '../storage/tables.ts';

/** What a message is to the others; its words are not read. */
export type Outline = Pick<
  MessageRow,
  'id' | 'parent_id' | 'turn_id' | 'role' | 'agent_id' | 'on_path' | 'compaction_id'
> & { seq: number };

/** Every branch of a session, in order. */
export const selectOutline =
  statement<Outline>(`SELECT id, seq, parent_id, turn_id, role, agent_id, on_path, compaction_id
  FROM messages WHERE session_id = ? AND seq IS NOT NULL ORDER BY seq`);

/** The turns that answered a message, with those nested in them. */
export async function selectAnswering(db: Connection, sessionId: string, messageId: string): Promise<string[]> {
  return (await selectTurnsFor(db, sessionId, messageId)).map(({ id }) => id);
}

const selectTurnsFor = statement<{ id: string }>(`WITH RECURSIVE answering(id) AS (
    SELECT id FROM turns WHERE session_id = ?1 AND message_id = ?2
    UNION SELECT turns.id FROM turns JOIN answering ON turns.nested_in = answering.id WHERE turns.session_id = ?1)
  SELECT id FROM answering`);

/** Sessions of tools that these turns, or calls in these messages, had begun and left to work. */
export function selectBackground(db: Connection, turns: readonly string[], messages: readonly string[]) {
  return selectBegun(db, JSON.stringify(turns), JSON.stringify(messages));
}

const selectBegun = statement<SessionRow>(`SELECT sessions.* FROM sessions WHERE id IN (
  SELECT session_id FROM delegations WHERE via = 'background' AND (parent_turn_id IN (SELECT value FROM json_each(?1))
    OR call_id IN (SELECT id FROM tool_calls WHERE message_id IN (SELECT value FROM json_each(?2)))))`);

/**
 * Everything about some turns except what was said in them and what they used. The caller has ended the delegations
 * they made.
 */
export async function deleteTurns(db: Connection, ids: readonly string[]): Promise<void> {
  const turns = JSON.stringify(ids);
  for (const remove of REMOVE_TURNS) await remove(db, turns);
}

const GIVEN = 'IN (SELECT value FROM json_each(?))';
const REMOVE_TURNS = [
  `INSERT INTO deleted_turn_usage (id, session_id, agent_id, created_at, usage)
    SELECT id, coalesce((SELECT root.session_id FROM turns AS root WHERE root.id = turns.root_turn_id), session_id),
      agent_id, created_at, usage
    FROM turns WHERE usage IS NOT NULL AND id ${GIVEN}`,
  `DELETE FROM turn_requests WHERE turn_id ${GIVEN}`,
  `DELETE FROM partials WHERE turn_id ${GIVEN}`,
  `DELETE FROM extensions WHERE root_turn_id ${GIVEN}`,
  `DELETE FROM tool_calls WHERE turn_id ${GIVEN}`,
  `DELETE FROM actions WHERE turn_id ${GIVEN}`,
  `DELETE FROM delegations WHERE turn_id ${GIVEN}`,
  `DELETE FROM push_configs WHERE turn_id ${GIVEN}`,
  `DELETE FROM turns WHERE id ${GIVEN}`,
  `UPDATE turns SET steer_into = NULL WHERE steer_into ${GIVEN}`,
].map((text) => statement(text));

/** Turns in these sessions that are not over and that a turn in another session asked for. */
export function selectOpenDelegates(db: Connection, sessionIds: readonly string[]): Promise<TurnRow[]> {
  return selectDelegates(db, JSON.stringify(sessionIds));
}

const IN_SESSIONS = 'IN (SELECT value FROM json_each(?1))';
const selectDelegates = statement<TurnRow>(`SELECT turns.* FROM delegations JOIN turns ON turns.id = delegations.turn_id
  WHERE delegations.session_id ${IN_SESSIONS} AND delegations.parent_session_id NOT ${IN_SESSIONS}
    AND turns.ended_at IS NULL ORDER BY turns.id`);

export type Given = Pick<DelegationRow, 'turn_id'>;

/** Delegations that these sessions gave to turns in other sessions, or that these turns gave to turns that stay. */
export function selectGiven(
  db: Connection,
  by: { sessionIds: readonly string[] } | { turnIds: readonly string[] },
): Promise<Given[]> {
  return 'sessionIds' in by
    ? selectGivenBySessions(db, JSON.stringify(by.sessionIds))
    : selectGivenByTurns(db, JSON.stringify(by.turnIds));
}

const selectGivenBySessions = statement<Given>(`SELECT turn_id FROM delegations
  WHERE parent_session_id ${IN_SESSIONS} AND session_id NOT ${IN_SESSIONS} ORDER BY turn_id`);
const selectGivenByTurns = statement<Given>(`SELECT turn_id FROM delegations
  WHERE parent_turn_id ${IN_SESSIONS} AND turn_id NOT ${IN_SESSIONS} ORDER BY turn_id`);

/** Of these turns and of all that work for them, those that are not over. A turn that is over may have left work behind. */
export function selectOpenWork(db: Connection, turnIds: readonly string[]): Promise<{ id: string }[]> {
  return selectOpenBelow(db, JSON.stringify(turnIds));
}

const selectOpenBelow = statement<{ id: string }>(`WITH RECURSIVE work(id) AS (
    SELECT value FROM json_each(?)
    UNION SELECT delegations.turn_id FROM work CROSS JOIN delegations ON delegations.parent_turn_id = work.id)
  SELECT turns.id FROM work CROSS JOIN turns ON turns.id = work.id WHERE turns.ended_at IS NULL ORDER BY turns.id`);

/** The delegates keep that they were asked and by which agent; the sessions that asked no longer list it or hear of it. */
export async function detachDelegations(db: Connection, given: readonly Given[]): Promise<void> {
  await forgetCaller(db, JSON.stringify(given.map(({ turn_id }) => turn_id)));
}

const forgetCaller = statement(`UPDATE delegations SET parent_session_id = '' WHERE turn_id ${GIVEN}`);

/** Sessions that worked for these work for themselves again. */
export async function detachWorkers(db: Connection, sessionIds: readonly string[]): Promise<void> {
  await releaseSessions(db, JSON.stringify(sessionIds));
}

const releaseSessions = statement(
  `UPDATE sessions SET working_for_session_id = NULL WHERE working_for_session_id ${GIVEN}`,
);

/** Messages with what was done in them, and their words in the index. */
export async function deleteMessages(db: Connection, ids: readonly string[]): Promise<void> {
  const messages = JSON.stringify(ids);
  for (const remove of REMOVE_MESSAGES) await remove(db, messages);
}

const REMOVE_MESSAGES = [
  `DELETE FROM actions WHERE call_id IN (SELECT id FROM tool_calls WHERE message_id ${GIVEN})`,
  `DELETE FROM tool_calls WHERE message_id ${GIVEN}`,
  `DELETE FROM message_files WHERE message_id ${GIVEN}`,
  `DELETE FROM messages_fts WHERE rowid IN (SELECT rid FROM messages WHERE id ${GIVEN})`,
  `DELETE FROM messages WHERE id ${GIVEN}`,
  // A turn that goes on existing has the newest of what is left of it as its answer, or none.
  `UPDATE turns SET answer_id = (SELECT id FROM messages WHERE messages.session_id = turns.session_id
      AND messages.turn_id = turns.id AND messages.role = 'assistant' ORDER BY seq DESC LIMIT 1)
    WHERE answer_id ${GIVEN}`,
].map((text) => statement(text));

/** What is gone is not shared any more either. */
export async function deleteFromShares(db: Connection, session: SessionRow, ids: readonly string[]): Promise<void> {
  await shortenShares(db, JSON.stringify(ids), session.id);
  await removeEmptyShares(db, session.id);
}

const shortenShares = statement(`UPDATE shares SET messages = (SELECT json_group_array(json(shared.value))
    FROM json_each(shares.messages) AS shared WHERE shared.value ->> 'id' NOT IN (SELECT value FROM json_each(?)))
  WHERE session_id = ?`);
const removeEmptyShares = statement(`DELETE FROM shares WHERE session_id = ? AND messages = '[]'`);

export const renameShares = statement('UPDATE shares SET title = ? WHERE session_id = ? AND title = ?');

export const moveMessage = statement('UPDATE messages SET parent_id = ? WHERE id = ?');

/** Summaries that reach this far hold words of what is gone: what they stood for is read in full again. */
export async function deleteSummaries(db: Connection, sessionId: string, fromSeq: number): Promise<void> {
  await unarchive(db, sessionId, fromSeq);
  await removeSummaries(db, sessionId, fromSeq);
}

const unarchive = statement(`UPDATE messages SET compaction_id = NULL WHERE session_id = ?1 AND compaction_id IN
  (SELECT id FROM compactions WHERE session_id = ?1 AND upto_seq >= ?2)`);
const removeSummaries = statement('DELETE FROM compactions WHERE session_id = ? AND upto_seq >= ?');

/** Events quote what was said, asked and done; a client that missed some loads the session anew. */
export const deleteEvents = statement('DELETE FROM events WHERE session_id = ?');

export const forgetSpeaker = statement('DELETE FROM session_agents WHERE session_id = ? AND agent_id = ?');

/** The person's first message on the branch being shown, and the newest message of any speaker. */
type Shown = Pick<MessageRow, 'role' | 'agent_id' | 'text' | 'parts'>;

export async function selectEnds(db: Connection, sessionId: string): Promise<{ first: string; last?: Shown }> {
  const [first] = await selectFirst(db, sessionId);
  const [last] = await selectLast(db, sessionId);
  return { first: first?.text ?? '', ...(last && { last }) };
}

const ON_PATH = "FROM messages WHERE session_id = ? AND on_path = 1 AND seq IS NOT NULL AND text <> ''";
const selectFirst = statement<{ text: string }>(`SELECT text ${ON_PATH} AND role = 'user' ORDER BY seq LIMIT 1`);
const selectLast = statement<Shown>(`SELECT role, agent_id, text, parts ${ON_PATH} ORDER BY seq DESC LIMIT 1`);
