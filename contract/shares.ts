import { z } from 'zod';
import { AgentLook } from './agents.ts';
import { CUT_REASONS } from './cut-answer.ts';
import { FileKind } from './files.ts';
import { MessageRole } from './messages.ts';
import { Id, Timestamp } from './names.ts';
import { ToolCallState } from './tools.ts';

export const CreateShare = z.strictObject({
  toolDetails: z.boolean().default(false).describe('Whether tool inputs and outputs are included'),
});
export type CreateShare = z.infer<typeof CreateShare>;

/** A copy of what was said up to a moment, for every reader who has the link. */
export const Share = z.object({
  id: Id,
  sessionId: Id,
  title: z.string(),
  url: z.string().describe('Starts with server.publicUrl, otherwise with the address at which it was created'),
  toolDetails: z.boolean().describe('Whether it includes tool inputs and outputs'),
  createdAt: Timestamp,
});
export type Share = z.infer<typeof Share>;

export const ShareList = z.object({
  shares: z.array(Share).describe('Newest first'),
  publicUrl: z.string().nullable().describe('Where others reach the server (server.publicUrl)'),
});
export type ShareList = z.infer<typeof ShareList>;

export const ShareListQuery = z.strictObject({
  session: Id.optional().describe('Only shares of this session'),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

/** 256 random bits, too many to guess: the end of a link. */
export const ShareToken = z.string().min(1).max(200);

export const SharedPart = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    text: z.string(),
    isOutput: z.literal(true).optional().describe('The command, or its output'),
  }),
  z.object({
    type: z.literal('tool_call'),
    name: z.string(),
    state: ToolCallState,
    durationMs: z.int().optional(),
    input: z.string().optional(),
    output: z.string().optional(),
    isError: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('file'),
    name: z.string(),
    mediaType: z.string(),
    kind: FileKind,
    bytes: z.int(),
  }),
  z.object({
    type: z.literal('delegation'),
    from: z.string().describe('What the agent that gives the work is called'),
    to: z.string().describe('What the agent that does it is called'),
    state: z.string(),
  }),
  z.object({ type: z.literal('webhook'), name: z.string().describe('Its words came through this webhook') }),
]);
export type SharedPart = z.infer<typeof SharedPart>;

export const SharedMessage = z.object({
  role: MessageRole,
  agent: z.string().nullable().describe('The speaker, numbered within the share (agent-1); null for the user'),
  name: z.string().nullable().describe("The agent's name when it was shared"),
  look: AgentLook.nullable().describe('Null for the user'),
  guest: z.boolean(),
  text: z.string(),
  parts: z.array(SharedPart),
  cut: z.enum(CUT_REASONS).optional().describe('Why the answer ends early; absent when it is whole'),
  createdAt: Timestamp,
});
export type SharedMessage = z.infer<typeof SharedMessage>;

/** What a shared page shows: words and names; no id of a session, message, turn, file or agent. */
export const SharedSession = z.object({
  title: z.string(),
  sharedAt: Timestamp,
  canCopy: z.boolean().describe('Whether the reader is signed in here and can continue in a copy'),
  messages: z.array(SharedMessage).describe('Oldest first'),
});
export type SharedSession = z.infer<typeof SharedSession>;
