import { z } from 'zod';
import { AgentId, Id, KnowledgeName, Timestamp } from './names.ts';
import { TextRef } from './texts.ts';

/** `text`: plain text and code. */
export const KnowledgeFormat = z.enum(['pdf', 'docx', 'html', 'markdown', 'text']);
export type KnowledgeFormat = z.infer<typeof KnowledgeFormat>;

/** `waiting`: to be read. `stopped`: by a person, before it was read. */
export const KnowledgeState = z.enum(['waiting', 'reading', 'ready', 'failed', 'stopped']);
export type KnowledgeState = z.infer<typeof KnowledgeState>;

/** Where in its source a passage is. Which of these is known depends on the format. */
export const KnowledgePlace = z.object({
  page: z.int().nullable(),
  headings: z.array(z.string()).describe('The heading above it and those above that, the highest first'),
  lines: z.tuple([z.int(), z.int()]).nullable().describe('Its first and last line'),
});
export type KnowledgePlace = z.infer<typeof KnowledgePlace>;

export const KnowledgeUse = z.object({
  agentId: AgentId,
  children: z.boolean().describe('Whether the agents below it have it, too'),
});
export type KnowledgeUse = z.infer<typeof KnowledgeUse>;

export const KnowledgeProblem = z.object({
  code: z.string(),
  message: z.string(),
  text: TextRef.optional().describe('For a translation'),
});
export type KnowledgeProblem = z.infer<typeof KnowledgeProblem>;

/** A file or a note that agents can search. */
export const KnowledgeSource = z.object({
  id: Id,
  name: z.string(),
  kind: z.enum(['file', 'note']),
  format: KnowledgeFormat,
  fileId: Id.nullable().describe('Its contents; null: it is a note'),
  noteId: Id.nullable(),
  bytes: z.int(),
  state: KnowledgeState,
  fraction: z.number().nullable().describe('How much of it has been read, from 0 to 1; null unless it is being read'),
  problem: KnowledgeProblem.nullable().describe('Why it could not be read'),
  pages: z.int().nullable().describe('null: it has no pages, or has not been read'),
  passages: z.int().describe('How many there are to find'),
  characters: z.int(),
  embedded: z.int().nullable().describe('How many passages are found by their meaning; null: no embeddings are set up'),
  agents: z.array(KnowledgeUse),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type KnowledgeSource = z.infer<typeof KnowledgeSource>;

export const KnowledgeList = z.object({
  sources: z.array(KnowledgeSource).describe('By name'),
  embeddings: z
    .object({
      model: z.string(),
      problem: z.string().nullable().describe('Why passages cannot be embedded now; they are found by their words'),
      text: TextRef.optional().describe('For a translation of the problem'),
    })
    .nullable()
    .describe('null: none are set up'),
});
export type KnowledgeList = z.infer<typeof KnowledgeList>;

export const KnowledgeListQuery = z.strictObject({
  agent: AgentId.optional().describe('Only what this agent can search, what it has from the agents above it included'),
});

const attached = {
  agent: AgentId.optional().describe('An agent that gets it'),
  children: z.enum(['true', 'false']).default('false').describe('Whether the agents below that one get it, too'),
};

const SourceName = z.string().trim().min(1).max(255);

/** Sent as it is, with its type as Content-Type. */
export const UploadKnowledgeQuery = z.strictObject({
  name: SourceName.describe('The file name'),
  id: Id.optional().describe('Sent again with the same id, it is stored once'),
  ...attached,
});

export const AddKnowledgeNote = z.strictObject({
  noteId: Id,
  agent: attached.agent,
  children: z.boolean().default(false).describe('Whether the agents below that one get it, too'),
});

export const RenameKnowledge = z.strictObject({ name: KnowledgeName.describe('What agents and people see and cite') });

export const UseKnowledge = z.strictObject({ children: z.boolean().default(false) });

export const KnowledgePassage = z.object({
  number: z.int().describe('From 1, in the order of the source'),
  place: KnowledgePlace,
  text: z.string(),
});
export type KnowledgePassage = z.infer<typeof KnowledgePassage>;

export const KnowledgePassageQuery = z.strictObject({
  from: z.coerce.number().int().min(1).default(1).describe('The number of the first one'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const KnowledgePassageList = z.object({ passages: z.array(KnowledgePassage), isComplete: z.boolean() });
export type KnowledgePassageList = z.infer<typeof KnowledgePassageList>;

export const MOST_KNOWLEDGE_QUERY = 1000;

export const KnowledgeSearchQuery = z.strictObject({
  q: z.string().trim().min(1).max(MOST_KNOWLEDGE_QUERY).describe('Words; what stands in quotes must occur'),
  agent: AgentId.optional().describe('Only what this agent can search'),
  source: Id.optional().describe('Only in this source'),
  limit: z.coerce.number().int().min(1).max(50).default(10),
});
export type KnowledgeSearchQuery = z.output<typeof KnowledgeSearchQuery>;

export const KnowledgeHit = z.object({
  sourceId: Id,
  name: z.string().describe('Of the source'),
  ...KnowledgePassage.shape,
  link: z.string().describe('The address of the passage in the web app'),
  citation: z.string().describe('A Markdown link to it'),
  matches: z.array(z.object({ start: z.int(), end: z.int() })).describe('Where in the text the words are'),
  foundBy: z.array(z.enum(['words', 'meaning'])),
});
export type KnowledgeHit = z.infer<typeof KnowledgeHit>;

export const KnowledgeSearchResults = z.object({
  hits: z.array(KnowledgeHit).describe('The best first'),
  problem: KnowledgeProblem.nullable().describe('Why the search went by words alone, although embeddings are set up'),
});
export type KnowledgeSearchResults = z.infer<typeof KnowledgeSearchResults>;

/** Live only. */
export const KnowledgeChanged = z.object({ type: z.literal('knowledge.changed'), source: KnowledgeSource });
export const KnowledgeRemoved = z.object({ type: z.literal('knowledge.removed'), sourceId: Id });
export type KnowledgeChange = z.infer<typeof KnowledgeChanged> | z.infer<typeof KnowledgeRemoved>;

/** Live only: something has changed that the client was not told of. Read the list anew. */
export const KnowledgeMissed = z.object({ type: z.literal('knowledge.missed') });
