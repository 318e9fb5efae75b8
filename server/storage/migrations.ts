import { type Kysely, sql } from 'kysely';
import { reach } from '../fault-points.ts';
import type { Tables } from './tables.ts';

export interface Migration {
  name: string;
  /** Statements in order; all of them and the new version number are one transaction. */
  statements: readonly string[];
}

/** In a message: the agent that asked for the work that it gives or reports on. */
const ASKER = `(SELECT value ->> 'from' FROM json_each(coalesce(parts, '[]')) WHERE value ->> 'type' = 'delegation' LIMIT 1)`;
/** Any Chinese or Japanese character. */
const UNSPACED_GLOB = '*[々-〇〡-〩ぁ-ヿㇰ-ㇿ㐀-䶿一-鿿豈-龎ｦ-ﾝ𖿢-𖿣𚿰-𚿾𛀀-𛅧𠀀-𳑿]*';
/** Tasks were indexed as said by the agent that was asked, Chinese and Japanese as if a sentence were one word. */
const INDEXED_ANEW = `text <> '' AND (role = 'delegation' OR lower(agent_id) IN ('user', 'assistant') OR text GLOB '${UNSPACED_GLOB}')`;

const IMPORTED = '{"kind":"import","agentId":null,"sessionId":null,"turnId":null}';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The rank of the item with a number: `d` and four digits, in the order of the numbers. */
const RANK = `'d' || ${[238328, 3844, 62, 1].map((unit) => `substr('${DIGITS}', n / ${unit} % 62 + 1, 1)`).join(' || ')}`;

interface ListOfItems {
  name: string;
  /** JSON of the fields that its items have. */
  fields: string;
  /** What an item gets, as expressions over a row of `plugin_items`. */
  title: string;
  due: string;
  values: string;
  doneAt: string;
}

/** The things of a plugin become items of one list for each owner, with their ids, in the order in which they were added. */
function itemsBecomeList(plugin: string, { name, fields, title, due, values, doneAt }: ListOfItems): string[] {
  const content = JSON.stringify({ description: '', fields: JSON.parse(fields) });
  const listId = `(SELECT id FROM artifacts WHERE artifacts.owner = things.owner AND plugin = '${plugin}')`;
  const taken = (table: string, owner: string, id: string) =>
    `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.owner = ${owner} AND ${table}.id = ${id})`;
  return [
    `INSERT INTO artifacts (owner, id, kind, plugin, name, name_key, version, text, content, item_count, open_count,
        request_hash, created_at, created_by, updated_at, updated_by)
      SELECT owner, CASE WHEN ${taken('artifacts', 'plugin_items.owner', `'${plugin}'`)}
          THEN '${plugin}-' || lower(hex(randomblob(8))) ELSE '${plugin}' END,
        'list', '${plugin}', '${name}', name_key('${name}'), 1 + count(*), '', '${content}', count(*),
        sum(${doneAt} IS NULL), '', min(created_at), '${IMPORTED}', max(updated_at), '${IMPORTED}'
      FROM plugin_items WHERE plugin = '${plugin}' AND holder = '' GROUP BY owner`,
    `INSERT INTO list_items (owner, id, list_id, title, notes, due, tags, field_values, done_at, rank, version, request_hash,
        created_at, created_by, updated_at, updated_by)
      SELECT owner, CASE WHEN ${taken('list_items', 'things.owner', 'things.id')} THEN id || '-${plugin}' ELSE id END,
        ${listId}, ${title}, text, ${due}, coalesce(data -> '$.tags', '[]'), ${values}, ${doneAt}, ${RANK}, n + 2, '',
        created_at, '${IMPORTED}', updated_at, '${IMPORTED}'
      FROM (SELECT *, row_number() OVER (PARTITION BY owner ORDER BY id) - 1 AS n
        FROM plugin_items WHERE plugin = '${plugin}' AND holder = '') AS things ORDER BY owner, n`,
    `INSERT INTO artifact_changes (owner, artifact_id, version, type, item_id, title, "after", lines_added, lines_removed,
        author, at)
      SELECT owner, id, 1, 'created', NULL, name, json_patch(content, json_object('name', name)), 0, 0, created_by, created_at
        FROM artifacts WHERE plugin = '${plugin}'
      UNION ALL
      SELECT list_items.owner, list_id, list_items.version, 'item_added', list_items.id, title,
        json_patch('{}', json_object('title', title, 'notes', nullif(notes, ''), 'due', due, 'rank', rank,
          'tags', CASE tags WHEN '[]' THEN NULL ELSE json(tags) END,
          'doneAt', strftime('%Y-%m-%dT%H:%M:%fZ', done_at / 1000.0, 'unixepoch'),
          'values.priority', field_values ->> '$.priority', 'values.url', field_values ->> '$.url')),
        0, 0, list_items.created_by, list_items.created_at
      FROM list_items JOIN artifacts ON artifacts.owner = list_items.owner AND artifacts.id = list_id
      WHERE plugin = '${plugin}'`,
    `INSERT INTO artifacts_fts (rowid, words, tags)
      SELECT list_items.rid * 2 + 1, search_words(title || char(10) || notes || char(10) || tags || char(10) || field_values),
        'ownerx' || lower(hex(list_items.owner)) || ' kindxitem'
      FROM list_items JOIN artifacts ON artifacts.owner = list_items.owner AND artifacts.id = list_id
      WHERE plugin = '${plugin}'`,
  ];
}

/** Only ever appended to. The place in the list is the version. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: 'sessions, messages, turns, events',
    statements: [
      `CREATE TABLE sessions (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL,
        agent_id TEXT, key_agent_id TEXT, sender TEXT NOT NULL,
        name TEXT, title TEXT, folder TEXT,
        parent_session_id TEXT, forked_from_session_id TEXT, forked_from_message_id TEXT,
        head_id TEXT, message_seq INTEGER NOT NULL DEFAULT 0, event_seq INTEGER NOT NULL DEFAULT 0,
        event_floor INTEGER NOT NULL DEFAULT 0,
        message_count INTEGER NOT NULL DEFAULT 0, queued_count INTEGER NOT NULL DEFAULT 0,
        unread_count INTEGER NOT NULL DEFAULT 0, snippet TEXT NOT NULL DEFAULT '',
        agents TEXT NOT NULL DEFAULT '[]',
        attributes TEXT NOT NULL DEFAULT '{}', pinned_at INTEGER, archived_at INTEGER,
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, last_activity_at INTEGER NOT NULL)`,
      'CREATE UNIQUE INDEX sessions_name ON sessions(owner, name) WHERE name IS NOT NULL',
      'CREATE UNIQUE INDEX sessions_key ON sessions(owner, key_agent_id, sender) WHERE key_agent_id IS NOT NULL',
      // The status at its end lets a list by status be read from the index alone, without an index of its own to keep.
      `CREATE INDEX sessions_active ON sessions(owner, last_activity_at DESC, id DESC, status)
        WHERE archived_at IS NULL`,
      'CREATE INDEX sessions_archived ON sessions(owner, last_activity_at DESC, id DESC) WHERE archived_at IS NOT NULL',
      'CREATE INDEX sessions_folder ON sessions(owner, folder, last_activity_at DESC, id DESC) WHERE folder IS NOT NULL',
      'CREATE INDEX sessions_latest ON sessions(owner, agent_id, updated_at DESC)',
      'CREATE INDEX sessions_parent ON sessions(parent_session_id) WHERE parent_session_id IS NOT NULL',
      `CREATE TABLE session_agents (
        session_id TEXT NOT NULL, agent_id TEXT NOT NULL, spoke_at INTEGER,
        PRIMARY KEY (session_id, agent_id)) WITHOUT ROWID`,
      'CREATE INDEX session_agents_agent ON session_agents(agent_id, session_id)',
      `CREATE TABLE messages (
        rid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL,
        seq INTEGER, parent_id TEXT, turn_id TEXT,
        role TEXT NOT NULL, agent_id TEXT, guest INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL,
        text TEXT NOT NULL, parts TEXT, on_path INTEGER NOT NULL DEFAULT 1, compaction_id TEXT,
        request_hash TEXT, created_at INTEGER NOT NULL)`,
      'CREATE UNIQUE INDEX messages_seq ON messages(session_id, seq)',
      'CREATE INDEX messages_aside ON messages(session_id, parent_id) WHERE on_path = 0',
      `CREATE VIRTUAL TABLE messages_fts USING fts5(text, tags, content='', contentless_delete=1,
        tokenize='unicode61 remove_diacritics 2')`,
      `CREATE TABLE turns (
        id TEXT PRIMARY KEY, session_id TEXT NOT NULL, agent_id TEXT NOT NULL,
        guest INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL, message_id TEXT NOT NULL, answer_id TEXT,
        parent_turn_id TEXT, retry_of TEXT, steer_into TEXT, steered_at INTEGER, branch_after INTEGER,
        queue_order REAL NOT NULL DEFAULT 0, stop_reason TEXT, error TEXT, usage TEXT,
        created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER) WITHOUT ROWID`,
      'CREATE INDEX turns_session ON turns(session_id, created_at)',
      `CREATE INDEX turns_queued ON turns(session_id, queue_order) WHERE state = 'queued'`,
      // One writer per session, whatever the code above believes.
      `CREATE UNIQUE INDEX turns_one_running ON turns(session_id) WHERE state IN ('running','waiting')`,
      `CREATE TABLE turn_requests (
        turn_id TEXT NOT NULL, step INTEGER NOT NULL, at INTEGER NOT NULL, request TEXT NOT NULL,
        PRIMARY KEY (turn_id, step)) WITHOUT ROWID`,
      `CREATE TABLE partials (
        turn_id TEXT NOT NULL, ord INTEGER NOT NULL, part INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (turn_id, ord)) WITHOUT ROWID`,
      `CREATE TABLE events (
        position INTEGER PRIMARY KEY, session_id TEXT NOT NULL, owner TEXT NOT NULL,
        seq INTEGER NOT NULL, type TEXT NOT NULL, at INTEGER NOT NULL, message_id TEXT, data TEXT NOT NULL)`,
      'CREATE UNIQUE INDEX events_seq ON events(session_id, seq)',
      'CREATE TABLE event_retention (pruned_position INTEGER NOT NULL)',
      'INSERT INTO event_retention (pruned_position) VALUES (0)',
      `CREATE TABLE compactions (
        id TEXT PRIMARY KEY, session_id TEXT NOT NULL, agent_id TEXT NOT NULL, summary TEXT NOT NULL,
        archived_count INTEGER NOT NULL, upto_seq INTEGER NOT NULL, last_message_id TEXT NOT NULL,
        created_at INTEGER NOT NULL)`,
      'CREATE INDEX compactions_session ON compactions(session_id, upto_seq)',
      `CREATE TABLE sign_ins (
        token_hash TEXT PRIMARY KEY, owner TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL)`,
      `CREATE TABLE audit (
        id TEXT PRIMARY KEY, at INTEGER NOT NULL, owner TEXT NOT NULL, action TEXT NOT NULL,
        object TEXT, detail TEXT, request_id TEXT)`,
    ],
  },
  {
    name: 'tool calls, actions, delegations',
    statements: [
      'ALTER TABLE sessions ADD COLUMN working_for_session_id TEXT',
      `ALTER TABLE sessions ADD COLUMN mode TEXT NOT NULL DEFAULT 'full'`,
      'ALTER TABLE turns ADD COLUMN root_turn_id TEXT',
      // The turn in the same session that waits for this one, else empty.
      `ALTER TABLE turns ADD COLUMN nested_in TEXT NOT NULL DEFAULT ''`,
      // Delegations that the agent has written down and that have not begun, as JSON.
      'ALTER TABLE turns ADD COLUMN pending TEXT',
      'DROP INDEX turns_one_running',
      `CREATE UNIQUE INDEX turns_one_running ON turns(session_id, nested_in) WHERE state IN ('running','waiting')`,
      'CREATE INDEX turns_parent ON turns(parent_turn_id) WHERE parent_turn_id IS NOT NULL',
      'CREATE INDEX turns_root ON turns(root_turn_id) WHERE root_turn_id IS NOT NULL',
      `CREATE TABLE tool_calls (
        id TEXT PRIMARY KEY, session_id TEXT NOT NULL, turn_id TEXT NOT NULL, agent_id TEXT NOT NULL,
        name TEXT NOT NULL, input TEXT NOT NULL, state TEXT NOT NULL, via TEXT NOT NULL,
        step INTEGER NOT NULL, part INTEGER NOT NULL, reason TEXT, output TEXT, output_bytes INTEGER NOT NULL DEFAULT 0,
        is_error INTEGER NOT NULL DEFAULT 0, began INTEGER NOT NULL DEFAULT 0, action_id TEXT, opaque TEXT,
        message_id TEXT,
        created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER) WITHOUT ROWID`,
      'CREATE INDEX tool_calls_turn ON tool_calls(turn_id, part)',
      'CREATE INDEX tool_calls_session ON tool_calls(session_id)',
      `CREATE TABLE actions (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, title TEXT NOT NULL,
        session_id TEXT NOT NULL, turn_id TEXT NOT NULL, agent_id TEXT NOT NULL,
        call_id TEXT, chain TEXT NOT NULL, detail TEXT NOT NULL, answer TEXT,
        created_at INTEGER NOT NULL, settled_at INTEGER, expires_at INTEGER) WITHOUT ROWID`,
      `CREATE INDEX actions_open ON actions(owner, id) WHERE state = 'open'`,
      'CREATE INDEX actions_owner ON actions(owner, state, id)',
      'CREATE INDEX actions_turn ON actions(turn_id)',
      'CREATE INDEX actions_session ON actions(session_id)',
      `CREATE TABLE grants (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, agent_id TEXT NOT NULL, tool TEXT NOT NULL, session_id TEXT,
        created_at INTEGER NOT NULL) WITHOUT ROWID`,
      `CREATE UNIQUE INDEX grants_tool ON grants(owner, agent_id, tool, coalesce(session_id, ''))`,
      'CREATE INDEX grants_session ON grants(session_id) WHERE session_id IS NOT NULL',
      `CREATE TABLE delegations (
        turn_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, parent_turn_id TEXT NOT NULL, parent_session_id TEXT NOT NULL,
        call_id TEXT, from_agent TEXT NOT NULL, to_agent TEXT NOT NULL, via TEXT NOT NULL, mode TEXT NOT NULL,
        notify TEXT NOT NULL, created_session INTEGER NOT NULL DEFAULT 0, chain TEXT NOT NULL, task TEXT NOT NULL,
        created_at INTEGER NOT NULL, delivered_at INTEGER) WITHOUT ROWID`,
      'CREATE INDEX delegations_parent ON delegations(parent_turn_id)',
      'CREATE INDEX delegations_call ON delegations(call_id) WHERE call_id IS NOT NULL',
      'CREATE INDEX delegations_session ON delegations(session_id)',
      'CREATE INDEX delegations_parent_session ON delegations(parent_session_id)',
      // What the person allowed beyond a limit, by the turn they began.
      `CREATE TABLE extensions (
        root_turn_id TEXT NOT NULL, name TEXT NOT NULL, extra REAL NOT NULL,
        PRIMARY KEY (root_turn_id, name)) WITHOUT ROWID`,
      `CREATE TABLE plugin_items (
        owner TEXT NOT NULL, plugin TEXT NOT NULL, holder TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL,
        text TEXT NOT NULL, data TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
        PRIMARY KEY (owner, plugin, holder, id)) WITHOUT ROWID`,
      `CREATE TABLE mcp_definitions (
        server TEXT NOT NULL, tool TEXT NOT NULL, hash TEXT NOT NULL, definition TEXT NOT NULL,
        accepted_at INTEGER NOT NULL, PRIMARY KEY (server, tool)) WITHOUT ROWID`,
    ],
  },
  {
    name: 'files, shares',
    statements: [
      `CREATE TABLE files (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, media_type TEXT NOT NULL, kind TEXT NOT NULL,
        bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, created_at INTEGER NOT NULL, sent_at INTEGER) WITHOUT ROWID`,
      // A copy of a message has the same files.
      `CREATE TABLE message_files (
        message_id TEXT NOT NULL, place INTEGER NOT NULL, file_id TEXT NOT NULL, session_id TEXT NOT NULL,
        PRIMARY KEY (message_id, place)) WITHOUT ROWID`,
      'CREATE INDEX message_files_file ON message_files(file_id)',
      'CREATE INDEX message_files_session ON message_files(session_id)',
      `CREATE TABLE shares (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, session_id TEXT NOT NULL, origin TEXT NOT NULL, token TEXT NOT NULL,
        token_hash TEXT NOT NULL UNIQUE, title TEXT NOT NULL, messages TEXT NOT NULL, tool_details INTEGER NOT NULL,
        created_at INTEGER NOT NULL) WITHOUT ROWID`,
      'CREATE INDEX shares_owner ON shares(owner, id)',
      'CREATE INDEX shares_session ON shares(session_id)',
    ],
  },
  {
    name: 'session templates',
    statements: [
      `CREATE TABLE session_templates (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, agent_id TEXT, title TEXT, folder TEXT,
        mode TEXT NOT NULL, opening TEXT NOT NULL, sends_opening INTEGER NOT NULL,
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) WITHOUT ROWID`,
      'CREATE UNIQUE INDEX session_templates_name ON session_templates(owner, name)',
    ],
  },
  {
    name: 'tool calls: answers and waiting time',
    statements: [
      'ALTER TABLE tool_calls ADD COLUMN answers TEXT',
      'ALTER TABLE tool_calls ADD COLUMN waited_ms INTEGER NOT NULL DEFAULT 0',
      'ALTER TABLE tool_calls ADD COLUMN waiting_since INTEGER',
    ],
  },
  {
    name: 'turns: time spent waiting for a person',
    statements: [
      'ALTER TABLE turns ADD COLUMN waited_ms INTEGER NOT NULL DEFAULT 0',
      'ALTER TABLE turns ADD COLUMN waiting_since INTEGER',
    ],
  },
  {
    name: 'sessions made for delegation',
    statements: [
      'ALTER TABLE sessions ADD COLUMN delegated_from_session_id TEXT',
      `UPDATE sessions SET delegated_from_session_id = (SELECT delegations.parent_session_id FROM delegations
        WHERE delegations.session_id = sessions.id AND delegations.created_session = 1 AND delegations.via = 'tool' LIMIT 1)
        WHERE type = 'conversation'`,
      `CREATE INDEX sessions_delegated_from ON sessions(delegated_from_session_id)
        WHERE delegated_from_session_id IS NOT NULL`,
    ],
  },
  {
    name: 'speakers of tasks and results, Chinese and Japanese in the index',
    statements: [
      'ALTER TABLE sessions ADD COLUMN snippet_speaker TEXT',
      `UPDATE sessions SET snippet_speaker = (SELECT json_object(
          'kind', CASE WHEN role = 'delegation' THEN 'task' WHEN role = 'assistant' THEN iif(agent_id IS NULL, 'unknown', 'agent')
            WHEN agent_id IS NULL THEN 'person' ELSE iif(${ASKER} IS NULL, 'task', 'result') END,
          'agent', iif(role = 'delegation', ${ASKER}, agent_id),
          'to', iif(role = 'delegation', agent_id, NULL))
        FROM messages WHERE messages.id = sessions.head_id)`,
      `DELETE FROM messages_fts WHERE rowid IN (SELECT rid FROM messages WHERE ${INDEXED_ANEW})`,
      `INSERT INTO messages_fts (rowid, text, tags)
        SELECT rid, search_words(text), trim('sessionx' || lower(hex(lower(session_id))) || ' ' ||
          iif(speaker IS NULL, 'fromx' || lower(hex(iif(role = 'user', 'user', 'assistant'))),
            'agentx' || lower(hex(lower(speaker))) || iif(lower(speaker) IN ('user', 'assistant'), '',
              ' fromx' || lower(hex(lower(speaker))))))
        FROM (SELECT rid, text, session_id, role, iif(role = 'delegation', ${ASKER}, agent_id) AS speaker
          FROM messages WHERE ${INDEXED_ANEW})`,
    ],
  },
  {
    name: 'what turns mean for the primary, usage of summaries',
    statements: ['ALTER TABLE turns ADD COLUMN primary_rule TEXT', 'ALTER TABLE compactions ADD COLUMN usage TEXT'],
  },
  {
    name: 'usage of deleted turns',
    statements: [
      `CREATE TABLE deleted_turn_usage (
        id TEXT PRIMARY KEY, session_id TEXT NOT NULL, agent_id TEXT NOT NULL,
        created_at INTEGER NOT NULL, usage TEXT NOT NULL) WITHOUT ROWID`,
      'CREATE INDEX deleted_turn_usage_session ON deleted_turn_usage(session_id)',
    ],
  },
  {
    name: 'tool calls: what a translation of the reason needs',
    statements: ['ALTER TABLE tool_calls ADD COLUMN reason_text TEXT'],
  },
  {
    name: 'sessions by the session they work for',
    statements: [
      `CREATE INDEX sessions_working_for ON sessions(working_for_session_id)
        WHERE working_for_session_id IS NOT NULL`,
    ],
  },
  {
    // Sign-ins from before had a cookie and no key: these browsers sign in again.
    name: 'sign-ins with a key, bound to the token',
    statements: [
      'DROP TABLE sign_ins',
      `CREATE TABLE sign_ins (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, cookie_hash TEXT NOT NULL UNIQUE, key_hash TEXT NOT NULL,
        token_mark TEXT NOT NULL, browser TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL)`,
    ],
  },
  {
    name: 'agents as they were last defined',
    statements: [
      `CREATE TABLE known_agents (
        agent_id TEXT PRIMARY KEY, version TEXT NOT NULL, source TEXT NOT NULL, file TEXT NOT NULL,
        definition TEXT NOT NULL) WITHOUT ROWID`,
    ],
  },
  {
    name: 'contents that belong to no session',
    statements: [
      'CREATE TABLE detached_contents (session_id TEXT PRIMARY KEY, events_upto INTEGER NOT NULL) WITHOUT ROWID',
    ],
  },
  {
    // Cursors that were given out before this belong to no epoch and are bare numbers.
    name: 'epochs of the event log',
    statements: [
      'CREATE TABLE event_epochs (id TEXT PRIMARY KEY, after_position INTEGER NOT NULL) WITHOUT ROWID',
      `INSERT INTO event_epochs (id, after_position) VALUES (lower(hex(randomblob(8))), 0)`,
    ],
  },
  {
    // Requests from before hold their prompt and tools themselves.
    name: 'prompts and tool lists of requests, each stored once',
    statements: [
      'CREATE TABLE request_texts (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID',
      'ALTER TABLE turn_requests ADD COLUMN text_hash TEXT',
      'CREATE INDEX turn_requests_text ON turn_requests(text_hash) WHERE text_hash IS NOT NULL',
      // The last request that has a text takes it along, in whatever way the request is deleted.
      `CREATE TRIGGER turn_requests_deleted AFTER DELETE ON turn_requests WHEN old.text_hash IS NOT NULL BEGIN
        DELETE FROM request_texts WHERE hash = old.text_hash
          AND NOT EXISTS (SELECT 1 FROM turn_requests WHERE text_hash = old.text_hash); END`,
    ],
  },
  {
    name: 'turns numbered in the order in which they were accepted',
    statements: [
      'ALTER TABLE turns ADD COLUMN seq INTEGER NOT NULL DEFAULT 0',
      `UPDATE turns SET seq = numbered.seq FROM (
          SELECT id, row_number() OVER (PARTITION BY session_id ORDER BY created_at, id) AS seq FROM turns) AS numbered
        WHERE numbered.id = turns.id`,
      'CREATE INDEX turns_seq ON turns(session_id, seq)',
    ],
  },
  {
    name: 'state of agents that own their context',
    statements: [
      `CREATE TABLE agent_states (
        session_id TEXT NOT NULL, agent_id TEXT NOT NULL, turn_id TEXT NOT NULL, token TEXT NOT NULL,
        seen_seq INTEGER NOT NULL, PRIMARY KEY (session_id, agent_id)) WITHOUT ROWID`,
      'CREATE INDEX agent_states_agent ON agent_states(agent_id)',
    ],
  },
  {
    name: 'tool calls that agents ran themselves',
    statements: ['ALTER TABLE tool_calls ADD COLUMN reported_id TEXT'],
  },
  {
    name: 'folders that people choose for sessions',
    statements: ['ALTER TABLE sessions ADD COLUMN workspace TEXT'],
  },
  {
    name: 'messages are indexed after they are stored; turns by their number only',
    statements: [
      // The search index knows the messages up to this row.
      'CREATE TABLE search_progress (indexed_upto INTEGER NOT NULL)',
      'INSERT INTO search_progress (indexed_upto) SELECT coalesce(max(rid), 0) FROM messages',
      // Once the newest message is deleted, its row number is given out again, to a message that is not indexed yet.
      `CREATE TRIGGER messages_deleted AFTER DELETE ON messages
        WHEN old.rid > (SELECT coalesce(max(rid), 0) FROM messages) BEGIN
        UPDATE search_progress SET indexed_upto = min(indexed_upto, (SELECT coalesce(max(rid), 0) FROM messages)); END`,
      'DROP INDEX turns_session',
    ],
  },
  {
    name: 'how many servers a message has passed through',
    statements: ['ALTER TABLE turns ADD COLUMN hops INTEGER NOT NULL DEFAULT 0'],
  },
  {
    name: 'where clients of A2A want to be told how a task stands',
    statements: [
      `CREATE TABLE push_configs (
        turn_id TEXT NOT NULL, config_id TEXT NOT NULL, session_id TEXT NOT NULL, owner TEXT NOT NULL,
        version TEXT NOT NULL, url TEXT NOT NULL, token TEXT NOT NULL, scheme TEXT NOT NULL, credentials TEXT NOT NULL,
        told TEXT, created_at INTEGER NOT NULL, PRIMARY KEY (turn_id, config_id)) WITHOUT ROWID`,
      'CREATE INDEX push_configs_session ON push_configs(session_id)',
      'CREATE INDEX push_configs_untold ON push_configs(turn_id) WHERE told IS NOT NULL',
    ],
  },
  {
    name: 'the cards of remote agents as they were approved, to show what changed',
    statements: [
      'CREATE TABLE approved_cards (hash TEXT PRIMARY KEY, card TEXT NOT NULL, approved_at INTEGER NOT NULL) WITHOUT ROWID',
    ],
  },
  {
    name: 'lists, notes and views',
    statements: [
      `CREATE TABLE artifacts (
        rid INTEGER PRIMARY KEY, owner TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, plugin TEXT,
        name TEXT NOT NULL, name_key TEXT NOT NULL, version INTEGER NOT NULL, text TEXT NOT NULL, content TEXT NOT NULL,
        item_count INTEGER NOT NULL, open_count INTEGER NOT NULL, request_hash TEXT NOT NULL,
        created_at INTEGER NOT NULL, created_by TEXT NOT NULL,
        updated_at INTEGER NOT NULL, updated_by TEXT NOT NULL, deleted_at INTEGER)`,
      'CREATE UNIQUE INDEX artifacts_id ON artifacts(owner, id)',
      'CREATE INDEX artifacts_recent ON artifacts(owner, updated_at DESC, id DESC) WHERE deleted_at IS NULL',
      'CREATE INDEX artifacts_deleted ON artifacts(owner, updated_at DESC, id DESC) WHERE deleted_at IS NOT NULL',
      'CREATE INDEX artifacts_name ON artifacts(owner, name_key) WHERE deleted_at IS NULL',
      'CREATE INDEX artifacts_plugin ON artifacts(owner, plugin, id) WHERE plugin IS NOT NULL AND deleted_at IS NULL',
      `CREATE TABLE list_items (
        rid INTEGER PRIMARY KEY, owner TEXT NOT NULL, id TEXT NOT NULL, list_id TEXT NOT NULL,
        title TEXT NOT NULL, notes TEXT NOT NULL, due TEXT, tags TEXT NOT NULL, field_values TEXT NOT NULL,
        done_at INTEGER, rank TEXT NOT NULL, version INTEGER NOT NULL, request_hash TEXT NOT NULL,
        created_at INTEGER NOT NULL, created_by TEXT NOT NULL,
        updated_at INTEGER NOT NULL, updated_by TEXT NOT NULL, deleted_at INTEGER)`,
      'CREATE UNIQUE INDEX list_items_id ON list_items(owner, id)',
      'CREATE UNIQUE INDEX list_items_order ON list_items(owner, list_id, rank) WHERE deleted_at IS NULL',
      `CREATE INDEX list_items_open ON list_items(owner, list_id, rank)
        WHERE deleted_at IS NULL AND done_at IS NULL`,
      // The one of a list that has an address already, without reading the list.
      `CREATE INDEX list_items_url ON list_items(owner, list_id, field_values ->> '$.url')
        WHERE deleted_at IS NULL AND field_values ->> '$.url' IS NOT NULL`,
      'CREATE INDEX list_items_trash ON list_items(owner, list_id) WHERE deleted_at IS NOT NULL',
      `CREATE TABLE artifact_changes (
        owner TEXT NOT NULL, artifact_id TEXT NOT NULL, version INTEGER NOT NULL, type TEXT NOT NULL, item_id TEXT,
        title TEXT NOT NULL, "before" TEXT, "after" TEXT, text_at INTEGER,
        lines_added INTEGER NOT NULL, lines_removed INTEGER NOT NULL, author TEXT NOT NULL, at INTEGER NOT NULL,
        undoes INTEGER, undone_by INTEGER, other_artifact_id TEXT, other_version INTEGER)`,
      'CREATE UNIQUE INDEX artifact_changes_version ON artifact_changes(owner, artifact_id, version)',
      `CREATE INDEX artifact_changes_item ON artifact_changes(owner, artifact_id, item_id, version)
        WHERE item_id IS NOT NULL`,
      `CREATE INDEX artifact_changes_text ON artifact_changes(owner, artifact_id, version)
        WHERE text_at IS NOT NULL`,
      `CREATE TABLE note_texts (
        owner TEXT NOT NULL, note_id TEXT NOT NULL, version INTEGER NOT NULL, text TEXT NOT NULL)`,
      'CREATE UNIQUE INDEX note_texts_version ON note_texts(owner, note_id, version)',
      `CREATE TABLE note_links (
        owner TEXT NOT NULL, note_id TEXT NOT NULL, name_key TEXT NOT NULL,
        PRIMARY KEY (owner, note_id, name_key)) WITHOUT ROWID`,
      'CREATE INDEX note_links_name ON note_links(owner, name_key)',
      // Rows of artifacts have even numbers, items odd ones.
      `CREATE VIRTUAL TABLE artifacts_fts USING fts5(words, tags, content='', contentless_delete=1,
        tokenize='unicode61 remove_diacritics 2')`,
    ],
  },
  {
    name: 'schedules',
    statements: [
      `CREATE TABLE schedules (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, content TEXT NOT NULL,
        session_id TEXT, agent_id TEXT, folder TEXT, mode TEXT NOT NULL,
        when_text TEXT NOT NULL, cron TEXT, at INTEGER, time_zone TEXT NOT NULL, missed TEXT NOT NULL,
        runs_left INTEGER, failures INTEGER NOT NULL DEFAULT 0, paused_at INTEGER, paused_because TEXT,
        next_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) WITHOUT ROWID`,
      'CREATE UNIQUE INDEX schedules_name ON schedules(owner, name)',
      'CREATE INDEX schedules_next ON schedules(next_at) WHERE next_at IS NOT NULL',
      `CREATE TABLE schedule_runs (
        id TEXT PRIMARY KEY, schedule_id TEXT NOT NULL, due_at INTEGER, state TEXT NOT NULL,
        missed_before INTEGER NOT NULL DEFAULT 0, session_id TEXT, turn_id TEXT, error TEXT,
        created_at INTEGER NOT NULL, ended_at INTEGER) WITHOUT ROWID`,
      // A time that a schedule was due is run once, whatever the code above believes.
      'CREATE UNIQUE INDEX schedule_runs_due ON schedule_runs(schedule_id, due_at) WHERE due_at IS NOT NULL',
      'CREATE INDEX schedule_runs_newest ON schedule_runs(schedule_id, id DESC)',
      `CREATE INDEX schedule_runs_sending ON schedule_runs(id) WHERE state = 'sending'`,
    ],
  },
  {
    name: 'browsers that are notified',
    statements: [
      `CREATE TABLE push_subscriptions (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, endpoint TEXT NOT NULL, p256dh TEXT NOT NULL, auth TEXT NOT NULL,
        name TEXT NOT NULL, language TEXT NOT NULL, created_at INTEGER NOT NULL, last_sent_at INTEGER, problem TEXT
        ) WITHOUT ROWID`,
      'CREATE UNIQUE INDEX push_subscriptions_endpoint ON push_subscriptions(endpoint)',
      'CREATE INDEX push_subscriptions_owner ON push_subscriptions(owner, id)',
    ],
  },
  {
    name: 'to-dos, links and journal pages become items of lists and notes',
    statements: [
      'CREATE INDEX list_items_created ON list_items(owner, list_id, created_at, id) WHERE deleted_at IS NULL',
      `CREATE INDEX artifacts_plugin_created ON artifacts(owner, plugin, created_at, id)
        WHERE plugin IS NOT NULL AND deleted_at IS NULL`,
      ...itemsBecomeList('todo', {
        name: 'To-dos',
        fields: '[{"id":"priority","name":"Priority","type":"choice","choices":["low","normal","high"]}]',
        title: 'title',
        due: `data ->> '$.due'`,
        values: `CASE WHEN data ->> '$.priority' IN ('low', 'high')
          THEN json_object('priority', data ->> '$.priority') ELSE '{}' END`,
        doneAt: `data ->> '$.doneAt'`,
      }),
      ...itemsBecomeList('reading-list', {
        name: 'Reading list',
        fields: '[{"id":"url","name":"Link","type":"link"}]',
        title: `CASE title WHEN '' THEN substr(data ->> '$.url', 1, 500) ELSE title END`,
        due: 'NULL',
        values: `json_object('url', data ->> '$.url')`,
        doneAt: `data ->> '$.readAt'`,
      }),
      `INSERT INTO artifacts (owner, id, kind, plugin, name, name_key, version, text, content, item_count, open_count,
          request_hash, created_at, created_by, updated_at, updated_by)
        SELECT owner, id, 'note', 'journal', name, name_key(name), 1, text,
          json_object('tags', json(tags), 'date', date, 'mood', mood), 0, 0, '', created_at, '${IMPORTED}', updated_at,
          '${IMPORTED}'
        FROM (SELECT *, CASE title WHEN '' THEN data ->> '$.date' ELSE title END AS name, data ->> '$.date' AS date,
            data ->> '$.mood' AS mood, coalesce(data -> '$.tags', '[]') AS tags
          FROM plugin_items WHERE plugin = 'journal' AND holder = '') AS pages
        WHERE NOT EXISTS (SELECT 1 FROM artifacts WHERE artifacts.owner = pages.owner AND artifacts.id = pages.id)
        ORDER BY created_at, id`,
      `INSERT INTO artifact_changes (owner, artifact_id, version, type, title, "after", lines_added, lines_removed, author, at)
        SELECT owner, id, 1, 'created', name, json_patch(content, json_object('name', name)), 0, 0, created_by, created_at
        FROM artifacts WHERE plugin = 'journal' AND created_by = '${IMPORTED}'`,
      `INSERT INTO artifacts_fts (rowid, words, tags)
        SELECT rid * 2, search_words(name || char(10) || text || char(10) || (content ->> '$.tags')),
          'ownerx' || lower(hex(owner)) || ' kindx' || kind
        FROM artifacts WHERE plugin IS NOT NULL AND created_by = '${IMPORTED}'`,
      `DELETE FROM plugin_items WHERE holder = '' AND (plugin IN ('todo', 'reading-list') OR plugin = 'journal' AND EXISTS (
        SELECT 1 FROM artifacts WHERE artifacts.owner = plugin_items.owner AND artifacts.id = plugin_items.id))`,
    ],
  },
  {
    name: 'files that people and agents keep',
    statements: [
      `CREATE TABLE artifact_files (
        owner TEXT NOT NULL, artifact_id TEXT NOT NULL, sha256 TEXT NOT NULL, file_id TEXT NOT NULL,
        PRIMARY KEY (owner, artifact_id, sha256)) WITHOUT ROWID`,
      'CREATE INDEX artifact_files_contents ON artifact_files(owner, sha256)',
      'CREATE INDEX artifact_files_file ON artifact_files(file_id)',
      'CREATE INDEX files_contents ON files(owner, sha256)',
    ],
  },
  {
    name: 'notifications end with the sign-in of the browser',
    statements: [
      'ALTER TABLE push_subscriptions ADD COLUMN sign_in_id TEXT',
      `CREATE TRIGGER push_subscriptions_end AFTER DELETE ON sign_ins
        BEGIN DELETE FROM push_subscriptions WHERE sign_in_id = OLD.id; END`,
    ],
  },
  {
    name: 'teams',
    statements: [
      `CREATE TABLE teams (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, agents TEXT NOT NULL,
        created_agents TEXT NOT NULL, ready_at INTEGER, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) WITHOUT ROWID`,
      'CREATE UNIQUE INDEX teams_name ON teams(owner, name)',
      'ALTER TABLE sessions ADD COLUMN team TEXT',
    ],
  },
  {
    name: 'knowledge that agents can search',
    statements: [
      `CREATE TABLE knowledge_sources (
        rid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
        format TEXT NOT NULL, file_id TEXT, note_id TEXT, note_version INTEGER, bytes INTEGER NOT NULL,
        sha256 TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, problem TEXT, pages INTEGER,
        passages INTEGER NOT NULL DEFAULT 0, characters INTEGER NOT NULL DEFAULT 0,
        generation INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
        deleted_at INTEGER)`,
      'CREATE INDEX knowledge_sources_owner ON knowledge_sources(owner, name, id)',
      'CREATE INDEX knowledge_sources_file ON knowledge_sources(file_id) WHERE file_id IS NOT NULL',
      'CREATE INDEX knowledge_sources_note ON knowledge_sources(owner, note_id) WHERE note_id IS NOT NULL',
      `CREATE INDEX knowledge_sources_unread ON knowledge_sources(state, rid) WHERE state IN ('waiting', 'reading')`,
      `CREATE TABLE knowledge_agents (
        source_id TEXT NOT NULL, agent_id TEXT NOT NULL, owner TEXT NOT NULL, children INTEGER NOT NULL,
        created_at INTEGER NOT NULL, PRIMARY KEY (source_id, agent_id)) WITHOUT ROWID`,
      'CREATE INDEX knowledge_agents_agent ON knowledge_agents(agent_id, owner)',
      `CREATE TABLE knowledge_passages (
        rid INTEGER PRIMARY KEY, source_id TEXT NOT NULL, generation INTEGER NOT NULL, number INTEGER NOT NULL,
        place TEXT NOT NULL, text TEXT NOT NULL)`,
      'CREATE UNIQUE INDEX knowledge_passages_number ON knowledge_passages(source_id, generation, number)',
      `CREATE VIRTUAL TABLE knowledge_fts USING fts5(words, tags, content='', contentless_delete=1,
        tokenize='unicode61 remove_diacritics 2')`,
      `CREATE TABLE knowledge_vectors (
        rid INTEGER PRIMARY KEY, source_id TEXT NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL)`,
      'CREATE INDEX knowledge_vectors_source ON knowledge_vectors(source_id, model)',
    ],
  },
  {
    // Every turn moved its session in two indexes of about the same order.
    name: 'sessions by their activity in one index',
    statements: [
      'DROP INDEX sessions_latest',
      'DROP INDEX sessions_active',
      `CREATE INDEX sessions_active ON sessions(owner, last_activity_at DESC, id DESC, status, agent_id)
        WHERE archived_at IS NULL`,
    ],
  },
  {
    name: 'webhooks',
    statements: [
      `CREATE TABLE outgoing_webhooks (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, url TEXT NOT NULL, events TEXT NOT NULL,
        agents TEXT NOT NULL, session_id TEXT, texts INTEGER NOT NULL, secret TEXT NOT NULL, previous_secret TEXT,
        previous_until INTEGER, sequence INTEGER NOT NULL, failing_since INTEGER, paused_at INTEGER, disabled_at INTEGER,
        disabled_because TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) WITHOUT ROWID`,
      'CREATE UNIQUE INDEX outgoing_webhooks_name ON outgoing_webhooks(owner, name)',
      `CREATE TABLE webhook_deliveries (
        id TEXT PRIMARY KEY, webhook_id TEXT NOT NULL, event TEXT NOT NULL, sequence INTEGER NOT NULL, state TEXT NOT NULL,
        attempts INTEGER NOT NULL, next_at INTEGER, status INTEGER, response TEXT, error TEXT, duration_ms INTEGER, body TEXT,
        session_id TEXT, turn_id TEXT, message_id TEXT, artifact_id TEXT, created_at INTEGER NOT NULL, attempted_at INTEGER,
        ended_at INTEGER)`,
      'CREATE INDEX webhook_deliveries_newest ON webhook_deliveries(webhook_id, id DESC)',
      'CREATE INDEX webhook_deliveries_due ON webhook_deliveries(webhook_id, next_at) WHERE next_at IS NOT NULL',
      'CREATE INDEX webhook_deliveries_session ON webhook_deliveries(session_id) WHERE session_id IS NOT NULL',
      'CREATE INDEX webhook_deliveries_artifact ON webhook_deliveries(artifact_id) WHERE artifact_id IS NOT NULL',
      `CREATE TABLE incoming_webhooks (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, signature TEXT NOT NULL, session_id TEXT, agent_id TEXT,
        folder TEXT, mode TEXT NOT NULL, template TEXT, secret TEXT NOT NULL, previous_secret TEXT, previous_until INTEGER,
        paused_at INTEGER, disabled_at INTEGER, disabled_because TEXT, created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL) WITHOUT ROWID`,
      'CREATE UNIQUE INDEX incoming_webhooks_name ON incoming_webhooks(owner, name)',
      `CREATE TABLE webhook_calls (
        id TEXT PRIMARY KEY, webhook_id TEXT NOT NULL, caller_id TEXT NOT NULL, state TEXT NOT NULL, session_id TEXT,
        turn_id TEXT, error TEXT, bytes INTEGER NOT NULL, created_at INTEGER NOT NULL) WITHOUT ROWID`,
      // A request is taken once, whatever the code above believes.
      `CREATE UNIQUE INDEX webhook_calls_taken ON webhook_calls(webhook_id, caller_id) WHERE state = 'accepted'`,
      'CREATE INDEX webhook_calls_newest ON webhook_calls(webhook_id, id DESC)',
    ],
  },
  {
    name: 'what agents remember has a history and an origin',
    statements: [
      `CREATE TABLE memories (
        owner TEXT NOT NULL, id TEXT NOT NULL, holder TEXT NOT NULL, topic TEXT NOT NULL, text TEXT NOT NULL,
        tags TEXT NOT NULL, version INTEGER NOT NULL, created_at INTEGER NOT NULL, created_by TEXT,
        updated_at INTEGER NOT NULL, updated_by TEXT, deleted_at INTEGER, PRIMARY KEY (owner, id)) WITHOUT ROWID`,
      'CREATE INDEX memories_newest ON memories(owner, holder, id DESC) WHERE deleted_at IS NULL',
      'CREATE INDEX memories_text ON memories(owner, holder, text) WHERE deleted_at IS NULL',
      'CREATE INDEX memories_deleted ON memories(deleted_at) WHERE deleted_at IS NOT NULL',
      `CREATE TABLE memory_changes (
        owner TEXT NOT NULL, memory_id TEXT NOT NULL, version INTEGER NOT NULL, type TEXT NOT NULL, topic TEXT NOT NULL,
        text TEXT NOT NULL, tags TEXT NOT NULL, author TEXT, at INTEGER NOT NULL,
        PRIMARY KEY (owner, memory_id, version)) WITHOUT ROWID`,
      // Ids were unique for each agent.
      `INSERT INTO memories (owner, id, holder, topic, text, tags, version, created_at, updated_at)
        SELECT owner, id || CASE n WHEN 1 THEN '' ELSE '-' || n END, holder, title, text, coalesce(data -> '$.tags', '[]'), 1,
          created_at, updated_at
        FROM (SELECT *, row_number() OVER (PARTITION BY owner, id ORDER BY holder) AS n
          FROM plugin_items WHERE plugin = 'memory')`,
      `INSERT INTO memory_changes (owner, memory_id, version, type, topic, text, tags, at)
        SELECT owner, id, 1, 'created', topic, text, tags, created_at FROM memories`,
      `DELETE FROM plugin_items WHERE plugin = 'memory'`,
    ],
  },
  {
    name: 'sessions that only try an agent or a team, by their activity',
    statements: [
      `CREATE INDEX sessions_scratch ON sessions(last_activity_at) WHERE json_type(attributes, '$.scratch') = 'true'`,
    ],
  },
];

export class SchemaTooNewError extends Error {
  constructor(found: number) {
    super(
      `This data folder was written by a newer version of Parley (schema ${found}; this version supports up to ${MIGRATIONS.length}). ` +
        'Nothing was changed. Start the newer version, or choose another folder with --home.',
    );
    this.name = 'SchemaTooNewError';
  }
}

/** Brings the schema up to date, one transaction per migration; refuses a schema it does not know. */
export async function migrate(db: Kysely<Tables>, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)`.execute(db);
  const found = await sql<{ version: number | null }>`SELECT max(version) AS version FROM schema_version`.execute(db);
  const version = found.rows[0]?.version ?? 0;
  if (version > migrations.length) throw new SchemaTooNewError(version);
  for (let next = version; next < migrations.length; next++) await applyOne(db, migrations[next]!, next + 1);
}

async function applyOne(db: Kysely<Tables>, migration: Migration, version: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const statement of migration.statements) await sql.raw(statement).execute(tx);
    await sql`INSERT INTO schema_version (version) VALUES (${version})`.execute(tx);
    reach('migration.before-commit');
  });
}
