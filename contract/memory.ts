import { z } from 'zod';
import { Author } from './artifacts.ts';
import { AgentId, Id, Timestamp } from './names.ts';

export const MOST_MEMORY_TEXT = 4000;
/** How many memories one agent may have. */
export const MOST_MEMORIES = 10_000;
export const MOST_IMPORTED_MEMORIES = 50_000;

const tags = z
  .array(z.string().trim().min(1).max(50))
  .max(20)
  .transform((given) => [...new Set(given)]);

const fields = {
  topic: z.string().trim().max(200),
  text: z.string().trim().min(1).max(MOST_MEMORY_TEXT).describe('One fact, complete in itself'),
  tags,
};

/** An agent, or the name under which the memory of a deleted one is kept. */
const Holder = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z0-9._/~-]+$/, 'must be the ID of an agent');

/** Something that an agent remembers across sessions. */
export const Memory = z.object({
  id: Id,
  agentId: z.string().describe('Whose memory it is; of a deleted agent, the name under which it is kept'),
  topic: z.string(),
  text: z.string(),
  tags: z.array(z.string()),
  version: z.int().describe('Rises by one with every change'),
  createdAt: Timestamp,
  createdBy: Author.nullable().describe('null: from a version that did not note it'),
  origin: z
    .object({
      sessionId: Id,
      sessionTitle: z.string(),
      messageId: Id.nullable().describe('The message that the agent was answering'),
    })
    .nullable()
    .describe('Where the agent remembered it; null when that is not known, or the session is deleted'),
  updatedAt: Timestamp,
  updatedBy: Author.nullable(),
  deletedAt: Timestamp.nullable().describe('It can be restored for a while'),
});
export type Memory = z.infer<typeof Memory>;

export const MemoryQuery = z.strictObject({
  agent: Holder.optional().describe('Only the memory of this agent'),
  q: z.string().max(500).optional().describe('Words that must all occur'),
  tag: z.string().max(50).optional(),
  before: Id.optional().describe('Only memories before this one'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const MemoryList = z.object({
  memories: z.array(Memory).describe('Newest first'),
  isComplete: z.boolean().describe('There are no older ones'),
});
export type MemoryList = z.infer<typeof MemoryList>;

export const CreateMemory = z.strictObject({
  agentId: AgentId,
  text: fields.text,
  topic: fields.topic.default(''),
  tags: fields.tags.default([]),
});
export type CreateMemory = z.output<typeof CreateMemory>;
export type NewMemory = z.input<typeof CreateMemory>;

/** What is not named stays. */
export const PatchMemory = z
  .strictObject({
    ...fields,
    version: z.int().min(1).describe('The version that the change is based on; refused if there is a newer one'),
  })
  .partial();
export type PatchMemory = z.output<typeof PatchMemory>;

export const DeleteMemoryQuery = z.strictObject({
  permanently: z.enum(['true', 'false']).optional().describe('true: with its history; it cannot be undone'),
});

/** One entry of the history of a memory, as it was after the change. */
export const MemoryChange = z.object({
  version: z.int(),
  type: z.enum(['created', 'changed', 'deleted', 'restored']),
  topic: z.string(),
  text: z.string(),
  tags: z.array(z.string()),
  by: Author.nullable().describe('null: from a version that did not note it'),
  at: Timestamp,
});
export type MemoryChange = z.infer<typeof MemoryChange>;

export const MemoryChangeList = z.object({ changes: z.array(MemoryChange).describe('Newest first, at most 100') });
export type MemoryChangeList = z.infer<typeof MemoryChangeList>;

const ExportedMemory = z.strictObject({
  agentId: Holder,
  ...fields,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

/** What agents remember, in a form that can be kept and imported. */
export const ExportedMemories = z.strictObject({
  format: z.literal('parley-memories'),
  version: z.literal(1),
  memories: z.array(ExportedMemory).max(MOST_IMPORTED_MEMORIES),
});
export type ExportedMemories = z.output<typeof ExportedMemories>;

export const ExportMemoriesQuery = z.strictObject({ agent: Holder.optional().describe('Default: of all agents') });

export const ImportedMemories = z.object({
  imported: z.int(),
  known: z.int().describe('Were there already, word for word'),
});
export type ImportedMemories = z.infer<typeof ImportedMemories>;

/** Live only: what agents remember has changed. */
export const MemoryChanged = z.object({
  type: z.literal('memory.changed'),
  agentId: z.string().nullable().describe('null: that of any agent'),
});
export type MemoryChanged = z.infer<typeof MemoryChanged>;
