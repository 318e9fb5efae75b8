import { z } from 'zod';
import { Action } from './actions.ts';
import { ConfigurationState } from './agents.ts';
import { ArtifactChanged, ArtifactRemoved, ArtifactsMissed } from './artifacts.ts';
import { Delegation } from './delegation.ts';
import { KnowledgeChanged, KnowledgeMissed, KnowledgeRemoved } from './knowledge.ts';
import { MemoryChanged } from './memory.ts';
import { Message, Part } from './messages.ts';
import { Id, Timestamp } from './names.ts';
import { PanelCommand } from './panels.ts';
import { Compaction, Session, SessionStatus } from './sessions.ts';
import { ToolCall } from './tools.ts';
import { Turn } from './turns.ts';
import { WebhooksChanged } from './webhooks.ts';

const envelope = {
  sessionId: Id,
  seq: z.int().describe('The number of this event in its session: rises by one, without gaps'),
  position: z.int().describe('Its position among the events of all sessions'),
  at: Timestamp,
};

const turnFacts = { turn: Turn, status: SessionStatus };

function sessionEvents<M extends z.ZodObject>(message: M) {
  return z.discriminatedUnion('type', [
    z.object({ type: z.literal('session.created'), ...envelope, session: Session }),
    z.object({ type: z.literal('session.updated'), ...envelope, session: Session }),
    z.object({ type: z.literal('session.cleared'), ...envelope }),
    z.object({ type: z.literal('session.deleted'), ...envelope }),
    z.object({ type: z.literal('session.branched'), ...envelope, afterSeq: z.int(), headId: Id.nullable() }),
    z.object({ type: z.literal('session.compacted'), ...envelope, compaction: Compaction }),
    z.object({ type: z.literal('turn.queued'), ...envelope, ...turnFacts, message }),
    z.object({ type: z.literal('turn.updated'), ...envelope, ...turnFacts, message, queue: z.array(Id) }),
    z.object({ type: z.literal('turn.removed'), ...envelope, turnId: Id, messageId: Id, status: SessionStatus }),
    z.object({ type: z.literal('turn.started'), ...envelope, ...turnFacts, message }),
    z.object({ type: z.literal('turn.settled'), ...envelope, ...turnFacts, message: message.nullable() }),
    z.object({ type: z.literal('turn.waiting'), ...envelope, ...turnFacts }),
    z.object({ type: z.literal('turn.resumed'), ...envelope, ...turnFacts }),
    z.object({ type: z.literal('message.created'), ...envelope, message }),
    z.object({
      type: z.literal('message.deleted'),
      ...envelope,
      messages: z
        .array(z.object({ id: Id, parentId: Id.nullable() }))
        .describe('The deleted messages, each with the new parent of its followers'),
      turnIds: z.array(Id).describe('Turns deleted with it'),
      archivedUpto: z
        .int()
        .nullable()
        .describe('If not null: summaries are deleted too, and only messages up to this position are archived'),
      session: Session,
    }),
    z.object({ type: z.literal('tool.started'), ...envelope, call: ToolCall }),
    z.object({ type: z.literal('tool.updated'), ...envelope, call: ToolCall }),
    z.object({ type: z.literal('tool.ended'), ...envelope, call: ToolCall }),
    z.object({ type: z.literal('delegation.started'), ...envelope, delegation: Delegation }),
    z.object({ type: z.literal('delegation.ended'), ...envelope, delegation: Delegation }),
    z.object({ type: z.literal('action.opened'), ...envelope, action: Action }),
    z.object({ type: z.literal('action.settled'), ...envelope, action: Action }),
  ]);
}

/**
 * Durable facts, stored in the transaction that makes them true.
 *
 * For one turn: turn.queued, turn.started, (tool.started, tool.updated*, tool.ended, message.created)*, turn.settled,
 * with turn.waiting and turn.resumed around every time it waits for a person. `message.created` is an agent's; the
 * person's message travels with its turn. `message.deleted` takes all earlier events of its session along, since they
 * quote what is gone: a client that had not seen them finds a gap in the numbers and loads the session anew.
 * `delegation.started` and `delegation.ended` are in the session of the agent that delegates.
 */
export const SessionEvent = sessionEvents(Message);
export type SessionEvent = z.infer<typeof SessionEvent>;

/** A message as an event carries it: its words travel once. */
export const StreamedMessage = Message.extend({
  text: z
    .string()
    .optional()
    .describe('Left out when the parts say the same: their texts with a blank line between them, or the task'),
  parts: z.array(Part).optional().describe('Left out when the text is the only part'),
});

/** An event as it travels on a stream. */
export const StreamedEvent = sessionEvents(StreamedMessage);
export type StreamedEvent = z.infer<typeof StreamedEvent>;

/** A turn may store several messages; live text belongs to the one that it will store next. */
const afterMessage = Id.nullable().describe(
  'The newest message that the turn had stored when it said this; null: none. Ids of later messages sort after it',
);

/** Live only: never stored, never numbered. `offset` is where the text goes, in UTF-16 units of that part. */
export const Delta = z.object({
  type: z.literal('delta'),
  sessionId: Id,
  turnId: Id,
  agentId: z.string(),
  after: afterMessage,
  part: z.int(),
  kind: z.enum(['text', 'reasoning']),
  offset: z.int(),
  text: z.string(),
});
export type Delta = z.infer<typeof Delta>;

/** Live only: how far a tool call has come. */
export const ToolProgress = z.object({
  type: z.literal('tool.progress'),
  sessionId: Id,
  turnId: Id,
  callId: Id,
  text: z.string().nullable(),
  fraction: z.number().nullable(),
});
export type ToolProgress = z.infer<typeof ToolProgress>;

export const PlanEntry = z.object({
  text: z.string().max(1000),
  state: z.enum(['pending', 'running', 'complete']),
});
export type PlanEntry = z.infer<typeof PlanEntry>;

const progress = {
  status: z.string().nullable().describe('What the agent is doing, in its own words'),
  plan: z.array(PlanEntry).describe('What the agent intends to do'),
};

/** Live only: what an agent says of its work. It replaces what the agent said of it before. */
export const TurnProgress = z.object({ type: z.literal('turn.progress'), sessionId: Id, turnId: Id, ...progress });
export type TurnProgress = z.infer<typeof TurnProgress>;

/** Why a request to a model failed, and how long it is until it is sent again. */
export const TurnRetry = z.object({
  code: z.string().describe('The error code of the failed attempt, such as model_rate_limited'),
  waitMs: z.number().describe('Milliseconds from the moment this is sent'),
});
export type TurnRetry = z.infer<typeof TurnRetry>;

/** Live only: a running turn waits before it sends a failed request again. */
export const TurnRetrying = TurnRetry.extend({
  type: z.literal('turn.retrying'),
  sessionId: Id,
  turnId: Id,
});
export type TurnRetrying = z.infer<typeof TurnRetrying>;

/** Everything a running turn has said so far: sent once after a (re)connection, before its further deltas. */
export const TurnPartial = z.object({
  type: z.literal('turn.partial'),
  sessionId: Id,
  turnId: Id,
  agentId: z.string(),
  after: afterMessage,
  guest: z.boolean(),
  parts: z.array(z.object({ part: z.int(), kind: z.enum(['text', 'reasoning']), text: z.string() })),
  calls: z.array(ToolCall).describe('Since its last stored message'),
  progress: z.object(progress).optional(),
  retry: TurnRetry.nullable().optional().describe('What it waits for, when its last request failed and is sent again'),
});
export type TurnPartial = z.infer<typeof TurnPartial>;

/**
 * The cursor is older than what is kept, or from a history that is no longer there (a backup was restored): load the
 * state anew and go on from `position`.
 */
export const Reset = z.object({ type: z.literal('reset'), position: z.int() });

export const ConfigurationChanged = z.object({
  type: z.literal('configuration.changed'),
  configuration: ConfigurationState,
});

/** Session templates or teams were made, changed or deleted: read them anew. */
export const TemplatesChanged = z.object({ type: z.literal('templates.changed') });

export const ShuttingDown = z.object({ type: z.literal('server.stopping') });

const LiveFrame = z.union([
  Delta,
  ToolProgress,
  TurnProgress,
  TurnRetrying,
  TurnPartial,
  Reset,
  ConfigurationChanged,
  TemplatesChanged,
  PanelCommand,
  ArtifactChanged,
  ArtifactsMissed,
  ArtifactRemoved,
  KnowledgeChanged,
  KnowledgeRemoved,
  KnowledgeMissed,
  MemoryChanged,
  WebhooksChanged,
  ShuttingDown,
]);

/** What the server sends. `readFrame` makes a `StreamFrame` of it. */
export const WireFrame = z.union([StreamedEvent, ...LiveFrame.options]);
export type WireFrame = z.infer<typeof WireFrame>;
export type StreamFrame = SessionEvent | z.infer<typeof LiveFrame>;

export const EventStreamQuery = z.strictObject({
  after: z
    .string()
    .max(40)
    .optional()
    .describe('Like Last-Event-ID: the id of an event, or a bare number; default: from now on'),
  sessions: z.string().optional().describe('Only these sessions, ids separated by commas'),
  deltas: z.enum(['true', 'false']).optional().describe('false leaves out live text'),
});
