import { z } from 'zod';
import { FilePart } from './files.ts';
import { AgentId, Id, Timestamp } from './names.ts';
import { ToolCallState } from './tools.ts';

export const TextPart = z.object({ type: z.literal('text'), text: z.string() });
export const ReasoningPart = z.object({ type: z.literal('reasoning'), text: z.string() });
export const ToolCallPart = z.object({
  type: z.literal('tool_call'),
  callId: z.string(),
  name: z.string(),
  input: z.string().describe('Arguments as JSON text'),
  state: ToolCallState,
  reason: z.string().optional().describe('Why it was not carried out'),
  durationMs: z.int().optional(),
  via: z.enum(['skill']).optional().describe("Through a skill's command line, not by the model itself"),
});
/** The results of a step follow its calls, in the order of the calls. */
export const ToolResultPart = z.object({
  type: z.literal('tool_result'),
  callId: z.string(),
  name: z.string(),
  output: z.string(),
  isError: z.boolean(),
  via: z.enum(['skill']).optional(),
  cutBytes: z.int().optional().describe('Left out here; the call has the whole'),
});
/** On a message of the role `delegation`, and on a result that a delegate brought later. */
export const DelegationPart = z.object({
  type: z.literal('delegation'),
  from: AgentId,
  to: AgentId,
  task: z.string(),
  turnId: Id.nullable().describe("The delegate's; null when it was refused"),
  sessionId: Id.describe('Where it worked'),
  state: z.enum(['started', 'complete', 'failed', 'cancelled', 'interrupted', 'refused']),
  reason: z.string().optional(),
});

export const Part = z.discriminatedUnion('type', [
  TextPart,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  DelegationPart,
  FilePart,
]);
export type Part = z.infer<typeof Part>;

/** `delegation`: what an agent gave another to do in this session; `agent` is who shall do it. */
export const MessageRole = z.enum(['user', 'assistant', 'delegation']);

/** `interrupted`: the speaker was stopped or failed; what it had said stays. `queued`: waits for its turn. */
export const MessageStatus = z.enum(['queued', 'complete', 'interrupted']);

export const Message = z.object({
  id: Id,
  sessionId: Id,
  seq: z.int().nullable().describe('Place in the session; null while queued'),
  parentId: Id.nullable(),
  turnId: Id.nullable(),
  role: MessageRole,
  agent: AgentId.nullable().describe(
    'Who said it; null for the person and for old untagged messages. A user message of an agent is a task or a result it sent',
  ),
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
