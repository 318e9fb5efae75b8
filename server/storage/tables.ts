import type { Generated } from 'kysely';

/**
 * Rows as they are stored. Portable types only: text ids, times as milliseconds, JSON as text, flags as 0 and 1.
 * A time instead of a flag wherever something happened.
 */
export interface Tables {
  sessions: SessionRow;
  session_agents: SessionAgentRow;
  messages: MessageRow;
  turns: TurnRow;
  turn_requests: TurnRequestRow;
  partials: PartialRow;
  events: EventRow;
  event_retention: EventRetentionRow;
  compactions: CompactionRow;
  sign_ins: SignInRow;
  audit: AuditRow;
}

export interface SessionRow {
  id: string;
  owner: string;
  type: string;
  status: string;
  /** The primary; may change. The key below is how the session was first addressed and never does. */
  agent_id: string | null;
  key_agent_id: string | null;
  sender: string;
  name: string | null;
  title: string | null;
  folder: string | null;
  parent_session_id: string | null;
  forked_from_session_id: string | null;
  forked_from_message_id: string | null;
  head_id: string | null;
  message_seq: number;
  event_seq: number;
  /** Events up to this number are gone: a cursor before it gets a reset. */
  event_floor: number;
  message_count: number;
  queued_count: number;
  unread_count: number;
  snippet: string;
  /** Everyone who has spoken, as a JSON list: what a list of sessions shows without a join. */
  agents: string;
  attributes: string;
  pinned_at: number | null;
  archived_at: number | null;
  created_at: number;
  updated_at: number;
  last_activity_at: number;
}

/** Everyone who is or was the primary of a session, or has spoken in it. */
export interface SessionAgentRow {
  session_id: string;
  agent_id: string;
  spoke_at: number | null;
}

export interface MessageRow {
  /** Rowid: the search index points at it. */
  rid: Generated<number>;
  id: string;
  session_id: string;
  /** Null while the message waits in the queue. */
  seq: number | null;
  parent_id: string | null;
  turn_id: string | null;
  role: string;
  agent_id: string | null;
  guest: number;
  status: string;
  text: string;
  /** Null when the text is the only part. */
  parts: string | null;
  /** On the branch that is being shown. */
  on_path: number;
  compaction_id: string | null;
  /** Tells a repeated send from another message under the same id. */
  request_hash: string | null;
  created_at: number;
}

export interface TurnRow {
  id: string;
  session_id: string;
  agent_id: string;
  guest: number;
  state: string;
  message_id: string;
  answer_id: string | null;
  parent_turn_id: string | null;
  retry_of: string | null;
  steer_into: string | null;
  steered_at: number | null;
  /** Where another branch begins: everything after this place leaves the path when the turn starts. */
  branch_after: number | null;
  queue_order: number;
  stop_reason: string | null;
  error: string | null;
  usage: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

export interface TurnRequestRow {
  turn_id: string;
  step: number;
  at: number;
  request: string;
}

/** What a running turn has said so far, in pieces that are only ever appended. Gone once it has settled. */
export interface PartialRow {
  turn_id: string;
  ord: number;
  part: number;
  kind: string;
  text: string;
}

export interface EventRow {
  position: number;
  session_id: string;
  owner: string;
  seq: number;
  type: string;
  at: number;
  message_id: string | null;
  data: string;
}

/** One row: events up to here have been pruned for their age, so a cursor before it gets a reset. */
export interface EventRetentionRow {
  pruned_position: number;
}

export interface CompactionRow {
  id: string;
  session_id: string;
  agent_id: string;
  summary: string;
  archived_count: number;
  upto_seq: number;
  /** It stands for its messages only while the last of them is on the path. */
  last_message_id: string;
  created_at: number;
}

export interface SignInRow {
  token_hash: string;
  owner: string;
  created_at: number;
  expires_at: number;
}

export interface AuditRow {
  id: string;
  at: number;
  owner: string;
  action: string;
  object: string | null;
  detail: string | null;
  request_id: string | null;
}
