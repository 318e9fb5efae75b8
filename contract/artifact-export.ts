import { z } from 'zod';
import { ArtifactName, ArtifactPlugin, Day, Tags } from './artifacts.ts';
import { ListFields, NewItem } from './lists.ts';
import { Id, Timestamp } from './names.ts';
import { MOST_NOTE } from './notes.ts';
import { CreateView } from './views.ts';

const about = { id: Id, name: ArtifactName };
const plugin = ArtifactPlugin.nullable().default(null);

/** Items in the order of the list. */
export const ExportedList = z.strictObject({
  ...about,
  plugin,
  description: z.string().max(2000).default(''),
  fields: ListFields.default([]),
  items: z
    .array(
      NewItem.omit({ done: true }).extend({
        id: Id,
        doneAt: z.iso.datetime({ offset: true }).nullable().default(null),
      }),
    )
    .max(5000)
    .describe('At most 5,000 in one import: import the same list again with further ones'),
});
export type ExportedList = z.output<typeof ExportedList>;

export const ExportedNote = z.strictObject({
  ...about,
  plugin,
  text: z.string().max(MOST_NOTE),
  tags: Tags.default([]),
  date: Day.nullable().default(null),
  mood: z.string().max(50).nullable().default(null),
});
export type ExportedNote = z.output<typeof ExportedNote>;

export const ExportedView = CreateView.extend(about);
export type ExportedView = z.output<typeof ExportedView>;

/** What `parley export --artifacts` writes: all lists, notes and views that are not in the trash, without their history. */
export const ExportedArtifacts = z.strictObject({
  format: z.literal('parley-artifacts'),
  version: z.literal(1),
  exportedAt: Timestamp.optional(),
  lists: z.array(ExportedList).max(1000).default([]),
  notes: z.array(ExportedNote).max(1000).default([]),
  views: z.array(ExportedView).max(1000).default([]),
});
export type ExportedArtifacts = z.output<typeof ExportedArtifacts>;

export const ImportedArtifacts = z.object({
  lists: z.int(),
  items: z.int(),
  notes: z.int(),
  views: z.int(),
  skipped: z.int().describe('Were there already, under the same ID, and are left as they are'),
});
export type ImportedArtifacts = z.infer<typeof ImportedArtifacts>;
