import { z } from 'zod';
import { FilePart } from './files.ts';
import { AgentId, Id, Timestamp } from './names.ts';
import { TextRef } from './texts.ts';
import { AnsweredQuestion, CallVia, ToolCallState } from './tools.ts';

export const TextPart = z.object({ type: z.literal('text'), text: z.string() });
export const ReasoningPart = z.object({
  type: z.literal('reasoning'),
  text: z.string(),
  durationMs: z.int().optional().describe('From its first to its last token'),
});
export const ToolCallPart = z.object({
  type: z.literal('tool_call'),
  callId: z.string(),
  name: z.string(),
  input: z.string().describe('Arguments as JSON text'),
  state: ToolCallState,
  reason: z.string().optional().describe('Why it was not run'),
  reasonText: TextRef.optional().describe('For a translation of the reason'),
  durationMs: z.int().optional().describe('Without the time it waited for the user'),
  answers: z.array(AnsweredQuestion).optional().describe("The user's answers while it ran"),
  via: CallVia.exclude(['model']).optional().describe('How it was called, if not by the model itself'),
});
/** The results of a step follow its calls, in the order of the calls. */
export const ToolResultPart = z.object({
  type: z.literal('tool_result'),
  callId: z.string(),
  name: z.string(),
  output: z.string(),
  isError: z.boolean(),
  via: CallVia.exclude(['model']).optional(),
  cutBytes: z.int().optional().describe('Bytes omitted here; the call has all of the output'),
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
  reason: z.string().optional().describe('Why it was refused'),
  reasonText: TextRef.optional().describe('For a translation of the reason'),
  via: z.literal('background').optional().describe('The text is the output of a background tool'),
});

/** What the person has to know of an answer, said by the server. Agents are not shown it. */
export const NoticePart = z.object({
  type: z.literal('notice'),
  text: z.string(),
  textRef: TextRef.optional().describe('For a translation of the text'),
});
export type NoticePart = z.infer<typeof NoticePart>;

export const ChangedFile = z.object({
  path: z.string().describe('Relative to the workspace'),
  kind: z.enum(['added', 'changed', 'deleted', 'renamed']),
  from: z.string().optional().describe('Of a renamed file: its path before'),
  added: z.int().nullable().describe('Lines; null for a binary file'),
  removed: z.int().nullable().describe('Lines; null for a binary file'),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

/** What changed in the workspace during a turn. */
export const DiffPart = z.object({
  type: z.literal('diff'),
  files: z.array(ChangedFile),
  isCut: z.boolean().describe('More files changed than are listed'),
  patchId: Id.nullable().describe('A file with the whole patch; null if its contents are missing, as in imports'),
});
export type DiffPart = z.infer<typeof DiffPart>;

/** On a user message that was made of a request to an incoming webhook: its words are not the person's. */
export const WebhookPart = z.object({
  type: z.literal('webhook'),
  webhookId: Id,
  name: z.string().describe('What the webhook was called'),
});
export type WebhookPart = z.infer<typeof WebhookPart>;

export const Part = z.discriminatedUnion('type', [
  TextPart,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  DelegationPart,
  FilePart,
  NoticePart,
  DiffPart,
  WebhookPart,
]);
export type Part = z.infer<typeof Part>;

/** `delegation`: a task that an agent gave another in this session; `agent` is the one that shall do it. */
export const MessageRole = z.enum(['user', 'assistant', 'delegation']);

/**
 * Who said a message. `task`: an agent asks another to do something. `result`: an agent reports back to the agent that
 * asked it. `webhook`: a request from outside. `unknown`: an old assistant message without a name.
 */
export const Speaker = z.object({
  kind: z.enum(['person', 'agent', 'task', 'result', 'webhook', 'unknown']),
  agent: z.string().nullable().describe('The agent that said it; null for the user and if unknown'),
  to: z.string().nullable().describe('For a task in the same session: the agent that is asked'),
  webhook: z.string().optional().describe('What the webhook was called'),
});
export type Speaker = z.infer<typeof Speaker>;

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
    'The speaker; null for the user and for old untagged messages. A user message with an agent is a task or a result it sent',
  ),
  guest: z.boolean(),
  status: MessageStatus,
  text: z.string(),
  parts: z.array(Part),
  archived: z.boolean().describe('Replaced by a summary in requests'),
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
