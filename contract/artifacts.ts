import { z } from 'zod';
import { AgentId, Id, Timestamp } from './names.ts';
import { unseenInName } from './unseen-characters.ts';

/** How many artifacts one person may have, what is in the trash included. */
export const MOST_ARTIFACTS = 20_000;

/** What a person keeps beside their conversations. It belongs to the person; agents reach it through tools. */
export const ArtifactKind = z.enum(['list', 'note', 'view', 'file']);
export type ArtifactKind = z.infer<typeof ArtifactKind>;

export const ArtifactName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((name) => unseenInName(name) === null, { error: ({ input }) => unseenInName(String(input))! });

export const Day = z.iso.date({ error: 'must be a date, for example 2026-01-31' });
export const Tag = z.string().trim().min(1).max(50);
export const Tags = z
  .array(Tag)
  .max(50)
  .transform((tags) => [...new Set(tags)]);

/** The same id and content make the artifact once. */
export const NewArtifactId = Id.optional().describe('Made by the client; default: made by the server');

/** The built-in plugin whose tools keep an artifact: the one to-do list, the one reading list, the notes of the journal. */
export const ArtifactPlugin = z.enum(['todo', 'reading-list', 'journal']);
export type ArtifactPlugin = z.infer<typeof ArtifactPlugin>;

/** Who made a change. Set by the server: from the request of a person, from the turn of an agent. */
export const Author = z.object({
  kind: z.enum(['person', 'agent', 'import']),
  agentId: AgentId.nullable().describe('null unless an agent made the change'),
  sessionId: Id.nullable(),
  turnId: Id.nullable().describe('The turn in which an agent made the change'),
});
export type Author = z.infer<typeof Author>;

/** What every artifact has. */
export const artifactFields = {
  id: Id,
  name: ArtifactName,
  plugin: ArtifactPlugin.nullable(),
  version: z.int().describe('Rises by one with every change of the artifact or of what is in it'),
  createdAt: Timestamp,
  createdBy: Author,
  updatedAt: Timestamp,
  updatedBy: Author,
  deletedAt: Timestamp.nullable().describe('In the trash since; null: not deleted'),
};

export const ArtifactSummary = z.object({
  kind: ArtifactKind,
  ...artifactFields,
  tags: z.array(Tag),
  snippet: z.string().describe('The beginning of a note, the open items of a list, what a view shows; one line'),
  count: z.int().nullable().describe('Of a list: how many items are not done. null for other kinds'),
});
export type ArtifactSummary = z.infer<typeof ArtifactSummary>;

export const ArtifactListQuery = z.strictObject({
  kind: ArtifactKind.optional(),
  plugin: ArtifactPlugin.optional(),
  deleted: z.enum(['true', 'false']).optional().describe('true: what is in the trash'),
  before: z.string().max(200).optional().describe('`next` of the page before'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

export const ArtifactList = z.object({
  artifacts: z.array(ArtifactSummary).describe('Most recently changed first'),
  next: z.string().nullable().describe('Pass as ?before= for the next page; null at the end'),
});
export type ArtifactList = z.infer<typeof ArtifactList>;

/**
 * One entry of an artifact's history: its version is its number there. `before` and `after` hold only the fields that the
 * change is about, named as in the artifact or item, fields of a list's own as `values.<fieldId>`; of the text of a note,
 * only the piece that differs. An item that moves to another list is an entry in the history of both.
 */
export const ArtifactChange = z.object({
  artifactId: Id,
  version: z.int().describe('The version of the artifact after the change'),
  type: z.enum([
    'created',
    'changed',
    'deleted',
    'restored',
    'item_added',
    'item_changed',
    'item_moved',
    'item_deleted',
    'item_restored',
  ]),
  itemId: Id.nullable(),
  title: z.string().describe('The name of the artifact, or the title of the item, at that time'),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  textAt: z
    .int()
    .nullable()
    .describe('Of a change of the text of a note: where `before.text` began, in UTF-16 units; null otherwise'),
  by: Author,
  at: Timestamp,
  undoes: z.int().nullable().describe('The version whose change this one takes back'),
  undoneBy: z.int().nullable().describe('The version that took this change back; null again once that is undone'),
});
export type ArtifactChange = z.infer<typeof ArtifactChange>;

export const ArtifactChangeQuery = z.strictObject({
  itemId: Id.optional().describe('Only changes of this item'),
  after: z.coerce.number().int().optional().describe('Only changes after this version, oldest first'),
  before: z.coerce.number().int().optional().describe('Only changes before this version, newest first'),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

export const ArtifactChangeList = z.object({
  changes: z.array(ArtifactChange),
  isComplete: z.boolean().describe('There are no further changes in that direction'),
});
export type ArtifactChangeList = z.infer<typeof ArtifactChangeList>;

/**
 * Takes changes back, the newest first and all of them or none. What they made must still be as they made it; a conflict
 * names the fields that are not.
 */
export const UndoArtifactChanges = z.strictObject({
  versions: z.array(z.int().min(2)).min(1).max(500).describe('The versions of the artifact that the changes made'),
  force: z.boolean().default(false).describe('Also where a later change is overwritten'),
});
export type UndoArtifactChanges = z.input<typeof UndoArtifactChanges>;

export const UndoneChanges = z.object({
  changes: z.array(ArtifactChange).describe('The new entries of the history; undo them to redo what was undone'),
  version: z.int().describe('Of the artifact'),
});
export type UndoneChanges = z.infer<typeof UndoneChanges>;

/**
 * One field that was changed by two. In a problem document of the code `artifact_conflict`, as `conflicts`; the request
 * changed nothing. Send it again without a version, or with the newer one, to overwrite.
 */
export const ArtifactConflict = z.object({
  field: z.string(),
  yours: z.unknown(),
  theirs: z.unknown().describe('As it is now'),
  by: Author.describe('Who changed it last'),
  at: Timestamp,
});
export type ArtifactConflict = z.infer<typeof ArtifactConflict>;

/**
 * The version that a change is based on. Fields that were changed since, to something else, are a conflict; all others
 * merge. Without it the change is made to what there is now.
 */
export const BaseVersion = z.int().min(1).optional().describe('The version that the change is based on');

/** Live only, to every open client of the owner. A client that has another version than the one before reads anew. */
export const ArtifactChanged = z.object({
  type: z.literal('artifact.changed'),
  kind: ArtifactKind,
  artifactId: Id,
  name: z.string(),
  changes: z.array(ArtifactChange).describe('Oldest first; empty when they are too large to send: read anew'),
  version: z.int().describe('After the last of them'),
});
export type ArtifactChanged = z.infer<typeof ArtifactChanged>;

/**
 * Live only: changes of artifacts may have been missed, since the connection was lost or the client was too slow. What is
 * shown has to be read anew.
 */
export const ArtifactsMissed = z.object({ type: z.literal('artifacts.missed') });
export type ArtifactsMissed = z.infer<typeof ArtifactsMissed>;

/** Live only: deleted for good. */
export const ArtifactRemoved = z.object({
  type: z.literal('artifact.removed'),
  kind: ArtifactKind,
  artifactId: Id,
});
export type ArtifactRemoved = z.infer<typeof ArtifactRemoved>;

export const DeleteArtifactQuery = z.strictObject({
  permanently: z.enum(['true', 'false']).optional().describe('true: with its history; it cannot be undone'),
});

export const ArtifactSearchQuery = z.strictObject({
  q: z.string().min(1).max(500),
  kind: ArtifactKind.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

export const ArtifactHit = z.object({
  artifact: ArtifactSummary,
  itemId: Id.nullable().describe('The item that matches; null: the artifact itself'),
  title: z.string(),
  snippet: z.string().describe('The words around the first match'),
  matches: z.array(z.object({ start: z.int(), end: z.int() })).describe('Places in the snippet, in UTF-16 units'),
});
export type ArtifactHit = z.infer<typeof ArtifactHit>;
export const ArtifactSearchResults = z.object({ hits: z.array(ArtifactHit) });
export type ArtifactSearchResults = z.infer<typeof ArtifactSearchResults>;
