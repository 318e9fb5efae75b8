import { z } from 'zod';
import { ArtifactName, Author, artifactFields, BaseVersion, Day, NewArtifactId, Tag, Tags } from './artifacts.ts';
import { Id, Timestamp } from './names.ts';

export const MOST_NOTE = 1_000_000;

const noteFields = {
  text: z.string().max(MOST_NOTE).describe('Markdown. `[[Name]]` links to the artifact of that name'),
  date: Day.nullable().describe('The day that the note is about'),
  mood: z.string().trim().max(50).nullable(),
};

export const NoteLink = z.object({
  artifactId: Id.nullable().describe('null: there is none of that name'),
  name: z.string(),
});

export const Note = z.object({
  kind: z.literal('note'),
  ...artifactFields,
  tags: z.array(Tag),
  ...noteFields,
  links: z.array(NoteLink).describe('What its text links to, in the order of the text'),
  linkedFrom: z.array(z.object({ artifactId: Id, name: z.string() })).describe('Notes that link to it'),
});
export type Note = z.infer<typeof Note>;

export const CreateNote = z.strictObject({
  id: NewArtifactId,
  name: ArtifactName,
  text: noteFields.text.default(''),
  tags: Tags.default([]),
  date: noteFields.date.default(null),
  mood: noteFields.mood.default(null),
});
export type CreateNote = z.output<typeof CreateNote>;

/** Changes of the text since `base` are merged by lines; where both changed the same lines, it is a conflict. */
export const PatchNote = z.strictObject({
  name: ArtifactName.optional(),
  text: noteFields.text.optional(),
  tags: Tags.optional(),
  date: noteFields.date.optional(),
  mood: noteFields.mood.optional(),
  base: BaseVersion,
});
export type PatchNote = z.infer<typeof PatchNote>;

export const NoteVersion = z.object({
  version: z.int(),
  by: Author,
  at: Timestamp,
  added: z.int().describe('Lines'),
  removed: z.int().describe('Lines'),
});
export type NoteVersion = z.infer<typeof NoteVersion>;
export const NoteVersionQuery = z.strictObject({
  before: z.coerce.number().int().optional().describe('Only versions before this one'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

export const NoteVersionList = z.object({
  versions: z.array(NoteVersion).describe('Newest first'),
  isComplete: z.boolean().describe('There are no older ones'),
});
export type NoteVersionList = z.infer<typeof NoteVersionList>;

export const NoteAtVersion = z.object({
  version: z.int(),
  name: z.string(),
  text: z.string(),
  by: Author,
  at: Timestamp,
});
export type NoteAtVersion = z.infer<typeof NoteAtVersion>;
