import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

interface Rule {
  what: string;
  sql: string;
}

const GONE_SESSION = 'session_id NOT IN (SELECT id FROM sessions)';

/** The deletion of a message takes everything along that events had told until then. */
function forgotten(table: string): string {
  return `EXISTS (SELECT 1 FROM events WHERE events.session_id = ${table}.session_id AND type = 'message.deleted'
    AND events.at >= ${table}.created_at)`;
}

/** Each finds rows that must not exist. */
const RULES: Rule[] = [
  { what: 'messages without a session', sql: `SELECT id FROM messages WHERE ${GONE_SESSION}` },
  { what: 'turns without a session', sql: `SELECT id FROM turns WHERE ${GONE_SESSION}` },
  { what: 'contents of deleted or unfinished sessions', sql: 'SELECT session_id AS id FROM detached_contents' },
  { what: 'compactions without a session', sql: `SELECT id FROM compactions WHERE ${GONE_SESSION}` },
  {
    what: 'states of agents without a session',
    sql: `SELECT session_id AS id FROM agent_states WHERE ${GONE_SESSION}`,
  },
  {
    what: 'push notifications without a turn',
    sql: 'SELECT turn_id AS id FROM push_configs WHERE turn_id NOT IN (SELECT id FROM turns)',
  },
  { what: 'speakers without a session', sql: `SELECT session_id AS id FROM session_agents WHERE ${GONE_SESSION}` },
  {
    what: 'events without a session',
    sql: `SELECT position AS id FROM events WHERE type <> 'session.deleted' AND ${GONE_SESSION}`,
  },
  {
    what: 'requests without a turn',
    sql: 'SELECT turn_id AS id FROM turn_requests WHERE turn_id NOT IN (SELECT id FROM turns)',
  },
  {
    what: 'partials without a turn that speaks',
    sql: `SELECT turn_id AS id FROM partials WHERE turn_id NOT IN (SELECT id FROM turns WHERE state IN ('running', 'waiting'))`,
  },
  {
    what: 'turns whose message is gone',
    sql: 'SELECT id FROM turns WHERE message_id NOT IN (SELECT id FROM messages)',
  },
  {
    what: 'turns whose answer is gone',
    sql: 'SELECT id FROM turns WHERE answer_id IS NOT NULL AND answer_id NOT IN (SELECT id FROM messages)',
  },
  {
    what: 'messages whose turn is gone',
    sql: 'SELECT id FROM messages WHERE turn_id IS NOT NULL AND turn_id NOT IN (SELECT id FROM turns)',
  },
  {
    what: 'messages whose parent is gone',
    sql: 'SELECT id FROM messages WHERE parent_id IS NOT NULL AND parent_id NOT IN (SELECT id FROM messages)',
  },
  {
    what: 'messages whose summary is gone',
    sql: 'SELECT id FROM messages WHERE compaction_id IS NOT NULL AND compaction_id NOT IN (SELECT id FROM compactions)',
  },
  {
    what: 'events whose message is gone',
    sql: `SELECT position AS id FROM events WHERE message_id IS NOT NULL AND message_id NOT IN (SELECT id FROM messages)
      AND message_id NOT IN (SELECT json_extract(data, '$.messageId') FROM events WHERE type = 'turn.removed')`,
  },
  {
    what: 'waiting messages without a waiting turn',
    sql: `SELECT id FROM messages WHERE seq IS NULL AND id NOT IN (SELECT message_id FROM turns WHERE state = 'queued')`,
  },
  {
    what: 'settled turns without an end, or open ones with one',
    sql: `SELECT id FROM turns WHERE (state IN ('queued', 'running', 'waiting')) <> (ended_at IS NULL)`,
  },
  { what: 'tool calls without a session', sql: `SELECT id FROM tool_calls WHERE ${GONE_SESSION}` },
  { what: 'actions without a session', sql: `SELECT id FROM actions WHERE ${GONE_SESSION}` },
  {
    what: 'standing approvals of a session that is gone',
    sql: `SELECT id FROM grants WHERE session_id IS NOT NULL AND ${GONE_SESSION}`,
  },
  {
    what: 'tool calls without a turn',
    sql: 'SELECT id FROM tool_calls WHERE turn_id NOT IN (SELECT id FROM turns)',
  },
  {
    what: 'actions without a turn',
    sql: 'SELECT id FROM actions WHERE turn_id NOT IN (SELECT id FROM turns)',
  },
  {
    what: 'extensions without a turn',
    sql: 'SELECT root_turn_id AS id FROM extensions WHERE root_turn_id NOT IN (SELECT id FROM turns)',
  },
  {
    what: 'tool calls and actions that no event tells of',
    sql: `SELECT id FROM tool_calls WHERE id NOT IN (SELECT json_extract(data, '$.call.id') FROM events WHERE type LIKE 'tool.%')
        AND NOT ${forgotten('tool_calls')}
      UNION ALL SELECT id FROM actions WHERE id NOT IN (SELECT json_extract(data, '$.action.id') FROM events WHERE type LIKE 'action.%')
        AND NOT ${forgotten('actions')}`,
  },
  {
    what: 'tool calls whose message is gone',
    sql: 'SELECT id FROM tool_calls WHERE message_id IS NOT NULL AND message_id NOT IN (SELECT id FROM messages)',
  },
  {
    what: 'tool calls of settled turns that belong to no message',
    sql: `SELECT id FROM tool_calls WHERE message_id IS NULL
      AND turn_id IN (SELECT id FROM turns WHERE ended_at IS NOT NULL)`,
  },
  {
    what: 'tool calls or questions left open by a turn that is over',
    sql: `SELECT id FROM tool_calls WHERE ended_at IS NULL AND turn_id IN (SELECT id FROM turns WHERE ended_at IS NOT NULL)
      UNION ALL SELECT id FROM actions WHERE state = 'open' AND kind <> 'failure'
        AND turn_id IN (SELECT id FROM turns WHERE ended_at IS NOT NULL)`,
  },
  {
    what: 'messages missing from the search index',
    sql: `SELECT id FROM messages WHERE text <> '' AND rid <= (SELECT indexed_upto FROM search_progress)
      AND rid NOT IN (SELECT id FROM messages_fts_docsize)`,
  },
  {
    what: 'messages that a search would find twice, in the index and beyond it',
    sql: `SELECT id FROM messages_fts_docsize WHERE id > (SELECT indexed_upto FROM search_progress)`,
  },
  {
    what: 'search entries without a message',
    sql: `SELECT id FROM messages_fts_docsize WHERE id NOT IN (SELECT rid FROM messages WHERE text <> '')`,
  },
  {
    what: 'sessions whose numbers disagree with their events',
    sql: `SELECT id FROM sessions WHERE event_seq <> (SELECT max(seq) FROM events WHERE session_id = sessions.id)
      OR event_seq - event_floor <> (SELECT count(*) FROM events WHERE session_id = sessions.id)`,
  },
  {
    what: 'turns of delegates that nobody gave work',
    sql: `SELECT id FROM turns WHERE parent_turn_id IS NOT NULL AND id NOT IN (SELECT turn_id FROM delegations)`,
  },
  {
    what: 'delegations without their turn',
    sql: 'SELECT turn_id AS id FROM delegations WHERE turn_id NOT IN (SELECT id FROM turns)',
  },
  {
    what: 'results that nobody was told of',
    sql: `SELECT child.id FROM delegations JOIN turns AS child ON child.id = delegations.turn_id
      JOIN sessions ON sessions.id = delegations.parent_session_id LEFT JOIN turns AS caller ON caller.id = delegations.parent_turn_id
      WHERE delivered_at IS NULL AND child.ended_at IS NOT NULL AND child.stop_reason <> 'parent_stopped'
        AND CASE WHEN delegations.mode = 'async' THEN notify <> 'none'
          ELSE via = 'tool' AND caller.ended_at < child.ended_at AND caller.state <> 'cancelled' END`,
  },
  {
    what: 'results that were told twice',
    sql: `SELECT part.value ->> 'turnId' AS id FROM messages, json_each(messages.parts) AS part
      WHERE messages.role = 'user' AND part.value ->> 'type' = 'delegation' AND messages.on_path = 1
      GROUP BY messages.session_id, 1 HAVING count(*) > 1`,
  },
  {
    what: 'sessions that work for another without work',
    sql: `SELECT id FROM sessions WHERE working_for_session_id IS NOT NULL AND id NOT IN
      (SELECT turns.session_id FROM turns JOIN delegations ON delegations.turn_id = turns.id
        WHERE turns.ended_at IS NULL AND delegations.parent_session_id = sessions.working_for_session_id)`,
  },
  {
    what: 'turns inside a turn that is over',
    sql: `SELECT inner.id FROM turns AS inner JOIN turns AS outer ON outer.id = inner.nested_in
      WHERE inner.ended_at IS NULL AND outer.ended_at IS NOT NULL`,
  },
];

/** What is wrong in the file itself: damage, and rows that belong to nothing. */
export function checkDatabase(home: string): string[] {
  const db = new DatabaseSync(path.join(home, 'parley.db'), { timeout: 5000 });
  try {
    return [...damage(db), ...RULES.flatMap((rule) => broken(db, rule))];
  } finally {
    db.close();
  }
}

function damage(db: DatabaseSync): string[] {
  const problems = db
    .prepare('PRAGMA integrity_check')
    .all()
    .map((row) => String(row.integrity_check))
    .filter((line) => line !== 'ok')
    .map((line) => `P14: integrity_check: ${line}`);
  try {
    db.exec(`INSERT INTO messages_fts (messages_fts, rank) VALUES ('integrity-check', 0)`);
  } catch (error) {
    problems.push(`P14: the search index is damaged: ${String(error)}`);
  }
  return problems;
}

function broken(db: DatabaseSync, { what, sql }: Rule): string[] {
  const rows = db.prepare(sql).all();
  if (rows.length === 0) return [];
  return [
    `P14: ${what}: ${rows.slice(0, 3).map((row) => row.id)}${rows.length > 3 ? ` and ${rows.length - 3} more` : ''}`,
  ];
}
