import { z } from 'zod';
import { Message, Speaker } from './messages.ts';
import { AgentId, Folder, Id, Sender, SessionName, Timestamp } from './names.ts';
import { SessionTeam } from './teams.ts';

export const SessionType = z.enum(['conversation', 'tool-execution']);
export type SessionType = z.infer<typeof SessionType>;

/** Computed from the session's turns, in the transaction that changes them. */
export const SessionStatus = z.enum([
  'idle',
  'connecting',
  'active',
  'working',
  'waiting',
  'completed',
  'error',
  'paused',
]);
export type SessionStatus = z.infer<typeof SessionStatus>;

/** `read-only`: agents that work here, or for a turn here, may only use tools of risk `read`. */
export const SessionMode = z.enum(['full', 'read-only']);
export type SessionMode = z.infer<typeof SessionMode>;

export const Attributes = z.record(z.string(), z.json());
export type Attributes = z.infer<typeof Attributes>;

/** The folder that the user chose for all agents of a session. */
export const SessionWorkspace = z.strictObject({
  folder: z.string().min(1).max(4096).describe('An absolute path'),
  worktree: z.boolean().default(false).describe('Agents work in a git worktree of it that belongs to the session'),
});
export type SessionWorkspace = z.infer<typeof SessionWorkspace>;

export const Session = z.object({
  id: Id,
  type: SessionType,
  status: SessionStatus,
  agentId: AgentId.nullable().describe('The primary: the agent that replies when none is named'),
  sender: z.string(),
  name: z.string().nullable().describe('Set by the user, unique among their sessions'),
  title: z.string().describe('The name, or a title made from the first message'),
  folder: z.string().nullable(),
  parentSessionId: Id.nullable().describe(
    'The session that asked for the work done here; for a conversation, only while it works',
  ),
  delegatedFrom: Id.nullable().describe('The session from which this one was created for delegated work'),
  mode: SessionMode,
  workspace: SessionWorkspace.nullable(),
  team: SessionTeam.nullable().describe('The team with which it began'),
  forkedFrom: z.object({ sessionId: Id, messageId: Id }).nullable(),
  headId: Id.nullable().describe('The newest message of the current branch'),
  agents: z.array(AgentId).describe('All agents that have replied here'),
  messageCount: z.int(),
  queuedCount: z.int(),
  unreadCount: z.int(),
  lastSnippet: z.string(),
  lastSpeaker: Speaker.nullable().describe('The speaker of the snippet'),
  lastSeq: z.int().describe('The number of its newest event'),
  attributes: Attributes,
  pinnedAt: Timestamp.nullable(),
  archivedAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  lastActivityAt: Timestamp,
});
export type Session = z.infer<typeof Session>;

export const SessionList = z.object({
  sessions: z.array(Session).describe('Most recently active first'),
  next: z.string().nullable().describe('Pass as ?cursor= for the next page'),
  position: z.int().describe('Pass as ?after= to the event stream to miss nothing that came later'),
});
export type SessionList = z.infer<typeof SessionList>;

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

export const SessionListQuery = z.strictObject({
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  agent: AgentId.optional().describe('Has replied there or is its primary'),
  type: SessionType.optional(),
  status: SessionStatus.optional(),
  folder: Folder.optional(),
  name: SessionName.optional(),
  pinned: flag.optional(),
  archived: flag.optional().describe('Default: only unarchived sessions'),
  parent: Id.optional(),
});
export type SessionListQuery = z.output<typeof SessionListQuery>;

export const CreateSession = z.strictObject({
  id: Id.optional(),
  templateId: Id.optional().describe('Fields not set here come from this template'),
  teamId: Id.optional().describe(
    'Begins with this team: its orchestrator is the primary, unless agentId says otherwise',
  ),
  agentId: AgentId.optional(),
  name: SessionName.optional(),
  sender: Sender.optional(),
  folder: Folder.optional(),
  mode: SessionMode.optional(),
  workspace: SessionWorkspace.optional(),
  attributes: Attributes.optional(),
});
export type CreateSession = z.infer<typeof CreateSession>;

/** Attributes merge deeply and `null` deletes; other fields replace, `null` clears. */
export const PatchSession = z.strictObject({
  agentId: AgentId.nullable().optional().describe('Switches the primary'),
  folder: Folder.nullable().optional(),
  mode: SessionMode.optional(),
  workspace: SessionWorkspace.nullable().optional(),
  attributes: z.record(z.string(), z.json()).optional(),
});
export type PatchSession = z.infer<typeof PatchSession>;

export const RenameSession = z.strictObject({
  name: SessionName,
  replace: z.boolean().default(false).describe('Takes the name from the session that has it, and deletes that session'),
});

export const ChooseHead = z.strictObject({ messageId: Id.describe('Switches to its branch') });

/** `latest`, `create`, `latest-or-create`, or a session's id. */
export const ResolveSession = z.strictObject({
  session: z.string().min(1).default('latest-or-create'),
  agentId: AgentId,
});
export type ResolveSession = z.infer<typeof ResolveSession>;

export const ResolvedSession = z.object({ session: Session, created: z.boolean() });
export type ResolvedSession = z.infer<typeof ResolvedSession>;

export const ForkSession = z.strictObject({
  messageId: Id.optional().describe('The last message to copy; default: the newest'),
  name: SessionName.optional(),
});
export type ForkSession = z.infer<typeof ForkSession>;

export const CompactSession = z.strictObject({
  agent: AgentId.optional().describe('The agent that writes the summary; default: the primary'),
  keep: z.int().min(0).max(1000).optional().describe('How many of the newest messages to keep as they are'),
});

export const Compaction = z.object({
  id: Id,
  sessionId: Id,
  agentId: AgentId,
  summary: z.string(),
  archivedCount: z.int(),
  uptoSeq: z.int(),
  createdAt: Timestamp,
});
export type Compaction = z.infer<typeof Compaction>;

export const SearchQuery = z.strictObject({
  q: z
    .string()
    .min(1)
    .max(1000)
    .describe('Words, "phrases", prefix*, -excluded, plus agent: from: session: before: after:'),
  session: Id.optional().describe('Only the current branch of this session'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().optional(),
});
export type SearchQuery = z.output<typeof SearchQuery>;

export const SearchHit = z.object({
  sessionId: Id,
  sessionTitle: z.string(),
  messageId: Id,
  seq: z.int(),
  role: z.string(),
  agent: z.string().nullable().describe('The agent that said it; for a task, the agent that gives it'),
  speaker: Speaker,
  snippet: z.string(),
  matches: z.array(z.object({ start: z.int(), end: z.int() })).describe('Where the words are in the snippet'),
  position: z.int().describe('Where the first match is in the text'),
  count: z.int().describe('How many matches there are in the text'),
  createdAt: Timestamp,
});
export type SearchHit = z.infer<typeof SearchHit>;

export const SearchResults = z.object({
  hits: z.array(SearchHit).describe('Newest first'),
  next: z.string().nullable(),
});
export type SearchResults = z.infer<typeof SearchResults>;

export const ExportQuery = z.strictObject({ format: z.enum(['json', 'markdown']).default('json') });

const Moment = z.iso.datetime({ offset: true });

/** As said, with its place among the branches; `compactionId` names the summary that stands for it in requests. */
export const ExportedMessage = Message.omit({ sessionId: true, turnId: true, siblings: true, archived: true })
  .extend({
    seq: z.int().min(1),
    status: z.enum(['complete', 'interrupted']),
    onPath: z.boolean(),
    compactionId: Id.nullable(),
    createdAt: Moment,
  })
  .strict();
export type ExportedMessage = z.infer<typeof ExportedMessage>;

/** Only compared with the teams here, so any name and agents that a session can have may stand in it. */
const ExportedTeam = z.strictObject({
  name: z.string().min(1).max(200),
  agents: z.array(z.string().min(1).max(200)).min(1).max(100),
});

/**
 * What `export` writes and `import` reads. Every branch is in it, in the order of `seq`; `onPath` marks the one being
 * shown. Messages that wait in the queue have not been said yet and are not in it.
 */
export const ExportedSession = z.strictObject({
  format: z.literal('parley.session'),
  version: z.literal(1),
  exportedAt: Moment,
  session: z.strictObject({
    name: SessionName.nullable(),
    title: z.string().max(1000).nullable(),
    agentId: AgentId.nullable(),
    sender: Sender,
    type: SessionType,
    folder: Folder.nullable(),
    mode: SessionMode.default('full'),
    team: ExportedTeam.nullable().default(null).describe('The team with which it began'),
    attributes: Attributes,
    createdAt: Moment,
  }),
  messages: z.array(ExportedMessage),
  compactions: z.array(
    Compaction.omit({ sessionId: true })
      .extend({ archivedCount: z.int().min(0), lastMessageId: Id, createdAt: Moment })
      .strict(),
  ),
});
export type ExportedSession = z.infer<typeof ExportedSession>;

/** Session files of other programs: old ones name the agent once, new ones on each assistant message. */
export const PlainMessage = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  agent: AgentId.nullish(),
});
export const PlainSession = z.object({ agent: AgentId.optional(), messages: z.array(PlainMessage) });
export type PlainSession = z.infer<typeof PlainSession>;

export const ImportedSession = Session.extend({
  missingTeam: SessionTeam.nullable().describe(
    'The team in the file when you have none with this name and orchestrator: the session goes on without it',
  ),
});
export type ImportedSession = z.infer<typeof ImportedSession>;

export const ImportQuery = z.strictObject({ name: SessionName.optional() });
