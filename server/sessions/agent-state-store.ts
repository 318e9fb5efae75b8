import { statement } from '../storage/statement.ts';
import type { AgentStateRow, Db } from '../storage/tables.ts';

/** What an agent that owns its context keeps in a session, and the newest message it was shown there. */
export async function findAgentState(db: Db, sessionId: string, agentId: string): Promise<AgentStateRow | undefined> {
  return (await selectState(db, sessionId, agentId))[0];
}

const selectState = statement<AgentStateRow>('SELECT * FROM agent_states WHERE session_id = ? AND agent_id = ?');

/** Those without a token are deleted. Nothing is stored for a turn that was deleted with its session. */
export async function saveAgentStates(db: Db, rows: readonly AgentStateRow[]): Promise<void> {
  for (const { session_id, agent_id, turn_id, token, seen_seq } of rows) {
    if (token === null) await deleteState(db, session_id, agent_id);
    else await upsertState(db, session_id, agent_id, turn_id, token, seen_seq, turn_id);
  }
}

const deleteState = statement('DELETE FROM agent_states WHERE session_id = ? AND agent_id = ?');

const upsertState = statement(`INSERT INTO agent_states (session_id, agent_id, turn_id, token, seen_seq)
  SELECT ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM turns WHERE id = ?)
  ON CONFLICT (session_id, agent_id) DO UPDATE SET
    turn_id = excluded.turn_id, token = excluded.token, seen_seq = excluded.seen_seq`);

/** Sessions of an owner in which an agent has a state. */
export async function findStateHolders(
  db: Db,
  owner: string,
  agentId: string,
): Promise<{ session_id: string; token: string }[]> {
  return selectHolders(db, agentId, owner);
}

const selectHolders = statement<{ session_id: string; token: string }>(
  `SELECT s.session_id, s.token FROM agent_states s JOIN sessions ON sessions.id = s.session_id
    WHERE s.agent_id = ? AND sessions.owner = ?`,
);

/** Without a turn: what the agent has from elsewhere. It is taken from other sessions that had the same. */
export async function adoptAgentState(
  db: Db,
  owner: string,
  row: Pick<AgentStateRow, 'session_id' | 'agent_id' | 'token' | 'seen_seq'>,
): Promise<void> {
  await deleteSameState(db, row.agent_id, row.token, owner);
  await insertState(db, row.session_id, row.agent_id, row.token, row.seen_seq);
}

const deleteSameState = statement(`DELETE FROM agent_states WHERE agent_id = ? AND token = ?
  AND session_id IN (SELECT id FROM sessions WHERE owner = ?)`);

const insertState = statement(
  "INSERT INTO agent_states (session_id, agent_id, turn_id, token, seen_seq) VALUES (?, ?, '', ?, ?)",
);

export const deleteAgentStates = statement('DELETE FROM agent_states WHERE session_id = ?');

/** Agents that know something after a place in a session, because they were shown it or said it. */
export const deleteStatesBeyond = statement(`DELETE FROM agent_states WHERE session_id = ?1 AND (seen_seq > ?2
  OR agent_id IN (SELECT agent_id FROM messages
    WHERE session_id = ?1 AND seq > ?2 AND on_path = 1 AND role = 'assistant' AND agent_id IS NOT NULL))`);
