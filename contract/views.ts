import { z } from 'zod';
import { ArtifactName, artifactFields, BaseVersion, NewArtifactId } from './artifacts.ts';
import { FieldId, ListField, ListItem } from './lists.ts';
import { Id } from './names.ts';

/** What rows can be told apart by: what every row has, or a field of lists as `values.<fieldId>`. */
export const RowField = z.union([
  z.enum(['title', 'notes', 'done', 'due', 'tags', 'list', 'kind', 'created', 'updated', 'date']),
  z.templateLiteral(['values.', FieldId]),
]);
export type RowField = z.infer<typeof RowField>;

export const FilterTest = z.enum(['is', 'is_not', 'contains', 'lacks', 'before', 'after', 'empty', 'filled']);
export type FilterTest = z.infer<typeof FilterTest>;

/** `before` and `after` compare dates and numbers, this day included in neither. Dates can be `today`, `today+7`, `today-1`. */
export const ViewFilter = z
  .strictObject({
    field: RowField,
    test: FilterTest,
    value: z
      .union([z.string().max(500), z.number(), z.boolean()])
      .optional()
      .describe('Not for empty and filled'),
  })
  .refine(({ test, value }) => (test === 'empty' || test === 'filled') === (value === undefined), {
    error: 'must be given, but not for empty and filled',
    path: ['value'],
  });
export type ViewFilter = z.infer<typeof ViewFilter>;

export const ViewSort = z.strictObject({ field: RowField, direction: z.enum(['up', 'down']).default('up') });

export const ViewQuery = z.strictObject({
  lists: z
    .array(Id)
    .max(200)
    .nullable()
    .default(null)
    .describe('Items of these lists; null: of all lists; []: no items'),
  notes: z.boolean().default(false).describe('Notes too'),
  filters: z.array(ViewFilter).max(50).default([]).describe('All of them must hold'),
  words: z.string().max(500).default('').describe('Words that title, notes or tags must contain'),
  sort: z.array(ViewSort).max(5).default([]).describe('Default: as in the list'),
  group: RowField.nullable().default(null),
});
export type ViewQuery = z.output<typeof ViewQuery>;

export const ViewLayout = z.enum(['table', 'board', 'list', 'calendar']);
export type ViewLayout = z.infer<typeof ViewLayout>;

const viewFields = {
  query: ViewQuery,
  layout: ViewLayout.describe(
    'A board has a column for each group; a calendar places rows by their due date, or by `dateField`',
  ),
  columns: z.array(RowField).max(60).describe('Of a table, and what cards show; empty: a choice that fits'),
  dateField: RowField.nullable(),
};

export const View = z.object({ kind: z.literal('view'), ...artifactFields, ...viewFields });
export type View = z.infer<typeof View>;

export const CreateView = z.strictObject({
  id: NewArtifactId,
  name: ArtifactName,
  query: viewFields.query,
  layout: ViewLayout.default('table'),
  columns: viewFields.columns.default([]),
  dateField: viewFields.dateField.default(null),
});
export type CreateView = z.output<typeof CreateView>;

export const PatchView = z.strictObject({
  name: ArtifactName.optional(),
  query: viewFields.query.optional(),
  layout: ViewLayout.optional(),
  columns: viewFields.columns.optional(),
  dateField: viewFields.dateField.optional(),
  base: BaseVersion,
});
export type PatchView = z.infer<typeof PatchView>;

/** A note as a row. */
export const NoteRow = z.object({
  id: Id,
  title: z.string(),
  notes: z.string().describe('The beginning of its text'),
  tags: z.array(z.string()),
  date: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type NoteRow = z.infer<typeof NoteRow>;

export const ViewRow = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('item'), group: z.string().nullable(), item: ListItem }),
  z.object({ kind: z.literal('note'), group: z.string().nullable(), note: NoteRow }),
]);
export type ViewRow = z.infer<typeof ViewRow>;

export const ViewRows = z.object({
  rows: z
    .array(ViewRow)
    .describe('Sorted; groups follow one another. Grouped by tags, a row with several tags is there several times'),
  groups: z
    .array(z.object({ value: z.string().nullable(), count: z.int() }))
    .describe('In order; empty without a group. Of lists by their id, of dates by day'),
  fields: z
    .array(ListField.safeExtend({ listIds: z.array(Id) }))
    .describe('Fields that the rows have, of all their lists'),
  lists: z.array(z.object({ id: Id, name: z.string() })),
  total: z.int().describe('How many rows there are'),
  isCut: z.boolean().describe('There are more rows than are given'),
});
export type ViewRows = z.infer<typeof ViewRows>;

const timeZone = z.string().max(60).optional().describe('What `today` means; default: the server’s zone');

export const ViewRowsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(10_000).default(1000),
  timeZone,
});

/** The rows of a query that is not saved. */
export const RunQuery = z.strictObject({
  query: ViewQuery,
  limit: z.int().min(1).max(10_000).default(1000),
  timeZone,
});
