import { z } from 'zod';
import { AgentId, Id, Timestamp } from './names.ts';

export const TextPart = z.object({ type: z.literal('text'), text: z.string() });
export const ReasoningPart = z.object({ type: z.literal('reasoning'), text: z.string() });
export const ToolCallPart = z.object({
  type: z.literal('tool_call'),
  callId: z.string(),
  name: z.string(),
  input: z.string().describe('Arguments as the model wrote them'),
  state: z.enum(['rejected']),
  reason: z.string().optional(),
});

export const Part = z.discriminatedUnion('type', [TextPart, ReasoningPart, ToolCallPart]);
export type Part = z.infer<typeof Part>;

export const MessageRole = z.enum(['user', 'assistant']);

/** `interrupted`: the speaker was stopped or failed; what it had said stays. `queued`: waits for its turn. */
export const MessageStatus = z.enum(['queued', 'complete', 'interrupted']);

export const Message = z.object({
  id: Id,
  sessionId: Id,
  seq: z.int().nullable().describe('Place in the session; null while queued'),
  parentId: Id.nullable(),
  turnId: Id.nullable(),
  role: MessageRole,
  agent: AgentId.nullable().describe('Who said it; null for the person and for old untagged messages'),
  guest: z.boolean(),
  status: MessageStatus,
  text: z.string(),
  parts: z.array(Part),
  archived: z.boolean().describe('A summary stands for it in requests'),
  siblings: z
    .array(Id)
    .optional()
    .describe('Present when there are alternatives: all of them, in order, this one included'),
  createdAt: Timestamp,
});
export type Message = z.infer<typeof Message>;

export const MessageList = z.object({
  messages: z.array(Message).describe('Oldest first; queued ones last'),
  before: z.int().nullable().describe('Pass as ?before= for the page before this one; null at the beginning'),
  after: z.int().nullable().describe('Pass as ?after= for the page after this one; null at the end'),
});
export type MessageList = z.infer<typeof MessageList>;

export const MessageListQuery = z.strictObject({
  before: z.coerce.number().int().optional(),
  after: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});
