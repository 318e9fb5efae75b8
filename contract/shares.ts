import { z } from 'zod';
import { FileKind } from './files.ts';
import { MessageRole } from './messages.ts';
import { Id, Timestamp } from './names.ts';
import { ToolCallState } from './tools.ts';

export const CreateShare = z.strictObject({
  toolDetails: z.boolean().default(false).describe('Whether what tools were given and gave back is shown, too'),
});
export type CreateShare = z.infer<typeof CreateShare>;

/** A copy of what was said up to a moment, which whoever has the link can read. */
export const Share = z.object({
  id: Id,
  sessionId: Id,
  title: z.string(),
  url: z.string().describe('Begins with the address under which it was made'),
  toolDetails: z.boolean().describe('Whether it shows what tools were given and gave back'),
  createdAt: Timestamp,
});
export type Share = z.infer<typeof Share>;

export const ShareList = z.object({ shares: z.array(Share).describe('Newest first') });
export type ShareList = z.infer<typeof ShareList>;

export const ShareListQuery = z.strictObject({
  session: Id.optional().describe('Only those of this session'),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

/** 256 bits that nobody guesses: the end of a link. */
export const ShareToken = z.string().min(1).max(200);

export const SharedPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
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
  z.object({ type: z.literal('delegation'), from: z.string(), to: z.string(), state: z.string() }),
]);
export type SharedPart = z.infer<typeof SharedPart>;

export const SharedMessage = z.object({
  role: MessageRole,
  agent: z.string().nullable().describe('Who said it; null for the person'),
  name: z.string().nullable().describe('What the agent was called when it was shared'),
  guest: z.boolean(),
  text: z.string(),
  parts: z.array(SharedPart),
  createdAt: Timestamp,
});
export type SharedMessage = z.infer<typeof SharedMessage>;

/** What everybody sees: words and names, and no id of anything. */
export const SharedSession = z.object({
  title: z.string(),
  sharedAt: Timestamp,
  canCopy: z.boolean().describe('Whether whoever asks is signed in here, and so may go on from it'),
  messages: z.array(SharedMessage).describe('Oldest first'),
});
export type SharedSession = z.infer<typeof SharedSession>;
