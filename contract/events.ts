import { z } from 'zod';
import { Action } from './actions.ts';
import { ConfigurationState } from './agents.ts';
import { Delegation } from './delegation.ts';
import { Message } from './messages.ts';
import { Id, Timestamp } from './names.ts';
import { Compaction, Session, SessionStatus } from './sessions.ts';
import { ToolCall } from './tools.ts';
import { Turn } from './turns.ts';

const envelope = {
  sessionId: Id,
  seq: z.int().describe('The number of this event in its session: rises by one, without gaps'),
  position: z.int().describe('Its place among the events of all sessions'),
  at: Timestamp,
};

const turnFacts = { turn: Turn, status: SessionStatus };

/**
 * Durable facts, stored in the transaction that makes them true.
 *
 * For one turn: turn.queued, turn.started, (tool.started, tool.updated*, tool.ended, message.created)*, turn.settled,
 * with turn.waiting and turn.resumed around every time it waits for a person. `message.created` is an agent's; the
 * person's message travels with its turn. `message.deleted` takes all earlier events of its session along, since they
 * quote what is gone: whoever had not seen them finds a gap in the numbers and loads the session anew. Of a delegation, started and ended are in the session of who delegates.
 */
export const SessionEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session.created'), ...envelope, session: Session }),
  z.object({ type: z.literal('session.updated'), ...envelope, session: Session }),
  z.object({ type: z.literal('session.cleared'), ...envelope }),
  z.object({ type: z.literal('session.deleted'), ...envelope }),
  z.object({ type: z.literal('session.branched'), ...envelope, afterSeq: z.int(), headId: Id.nullable() }),
  z.object({ type: z.literal('session.compacted'), ...envelope, compaction: Compaction }),
  z.object({ type: z.literal('turn.queued'), ...envelope, ...turnFacts, message: Message }),
  z.object({ type: z.literal('turn.updated'), ...envelope, ...turnFacts, message: Message, queue: z.array(Id) }),
  z.object({ type: z.literal('turn.removed'), ...envelope, turnId: Id, messageId: Id, status: SessionStatus }),
  z.object({ type: z.literal('turn.started'), ...envelope, ...turnFacts, message: Message }),
  z.object({ type: z.literal('turn.settled'), ...envelope, ...turnFacts, message: Message.nullable() }),
  z.object({ type: z.literal('turn.waiting'), ...envelope, ...turnFacts }),
  z.object({ type: z.literal('turn.resumed'), ...envelope, ...turnFacts }),
  z.object({ type: z.literal('message.created'), ...envelope, message: Message }),
  z.object({
    type: z.literal('message.deleted'),
    ...envelope,
    messages: z
      .array(z.object({ id: Id, parentId: Id.nullable() }))
      .describe('What is gone, each with what its followers follow from now on'),
    turnIds: z.array(Id).describe('Turns that are gone with it'),
    archivedUpto: z
      .int()
      .nullable()
      .describe('Not null: summaries are gone too, and only messages up to this place are archived'),
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
export type SessionEvent = z.infer<typeof SessionEvent>;

/** Live only: never stored, never numbered. `offset` is where the text goes, in UTF-16 units of that part. */
export const Delta = z.object({
  type: z.literal('delta'),
  sessionId: Id,
  turnId: Id,
  agentId: z.string(),
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

/** Everything a running turn has said so far: sent once after a (re)connection, before its further deltas. */
export const TurnPartial = z.object({
  type: z.literal('turn.partial'),
  sessionId: Id,
  turnId: Id,
  agentId: z.string(),
  guest: z.boolean(),
  parts: z.array(z.object({ part: z.int(), kind: z.enum(['text', 'reasoning']), text: z.string() })),
  calls: z.array(ToolCall).describe('Since its last stored message'),
});
export type TurnPartial = z.infer<typeof TurnPartial>;

/** The cursor is older than what is kept: load the state anew and go on from `position`. */
export const Reset = z.object({ type: z.literal('reset'), position: z.int() });

export const ConfigurationChanged = z.object({
  type: z.literal('configuration.changed'),
  configuration: ConfigurationState,
});

/** Session templates were made, changed or deleted: read them anew. */
export const TemplatesChanged = z.object({ type: z.literal('templates.changed') });

export const ShuttingDown = z.object({ type: z.literal('server.stopping') });

export const StreamFrame = z.union([
  SessionEvent,
  Delta,
  ToolProgress,
  TurnPartial,
  Reset,
  ConfigurationChanged,
  TemplatesChanged,
  ShuttingDown,
]);
export type StreamFrame = z.infer<typeof StreamFrame>;

export const EventStreamQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional().describe('Like Last-Event-ID; default: from now on'),
  sessions: z.string().optional().describe('Only these sessions, ids separated by commas'),
  deltas: z.enum(['true', 'false']).optional().describe('false leaves out live text'),
});
