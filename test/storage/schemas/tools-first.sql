CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE sessions (
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
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, last_activity_at INTEGER NOT NULL, working_for_session_id TEXT, mode TEXT NOT NULL DEFAULT 'full');
CREATE UNIQUE INDEX sessions_name ON sessions(owner, name) WHERE name IS NOT NULL;
CREATE UNIQUE INDEX sessions_key ON sessions(owner, key_agent_id, sender) WHERE key_agent_id IS NOT NULL;
CREATE INDEX sessions_active ON sessions(owner, last_activity_at DESC, id DESC, status)
  WHERE archived_at IS NULL;
CREATE INDEX sessions_archived ON sessions(owner, last_activity_at DESC, id DESC) WHERE archived_at IS NOT NULL;
CREATE INDEX sessions_folder ON sessions(owner, folder, last_activity_at DESC, id DESC) WHERE folder IS NOT NULL;
CREATE INDEX sessions_latest ON sessions(owner, agent_id, updated_at DESC);
CREATE INDEX sessions_parent ON sessions(parent_session_id) WHERE parent_session_id IS NOT NULL;
CREATE TABLE session_agents (
  session_id TEXT NOT NULL, agent_id TEXT NOT NULL, spoke_at INTEGER,
  PRIMARY KEY (session_id, agent_id)) WITHOUT ROWID;
CREATE INDEX session_agents_agent ON session_agents(agent_id, session_id);
CREATE TABLE messages (
  rid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL,
  seq INTEGER, parent_id TEXT, turn_id TEXT,
  role TEXT NOT NULL, agent_id TEXT, guest INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL,
  text TEXT NOT NULL, parts TEXT, on_path INTEGER NOT NULL DEFAULT 1, compaction_id TEXT,
  request_hash TEXT, created_at INTEGER NOT NULL);
CREATE UNIQUE INDEX messages_seq ON messages(session_id, seq);
CREATE INDEX messages_aside ON messages(session_id, parent_id) WHERE on_path = 0;
CREATE VIRTUAL TABLE messages_fts USING fts5(text, tags, content='', contentless_delete=1,
  tokenize='unicode61 remove_diacritics 2');
CREATE TABLE turns (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL, agent_id TEXT NOT NULL,
  guest INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL, message_id TEXT NOT NULL, answer_id TEXT,
  parent_turn_id TEXT, retry_of TEXT, steer_into TEXT, steered_at INTEGER, branch_after INTEGER,
  queue_order REAL NOT NULL DEFAULT 0, stop_reason TEXT, error TEXT, usage TEXT,
  created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, root_turn_id TEXT, nested_in TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE INDEX turns_session ON turns(session_id, created_at);
CREATE INDEX turns_queued ON turns(session_id, queue_order) WHERE state = 'queued';
CREATE TABLE turn_requests (
  turn_id TEXT NOT NULL, step INTEGER NOT NULL, at INTEGER NOT NULL, request TEXT NOT NULL,
  PRIMARY KEY (turn_id, step)) WITHOUT ROWID;
CREATE TABLE partials (
  turn_id TEXT NOT NULL, ord INTEGER NOT NULL, part INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (turn_id, ord)) WITHOUT ROWID;
CREATE TABLE events (
  position INTEGER PRIMARY KEY, session_id TEXT NOT NULL, owner TEXT NOT NULL,
  seq INTEGER NOT NULL, type TEXT NOT NULL, at INTEGER NOT NULL, message_id TEXT, data TEXT NOT NULL);
CREATE UNIQUE INDEX events_seq ON events(session_id, seq);
CREATE TABLE event_retention (pruned_position INTEGER NOT NULL);
CREATE TABLE compactions (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL, agent_id TEXT NOT NULL, summary TEXT NOT NULL,
  archived_count INTEGER NOT NULL, upto_seq INTEGER NOT NULL, last_message_id TEXT NOT NULL,
  created_at INTEGER NOT NULL);
CREATE INDEX compactions_session ON compactions(session_id, upto_seq);
CREATE TABLE sign_ins (
  token_hash TEXT PRIMARY KEY, owner TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL);
CREATE TABLE audit (
  id TEXT PRIMARY KEY, at INTEGER NOT NULL, owner TEXT NOT NULL, action TEXT NOT NULL,
  object TEXT, detail TEXT, request_id TEXT);
CREATE UNIQUE INDEX turns_one_running ON turns(session_id, nested_in) WHERE state IN ('running','waiting');
CREATE INDEX turns_parent ON turns(parent_turn_id) WHERE parent_turn_id IS NOT NULL;
CREATE INDEX turns_root ON turns(root_turn_id) WHERE root_turn_id IS NOT NULL;
CREATE TABLE tool_calls (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL, turn_id TEXT NOT NULL, agent_id TEXT NOT NULL,
  model_call_id TEXT NOT NULL, name TEXT NOT NULL, input TEXT NOT NULL, state TEXT NOT NULL, via TEXT NOT NULL,
  step INTEGER NOT NULL, part INTEGER NOT NULL, reason TEXT, output TEXT, output_bytes INTEGER NOT NULL DEFAULT 0,
  is_error INTEGER NOT NULL DEFAULT 0, began INTEGER NOT NULL DEFAULT 0, action_id TEXT, opaque TEXT,
  created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER) WITHOUT ROWID;
CREATE INDEX tool_calls_turn ON tool_calls(turn_id, part);
CREATE INDEX tool_calls_session ON tool_calls(session_id);
CREATE TABLE actions (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, title TEXT NOT NULL,
  session_id TEXT NOT NULL, turn_id TEXT NOT NULL, root_session_id TEXT NOT NULL, agent_id TEXT NOT NULL,
  call_id TEXT, chain TEXT NOT NULL, detail TEXT NOT NULL, answer TEXT,
  created_at INTEGER NOT NULL, settled_at INTEGER, expires_at INTEGER) WITHOUT ROWID;
CREATE INDEX actions_open ON actions(owner, id) WHERE state = 'open';
CREATE INDEX actions_owner ON actions(owner, state, id);
CREATE INDEX actions_turn ON actions(turn_id);
CREATE INDEX actions_session ON actions(session_id);
CREATE INDEX actions_root ON actions(root_session_id);
CREATE TABLE grants (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, agent_id TEXT NOT NULL, tool TEXT NOT NULL, session_id TEXT,
  created_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE UNIQUE INDEX grants_tool ON grants(owner, agent_id, tool, coalesce(session_id, ''));
CREATE INDEX grants_session ON grants(session_id) WHERE session_id IS NOT NULL;
CREATE TABLE delegations (
  turn_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, parent_turn_id TEXT NOT NULL, parent_session_id TEXT NOT NULL,
  call_id TEXT, from_agent TEXT NOT NULL, to_agent TEXT NOT NULL, via TEXT NOT NULL, mode TEXT NOT NULL,
  notify TEXT NOT NULL, created_session INTEGER NOT NULL DEFAULT 0, chain TEXT NOT NULL, task TEXT NOT NULL,
  created_at INTEGER NOT NULL, delivered_at INTEGER) WITHOUT ROWID;
CREATE INDEX delegations_parent ON delegations(parent_turn_id);
CREATE INDEX delegations_call ON delegations(call_id) WHERE call_id IS NOT NULL;
CREATE INDEX delegations_session ON delegations(session_id);
CREATE INDEX delegations_parent_session ON delegations(parent_session_id);
CREATE TABLE extensions (
  root_turn_id TEXT NOT NULL, name TEXT NOT NULL, extra REAL NOT NULL,
  PRIMARY KEY (root_turn_id, name)) WITHOUT ROWID;
CREATE TABLE plugin_items (
  owner TEXT NOT NULL, plugin TEXT NOT NULL, holder TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL,
  text TEXT NOT NULL, data TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner, plugin, holder, id)) WITHOUT ROWID;
CREATE TABLE mcp_definitions (
  server TEXT NOT NULL, tool TEXT NOT NULL, hash TEXT NOT NULL, definition TEXT NOT NULL,
  accepted_at INTEGER NOT NULL, PRIMARY KEY (server, tool)) WITHOUT ROWID;
INSERT INTO schema_version (version) VALUES (1), (2);
INSERT INTO event_retention (pruned_position) VALUES (0);
