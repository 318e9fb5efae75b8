import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

interface Rule {
  what: string;
  sql: string;
}

const GONE_SESSION = 'session_id NOT IN (SELECT id FROM sessions)';

/** Each finds rows that must not exist. */
const RULES: Rule[] = [
  { what: 'messages without a session', sql: `SELECT id FROM messages WHERE ${GONE_SESSION}` },
  { what: 'turns without a session', sql: `SELECT id FROM turns WHERE ${GONE_SESSION}` },
  { what: 'compactions without a session', sql: `SELECT id FROM compactions WHERE ${GONE_SESSION}` },
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
  {
    what: 'messages missing from the search index',
    sql: `SELECT id FROM messages WHERE text <> '' AND rid NOT IN (SELECT id FROM messages_fts_docsize)`,
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
