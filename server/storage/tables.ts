import type { Generated, Kysely } from 'kysely';
import type { ActionKind, ActionState } from '../../contract/actions.ts';
import type { ArtifactChange, ArtifactKind, ArtifactPlugin } from '../../contract/artifacts.ts';
import type { Delegation, NotifyMode } from '../../contract/delegation.ts';
import type { SessionEvent } from '../../contract/events.ts';
import type { FileKind } from '../../contract/files.ts';
import type { KnowledgeFormat, KnowledgeState } from '../../contract/knowledge.ts';
import type { Message, Part } from '../../contract/messages.ts';
import type { MissedRuns, RunState } from '../../contract/schedules.ts';
import type { SessionMode, SessionStatus, SessionType } from '../../contract/sessions.ts';
import type { ToolCall, ToolCallState } from '../../contract/tools.ts';
import type { TurnState } from '../../contract/turns.ts';
import type { CallState, DeliveredEvent, DeliveryState, WebhookSignature } from '../../contract/webhooks.ts';

/** The database, or a transaction in it: one is used like the other. */
export type Db = Kysely<Tables>;

/**
 * Rows as they are stored. Portable types only: text ids, times as milliseconds, JSON as text, flags as 0 and 1.
 * A time instead of a flag wherever something happened.
 */
export interface Tables {
  sessions: SessionRow;
  session_agents: SessionAgentRow;
  messages: MessageRow;
  search_progress: SearchProgressRow;
  turns: TurnRow;
  turn_requests: TurnRequestRow;
  request_texts: RequestTextRow;
  partials: PartialRow;
  events: EventRow;
  event_epochs: EventEpochRow;
  event_retention: EventRetentionRow;
  compactions: CompactionRow;
  tool_calls: ToolCallRow;
  actions: ActionRow;
  grants: GrantRow;
  delegations: DelegationRow;
  extensions: ExtensionRow;
  plugin_items: PluginItemRow;
  known_agents: KnownAgentRow;
  mcp_definitions: McpDefinitionRow;
  files: FileRow;
  message_files: MessageFileRow;
  shares: ShareRow;
  session_templates: SessionTemplateRow;
  teams: TeamRow;
  deleted_turn_usage: DeletedTurnUsageRow;
  sign_ins: SignInRow;
  audit: AuditRow;
  detached_contents: DetachedContentsRow;
  agent_states: AgentStateRow;
  push_configs: PushConfigRow;
  approved_cards: ApprovedCardRow;
  artifacts: ArtifactRow;
  list_items: ListItemRow;
  artifact_changes: ArtifactChangeRow;
  note_texts: NoteTextRow;
  note_links: NoteLinkRow;
  artifact_files: ArtifactFileRow;
  incoming_webhooks: IncomingWebhookRow;
  memories: MemoryRow;
  memory_changes: MemoryChangeRow;
  outgoing_webhooks: OutgoingWebhookRow;
  push_subscriptions: PushSubscriptionRow;
  schedules: ScheduleRow;
  webhook_calls: WebhookCallRow;
  webhook_deliveries: WebhookDeliveryRow;
  schedule_runs: ScheduleRunRow;
  knowledge_sources: KnowledgeSourceRow;
  knowledge_agents: KnowledgeAgentRow;
  knowledge_passages: KnowledgePassageRow;
  knowledge_vectors: KnowledgeVectorRow;
}

export interface SessionRow {
  id: string;
  owner: string;
  type: SessionType;
  status: SessionStatus;
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
  /** Who said what the snippet shows, as JSON. */
  snippet_speaker: string | null;
  /** Every agent that has spoken, as a JSON list: what a list of sessions shows without a join. */
  agents: string;
  attributes: string;
  pinned_at: number | null;
  archived_at: number | null;
  created_at: number;
  updated_at: number;
  last_activity_at: number;
  /** Where the work that is being done here was asked for, as long as it is. */
  working_for_session_id: string | null;
  mode: SessionMode;
  /** Of a session that an agent had made to give work to another: the session it did that in. */
  delegated_from_session_id: string | null;
  /** The folder that the person chose for its agents, as JSON. */
  workspace: string | null;
  /** The team with which it began, as JSON. */
  team: string | null;
}

/** Every agent that is or was the primary of a session, or has spoken in it. */
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
  role: Message['role'];
  agent_id: string | null;
  guest: number;
  status: Message['status'];
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

/** A message as it is stored: its row gets a number from the database. */
export type NewMessage = Omit<MessageRow, 'rid'>;

/** The parts column is empty when the text is all there is. */
export function toParts(text: string, parts: string | null): Part[] {
  if (parts) return JSON.parse(parts) as Part[];
  return text ? [{ type: 'text', text }] : [];
}

/** One row: the search index knows the messages up to here. */
export interface SearchProgressRow {
  indexed_upto: number;
}

/** What a turn used that was deleted with its message. */
export type DeletedTurnUsageRow = Pick<TurnRow, 'id' | 'session_id' | 'agent_id' | 'created_at' | 'usage'>;

export interface TurnRow {
  id: string;
  /** Rises within a session in the order in which its turns were accepted, whatever the clock says. Set when it is stored. */
  seq: number;
  session_id: string;
  agent_id: string;
  guest: number;
  state: TurnState;
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
  /** What the person began; null when that is this turn. */
  root_turn_id: string | null;
  /** The turn in the same session that waits for this one, else empty. */
  nested_in: string;
  /** Delegations that it has written down and that have not begun, as JSON; not null while it follows them. */
  pending: string | null;
  /** How long it has waited for a person, and since when it waits now. */
  waited_ms: number;
  waiting_since: number | null;
  /**
   * `becomes`: the message names the agent, which becomes the primary when the turn starts. `follows`: the message names
   * no agent, so the primary at that moment answers. Null: the turn has nothing to do with the primary.
   */
  primary_rule: 'becomes' | 'follows' | null;
  /** Of a turn that another server began: how many servers the message has passed through. */
  hops: number;
}

export interface TurnRequestRow {
  turn_id: string;
  step: number;
  at: number;
  /** JSON; without prompt and tools when these are stored under a hash. */
  request: string;
  text_hash: string | null;
}

/** The prompt and the tools of any number of requests, as JSON. */
export interface RequestTextRow {
  hash: string;
  text: string;
}

/** What a running turn has said so far, in pieces that are only ever appended. Gone once it has settled. */
export interface PartialRow {
  turn_id: string;
  ord: number;
  part: number;
  kind: 'text' | 'reasoning' | 'file' | 'notice' | 'diff';
  text: string;
}

export interface EventRow {
  position: number;
  session_id: string;
  owner: string;
  seq: number;
  type: SessionEvent['type'];
  at: number;
  message_id: string | null;
  data: string;
}

/** One row: events up to here have been pruned for their age, so a cursor before it gets a reset. */
export interface EventRetentionRow {
  pruned_position: number;
}

/** A run of a server that stored events, and the position after which it began. */
export interface EventEpochRow {
  id: string;
  after_position: number;
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
  /** What writing the summary cost, as JSON. */
  usage: string | null;
}

export interface ToolCallRow {
  id: string;
  session_id: string;
  turn_id: string;
  agent_id: string;
  name: string;
  input: string;
  state: ToolCallState;
  via: ToolCall['via'];
  step: number;
  part: number;
  reason: string | null;
  /** JSON of the reference that a translation of the reason needs; null when there is none. */
  reason_text: string | null;
  /** The whole output, up to what is kept of one. */
  output: string | null;
  output_bytes: number;
  is_error: number;
  /** Whether the tool itself had begun: what waits for approval has not. */
  began: number;
  action_id: string | null;
  /** What the provider wants back with the step, on its first call. */
  opaque: string | null;
  /** The message it is part of; null while that is not stored. */
  message_id: string | null;
  /** JSON of the questions it asked the person, with their answers; null when it asked none. */
  answers: string | null;
  /** How long it has waited for a person since it started, and since when it waits now. */
  waited_ms: number;
  waiting_since: number | null;
  /** Of a call that the agent ran itself and reported: what the agent calls it. */
  reported_id: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

export interface ActionRow {
  id: string;
  owner: string;
  kind: ActionKind;
  state: ActionState;
  title: string;
  session_id: string;
  turn_id: string;
  agent_id: string;
  call_id: string | null;
  chain: string;
  detail: string;
  answer: string | null;
  created_at: number;
  settled_at: number | null;
  expires_at: number | null;
}

export interface GrantRow {
  id: string;
  owner: string;
  agent_id: string;
  tool: string;
  session_id: string | null;
  created_at: number;
}

/** The last definition of an agent without errors. */
export interface KnownAgentRow {
  agent_id: string;
  version: string;
  /** The file that defines it, relative to the data folder. */
  source: string;
  /** Tells that file from another one that has the same name later. */
  file: string;
  /** JSON, without a key that is written out. */
  definition: string;
}

/** A turn that works for another one. */
export interface DelegationRow {
  turn_id: string;
  session_id: string;
  parent_turn_id: string;
  parent_session_id: string;
  call_id: string | null;
  from_agent: string;
  to_agent: string;
  via: Delegation['via'];
  mode: Delegation['mode'];
  notify: NotifyMode;
  created_session: number;
  /** The chain of delegating agents, the person's turn first, as JSON. */
  chain: string;
  task: string;
  created_at: number;
  delivered_at: number | null;
}

export interface ExtensionRow {
  root_turn_id: string;
  name: string;
  extra: number;
}

/** What built-in plugins keep. `holder` is the agent whose own it is, else empty. */
export interface PluginItemRow {
  owner: string;
  plugin: string;
  holder: string;
  id: string;
  title: string;
  text: string;
  data: string;
  created_at: number;
  updated_at: number;
}

export interface McpDefinitionRow {
  server: string;
  tool: string;
  hash: string;
  definition: string;
  accepted_at: number;
}

/** What was sent up; its contents are a file of that name in the data folder. */
export interface FileRow {
  id: string;
  owner: string;
  name: string;
  media_type: string;
  kind: FileKind;
  bytes: number;
  sha256: string;
  created_at: number;
  /** When it first became part of a message or was kept. Once nothing has it any more, it is gone. */
  sent_at: number | null;
}

/** The contents that a version of a kept file has, stored as a file. The same contents are stored once for each owner. */
export interface ArtifactFileRow {
  owner: string;
  artifact_id: string;
  sha256: string;
  file_id: string;
}

export interface MessageFileRow {
  message_id: string;
  place: number;
  file_id: string;
  session_id: string;
}

/** What was said up to a moment, for readers who have the link. */
export interface ShareRow {
  id: string;
  owner: string;
  session_id: string;
  /** Where it was made: its link begins with it. */
  origin: string;
  token: string;
  token_hash: string;
  title: string;
  /** As they are shown, with ids that are not shown. */
  messages: string;
  tool_details: number;
  created_at: number;
}

/** What a session begins with. */
export interface SessionTemplateRow {
  id: string;
  owner: string;
  name: string;
  agent_id: string | null;
  title: string | null;
  folder: string | null;
  mode: SessionMode;
  opening: string;
  sends_opening: number;
  created_at: number;
  updated_at: number;
}

/** Agents that sessions can begin with together. */
export interface TeamRow {
  id: string;
  owner: string;
  name: string;
  description: string;
  /** Their ids as a JSON list, the orchestrator first. */
  agents: string;
  /** The versions of those that were created with it, as JSON by id. */
  created_agents: string;
  /** Null while agents are being created or deleted together with it: then there is no such team for anyone. */
  ready_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface SignInRow {
  id: string;
  owner: string;
  cookie_hash: string;
  key_hash: string;
  /** Made from the token that was in force: with another token the sign-in is over. */
  token_mark: string;
  browser: string;
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

/** Contents under an id that has no session: of a copy that is not finished, or of a session that was deleted. */
export interface DetachedContentsRow {
  session_id: string;
  /** Events of the id up to this number are among them. */
  events_upto: number;
}

/** What an agent that owns its context keeps of a session: its own token, which means nothing to the server. */
export interface AgentStateRow {
  session_id: string;
  agent_id: string;
  /** The turn in which it was last stored. */
  turn_id: string;
  /** Null in memory only: the agent has lost its state. */
  token: string | null;
  /** The newest message that the agent was shown. */
  seen_seq: number;
}

/** Where a client of A2A wants to be told how a task stands. */
export interface ApprovedCardRow {
  /** Of the card; the definition of the agent names the one that was approved. */
  hash: string;
  /** As JSON. */
  card: string;
  approved_at: number;
}

export interface PushConfigRow {
  turn_id: string;
  config_id: string;
  session_id: string;
  owner: string;
  /** Of the protocol that the client speaks. */
  version: '1.0' | '0.3';
  url: string;
  token: string;
  /** Of the header `Authorization`; empty: there is none. */
  scheme: string;
  credentials: string;
  /** The state that was told last; empty: none yet; null: the last one was, or could not be. */
  told: string | null;
  created_at: number;
}

/** A list, a note, a view or a file. Ids are unique for each owner. */
export interface ArtifactRow {
  /** Rowid: the search index points at it. */
  rid: number;
  owner: string;
  id: string;
  kind: ArtifactKind;
  plugin: ArtifactPlugin | null;
  name: string;
  /** The name as links and tools look for it. */
  name_key: string;
  version: number;
  /** Of a note, and of a file that is text; empty otherwise. */
  text: string;
  /** JSON: what its kind has besides. */
  content: string;
  item_count: number;
  open_count: number;
  /** Tells a repeated creation from another one under the same id. */
  request_hash: string;
  created_at: number;
  /** JSON of an author. */
  created_by: string;
  updated_at: number;
  updated_by: string;
  deleted_at: number | null;
}

export interface ListItemRow {
  /** Rowid: the search index points at it. */
  rid: number;
  owner: string;
  id: string;
  list_id: string;
  title: string;
  notes: string;
  due: string | null;
  /** JSON. */
  tags: string;
  /** JSON, by the field of the list; also of fields that the list does not have at the moment. */
  field_values: string;
  done_at: number | null;
  rank: string;
  /** The version of the list in which it was last changed. */
  version: number;
  request_hash: string;
  created_at: number;
  created_by: string;
  updated_at: number;
  updated_by: string;
  deleted_at: number | null;
}

/** One entry of the history of an artifact. */
export interface ArtifactChangeRow {
  owner: string;
  artifact_id: string;
  version: number;
  type: ArtifactChange['type'];
  item_id: string | null;
  title: string;
  /** JSON. */
  before: string | null;
  after: string | null;
  text_at: number | null;
  /** Lines of the text of a note. */
  lines_added: number;
  lines_removed: number;
  author: string;
  at: number;
  undoes: number | null;
  undone_by: number | null;
  /** Of an item that moved to another list: the entry in the history of that list. */
  other_artifact_id: string | null;
  other_version: number | null;
}

/** A note as it was, kept at intervals, so that no version is far from one of them. */
export interface NoteTextRow {
  owner: string;
  note_id: string;
  version: number;
  text: string;
}

export interface NoteLinkRow {
  owner: string;
  note_id: string;
  name_key: string;
}

export interface ScheduleRow {
  id: string;
  owner: string;
  name: string;
  content: string;
  session_id: string | null;
  agent_id: string | null;
  folder: string | null;
  mode: SessionMode;
  /** As it was written. */
  when_text: string;
  /** Five fields; null for a single time, which is `at`. */
  cron: string | null;
  at: number | null;
  time_zone: string;
  missed: MissedRuns;
  runs_left: number | null;
  /** In a row, up to now. */
  failures: number;
  paused_at: number | null;
  paused_because: string | null;
  /** Null while it is paused and once it has ended. */
  next_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface ScheduleRunRow {
  id: string;
  schedule_id: string;
  due_at: number | null;
  state: RunState;
  missed_before: number;
  session_id: string | null;
  turn_id: string | null;
  error: string | null;
  created_at: number;
  ended_at: number | null;
}

/** A browser that is notified of what waits for its person. */
export interface PushSubscriptionRow {
  id: string;
  owner: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  name: string;
  language: string;
  created_at: number;
  last_sent_at: number | null;
  problem: string | null;
  /** The sign-in of the browser that subscribed; null when the request showed the token. */
  sign_in_id: string | null;
}

/** A file or a note that agents can search. */
export interface KnowledgeSourceRow {
  rid: number;
  id: string;
  owner: string;
  name: string;
  kind: 'file' | 'note';
  format: KnowledgeFormat;
  file_id: string | null;
  note_id: string | null;
  /** Of the note, as it was read last; -1: it was not there. */
  note_version: number | null;
  bytes: number;
  sha256: string;
  state: KnowledgeState;
  /** How often it was begun to be read since a person asked for it. */
  attempts: number;
  /** JSON. */
  problem: string | null;
  pages: number | null;
  passages: number;
  characters: number;
  /** Which of its passages count: those of a later reading are not complete yet. */
  generation: number;
  created_at: number;
  updated_at: number;
  /** Hidden since then; its passages are being deleted. */
  deleted_at: number | null;
}

/** An agent that can search a source, alone or with the agents below it. */
export interface KnowledgeAgentRow {
  source_id: string;
  agent_id: string;
  owner: string;
  children: 0 | 1;
  created_at: number;
}

export interface KnowledgePassageRow {
  rid: number;
  source_id: string;
  generation: number;
  number: number;
  /** JSON. */
  place: string;
  text: string;
}

/** What a model makes of a passage: 32-bit floats, of length 1 together. */
export interface KnowledgeVectorRow {
  rid: number;
  source_id: string;
  /** The model and all that decides what it makes. */
  model: string;
  vector: Uint8Array;
}

/** An address that is called when something happens. Its secret is in no answer but the one that makes it. */
export interface OutgoingWebhookRow {
  id: string;
  owner: string;
  name: string;
  url: string;
  /** JSON arrays. */
  events: string;
  agents: string;
  session_id: string | null;
  texts: number;
  secret: string;
  /** Counts until the time beside it. */
  previous_secret: string | null;
  previous_until: number | null;
  /** Of its newest delivery. */
  sequence: number;
  failing_since: number | null;
  paused_at: number | null;
  disabled_at: number | null;
  disabled_because: string | null;
  created_at: number;
  updated_at: number;
}

export interface WebhookDeliveryRow {
  id: string;
  webhook_id: string;
  event: DeliveredEvent;
  sequence: number;
  state: DeliveryState;
  attempts: number;
  /** Null while a request of a person sends it, and once it is over. */
  next_at: number | null;
  status: number | null;
  response: string | null;
  error: string | null;
  duration_ms: number | null;
  /** Null once what it tells of is deleted. */
  body: string | null;
  session_id: string | null;
  turn_id: string | null;
  message_id: string | null;
  artifact_id: string | null;
  created_at: number;
  attempted_at: number | null;
  ended_at: number | null;
}

/** An address that turns signed requests into messages. */
export interface IncomingWebhookRow {
  id: string;
  owner: string;
  name: string;
  signature: WebhookSignature;
  session_id: string | null;
  agent_id: string | null;
  folder: string | null;
  mode: SessionMode;
  template: string | null;
  secret: string;
  previous_secret: string | null;
  previous_until: number | null;
  paused_at: number | null;
  disabled_at: number | null;
  disabled_because: string | null;
  created_at: number;
  updated_at: number;
}

export interface WebhookCallRow {
  id: string;
  webhook_id: string;
  caller_id: string;
  state: CallState;
  session_id: string | null;
  turn_id: string | null;
  error: string | null;
  bytes: number;
  created_at: number;
}

/** What an agent remembers across sessions. */
export interface MemoryRow {
  owner: string;
  id: string;
  /** The agent; of a deleted one, a name that no agent can have. */
  holder: string;
  topic: string;
  text: string;
  /** A JSON array. */
  tags: string;
  version: number;
  created_at: number;
  /** JSON of the author; null for what an earlier version remembered. */
  created_by: string | null;
  updated_at: number;
  updated_by: string | null;
  deleted_at: number | null;
}

/** A memory as it was after a change. */
export interface MemoryChangeRow {
  owner: string;
  memory_id: string;
  version: number;
  type: 'created' | 'changed' | 'deleted' | 'restored';
  topic: string;
  text: string;
  tags: string;
  author: string | null;
  at: number;
}
