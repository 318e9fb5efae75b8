import { z } from 'zod';
import { FileContents } from './artifact-files.ts';
import { ArtifactChange, ArtifactName, ArtifactPlugin, Author, Day, Tags } from './artifacts.ts';
import { Due, FieldId, FieldValue, ListFields, NewItem } from './lists.ts';
import { Id } from './names.ts';
import { MOST_NOTE } from './notes.ts';
import { CreateView, View } from './views.ts';

/** How many entries of one kind one request brings; more come with further requests for the same artifact. */
export const MOST_IMPORTED = 5000;

const text = (most: number) => z.string().max(most).nullable().optional();
const Moment = z.iso.datetime({ offset: true });
const Rank = z.string().regex(/^[A-Za-z][0-9A-Za-z]{1,199}$/, 'must be a rank');

/** The fields that a change is about. Null: there was nothing in it. */
const ChangedFields = z
  .object({
    ...{ name: ArtifactName.nullable().optional(), description: text(2000), fields: ListFields.nullable().optional() },
    ...{ text: text(MOST_NOTE), date: Day.nullable().optional(), mood: text(50), tags: Tags.nullable().optional() },
    query: View.shape.query.nullable().optional(),
    layout: View.shape.layout.nullable().optional(),
    columns: View.shape.columns.nullable().optional(),
    dateField: View.shape.dateField.optional(),
    contents: FileContents.nullable().optional(),
    ...{ title: text(500), notes: text(20_000), due: Due.nullable().optional(), doneAt: Moment.nullable().optional() },
    ...{ listId: Id.optional(), rank: Rank.optional() },
  })
  .catchall(FieldValue)
  .superRefine((fields, context) => {
    const wrong = Object.keys(fields).find((key) => !isField(key));
    if (wrong !== undefined) context.addIssue({ code: 'unrecognized_keys', keys: [wrong], input: fields });
  });

const NAMED: ReadonlySet<string> = new Set(
  'name description fields text date mood tags query layout columns dateField contents title notes due doneAt listId rank'.split(
    ' ',
  ),
);

function isField(key: string): boolean {
  return NAMED.has(key) || (key.startsWith('values.') && FieldId.safeParse(key.slice('values.'.length)).success);
}

export const ExportedChange = ArtifactChange.omit({ artifactId: true })
  .extend({
    title: z.string().max(500),
    at: Moment,
    by: Author.strict(),
    before: ChangedFields.nullable(),
    after: ChangedFields.nullable(),
    linesAdded: z.int().min(0).default(0).describe('Of a note'),
    linesRemoved: z.int().min(0).default(0).describe('Of a note'),
    otherArtifactId: Id.nullable().default(null).describe('The other list of an item that moved between two'),
    otherVersion: z.int().nullable().default(null).describe('The version that this made there'),
  })
  .strict();
export type ExportedChange = z.output<typeof ExportedChange>;

const times = {
  createdAt: Moment,
  createdBy: Author.strict(),
  updatedAt: Moment,
  updatedBy: Author.strict(),
  deletedAt: Moment.nullable(),
};

/** What became of an artifact so far. Without it, an imported one begins with the import. */
export const ExportedHistory = z
  .strictObject({ version: z.int().min(1), ...times, changes: z.array(ExportedChange).max(MOST_IMPORTED) })
  .refine(({ version, changes }) => changes.every((change) => change.version >= 1 && change.version <= version), {
    error: 'must not have versions that the artifact does not have',
    path: ['changes'],
  });
export type ExportedHistory = z.output<typeof ExportedHistory>;

const about = { id: Id, name: ArtifactName, history: ExportedHistory.optional() };
const plugin = ArtifactPlugin.nullable().default(null);

export const ExportedItem = NewItem.omit({ done: true }).extend({
  id: Id,
  doneAt: z.iso.datetime({ offset: true }).nullable().default(null),
  history: z.strictObject({ rank: Rank, version: z.int().min(1), ...times }).optional(),
});
export type ExportedItem = z.output<typeof ExportedItem>;

/** Items without a history are in the order of the list. */
export const ExportedList = z.strictObject({
  ...about,
  plugin,
  description: z.string().max(2000).default(''),
  fields: ListFields.default([]),
  items: z
    .array(ExportedItem)
    .max(MOST_IMPORTED)
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

/** Its contents, and those of its versions, have to be uploaded before. */
export const ExportedFile = z.strictObject({ ...about, tags: Tags.default([]), contents: FileContents });
export type ExportedFile = z.output<typeof ExportedFile>;

const artifacts = {
  lists: z.array(ExportedList).max(1000).default([]),
  notes: z.array(ExportedNote).max(1000).default([]),
  views: z.array(ExportedView).max(1000).default([]),
  files: z.array(ExportedFile).max(1000).default([]),
};

/** What `parley export --artifacts` writes, the contents of files aside: all artifacts, also in the trash, with their history. */
export const ExportedArtifacts = z.strictObject({
  format: z.literal('parley-artifacts'),
  version: z.literal(1),
  exportedAt: Moment.optional(),
  ...artifacts,
});
export type ExportedArtifacts = z.output<typeof ExportedArtifacts>;

export const ExportPartQuery = z.strictObject({
  after: z.string().max(200).optional().describe('`next` of the part before'),
});

/** One artifact, in parts: each has some of its items and of its history. */
export const ExportedPart = z.object({
  ...artifacts,
  next: z.string().nullable().describe('Pass as ?after= for the next part; null at the end'),
});
export type ExportedPart = z.output<typeof ExportedPart>;

export const ImportedArtifacts = z.object({
  lists: z.int(),
  items: z.int(),
  notes: z.int(),
  views: z.int(),
  files: z.int(),
  skipped: z.int().describe('Were there already, under the same ID, and are left as they are'),
});
export type ImportedArtifacts = z.infer<typeof ImportedArtifacts>;
