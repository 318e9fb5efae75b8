import type { Connection } from '../sessions/store.ts';
import { insertion, statement } from '../storage/statement.ts';
import type { DelegationRow, MessageRow, SessionRow, ToolCallRow, TurnRow } from '../storage/tables.ts';

export const insertDelegation = insertion<DelegationRow>('delegations');

export async function findDelegation(db: Connection, turnId: string): Promise<DelegationRow | undefined> {
  return (await selectDelegation(db, turnId))[0];
}

const selectDelegation = statement<DelegationRow>('SELECT * FROM delegations WHERE turn_id = ?');

export async function findDelegationOfCall(db: Connection, callId: string): Promise<DelegationRow | undefined> {
  return (await selectOfCall(db, callId))[0];
}

const selectOfCall = statement<DelegationRow>('SELECT * FROM delegations WHERE call_id = ? ORDER BY turn_id LIMIT 1');

/** The caller stopped waiting: the result is brought to it as a message. False when the turn is over already. */
export async function expectLater(db: Connection, turnId: string, notify: string): Promise<boolean> {
  return (await makeAsync(db, notify, turnId, turnId)).length === 1;
}

const makeAsync = statement<{ turn_id: string }>(`UPDATE delegations SET mode = 'async', notify = ?
  WHERE turn_id = ? AND delivered_at IS NULL
    AND EXISTS (SELECT 1 FROM turns WHERE turns.id = ? AND turns.ended_at IS NULL) RETURNING turn_id`);

/** Whether an agent has delegated work to a session before. */
export async function hasDelegatedTo(db: Connection, fromAgent: string, sessionId: string): Promise<boolean> {
  return (await selectDelegatedTo(db, sessionId, fromAgent)).length > 0;
}

const selectDelegatedTo = statement<{ turn_id: string }>(
  'SELECT turn_id FROM delegations WHERE session_id = ? AND from_agent = ? LIMIT 1',
);

/** True for exactly one of several attempts. */
export async function markDelivered(db: Connection, turnId: string, now: number): Promise<boolean> {
  return (await deliverOnce(db, now, turnId)).length === 1;
}

const deliverOnce = statement<{ turn_id: string }>(
  'UPDATE delegations SET delivered_at = ? WHERE turn_id = ? AND delivered_at IS NULL RETURNING turn_id',
);

/** How many turns have been taken, or will be, for what the person asked. */
export async function countTurnsOfRoot(db: Connection, rootTurnId: string): Promise<number> {
  return 1 + ((await countOfRoot(db, rootTurnId))[0]?.count ?? 0);
}

const countOfRoot = statement<{ count: number }>('SELECT count(*) AS count FROM turns WHERE root_turn_id = ?');

export async function countOpenChildren(db: Connection, turnId: string): Promise<number> {
  return (await countOpen(db, turnId))[0]?.count ?? 0;
}

const countOpen = statement<{ count: number }>(
  'SELECT count(*) AS count FROM turns WHERE parent_turn_id = ? AND ended_at IS NULL',
);

/**
 * The newest session of an agent that was made for delegation, is not archived, and in which no agent of the chain works:
 * an agent that waits for its own session would wait for ever.
 */
export async function findLatestForDelegation(
  db: Connection,
  owner: string,
  agentId: string,
  excluded: readonly string[],
): Promise<SessionRow | undefined> {
  return (await selectLatest(db, owner, agentId, JSON.stringify(excluded)))[0];
}

const selectLatest = statement<SessionRow>(`SELECT * FROM sessions WHERE owner = ? AND agent_id = ?
  AND type = 'conversation' AND delegated_from_session_id IS NOT NULL AND archived_at IS NULL
  AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY updated_at DESC LIMIT 1`);

export type TreeRow = Pick<SessionRow, 'id' | 'agent_id' | 'agents'> & { made_for: string | null };

/** A session, and those that were made for work given from it, directly or further down; the nearest first. */
export const selectSessionTree = statement<TreeRow>(`WITH RECURSIVE tree(id, made_for) AS (
    SELECT ?, NULL UNION SELECT sessions.id, tree.id FROM sessions JOIN tree
      ON sessions.delegated_from_session_id = tree.id OR sessions.parent_session_id = tree.id)
  SELECT tree.id, tree.made_for, sessions.agent_id, sessions.agents
  FROM tree CROSS JOIN sessions ON sessions.id = tree.id LIMIT 200`);

/** What was said in a turn, in order: after its input, so that what a session holds from before is not read. */
export const selectSaid = statement<MessageRow & { rid: number }>(`SELECT messages.* FROM messages
  WHERE session_id = ?1 AND turn_id = ?2 AND role = 'assistant' AND seq > coalesce(
    (SELECT input.seq FROM turns JOIN messages AS input ON input.id = turns.message_id WHERE turns.id = ?2), 0)
  ORDER BY seq`);

export const selectCallsOf = statement<
  Pick<ToolCallRow, 'id' | 'name' | 'state' | 'started_at' | 'ended_at' | 'waited_ms'>
>('SELECT id, name, state, started_at, ended_at, waited_ms FROM tool_calls WHERE turn_id = ? ORDER BY part');

export const updateParts = statement('UPDATE messages SET parts = ? WHERE id = ?');

/** What was given from a session, newest first, each beside the turn that does it. */
export const selectGivenFrom = statement<DelegationRow & Pick<TurnRow, 'state' | 'error'>>(
  `SELECT delegations.*, turns.state, turns.error
  FROM delegations JOIN turns ON turns.id = delegations.turn_id
  WHERE delegations.parent_session_id = ? ORDER BY delegations.turn_id DESC LIMIT ?`,
);

/** A turn with every other turn in its tree. */
export const selectTree = statement<
  TurnRow & Pick<DelegationRow, 'via' | 'mode' | 'task'> & { session_title: string | null; message_text: string }
>(`SELECT turns.*, delegations.via, delegations.mode, coalesce(delegations.task, messages.text) AS task,
    coalesce(sessions.name, sessions.title) AS session_title, messages.text AS message_text
  FROM turns JOIN sessions ON sessions.id = turns.session_id
    LEFT JOIN delegations ON delegations.turn_id = turns.id LEFT JOIN messages ON messages.id = turns.message_id
  WHERE turns.id = ?1 OR turns.root_turn_id = ?1 ORDER BY turns.id`);
