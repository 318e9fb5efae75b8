import { z } from 'zod';
import { ArtifactName, Author, artifactFields, BaseVersion, Day, NewArtifactId, Tags } from './artifacts.ts';
import { Id, Timestamp } from './names.ts';

export const MOST_FIELDS = 50;
export const MOST_CHOICES = 100;
export const MOST_ITEMS = 50_000;
/** How many items one request adds, moves or deletes at most. */
export const MOST_AT_ONCE = 500;

export const FieldType = z.enum(['text', 'number', 'date', 'choice', 'checkbox', 'link']);
export type FieldType = z.infer<typeof FieldType>;

export const FieldId = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be a lowercase letter, then lowercase letters, digits or "_"')
  .refine((id) => !(id in Object.prototype), 'must not be a reserved name, such as constructor');

/** A field that the items of a list have besides title, notes, done, due date and tags. */
export const ListField = z
  .strictObject({
    id: FieldId,
    name: z.string().trim().min(1).max(100),
    type: FieldType,
    choices: z.array(z.string().trim().min(1).max(100)).max(MOST_CHOICES).optional().describe('Of a choice, in order'),
  })
  .refine((field) => (field.type === 'choice') === (field.choices !== undefined), {
    error: 'must be given for a choice and for nothing else',
    path: ['choices'],
  });
export type ListField = z.infer<typeof ListField>;

export const ListFields = z
  .array(ListField)
  .max(MOST_FIELDS)
  .refine((fields) => new Set(fields.map(({ id }) => id)).size === fields.length, 'must not name a field twice');

export const LinkValue = z
  .url({ protocol: /^(https?|mailto)$/, error: 'must be an http, https or mailto URL' })
  .max(2000);

/** By the type of the field: text, number, date and link, choice as strings; checkbox as true or false; null: empty. */
export const FieldValue = z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()]);
export type FieldValue = z.infer<typeof FieldValue>;
export const FieldValues = z.record(FieldId, FieldValue);
export type FieldValues = z.infer<typeof FieldValues>;

/** A day, or a moment with its zone. */
export const Due = z.union([Day, z.iso.datetime({ offset: true })], {
  error: 'must be a date (2026-01-31) or a time with a time zone (2026-01-31T09:00:00+01:00)',
});

const itemFields = {
  title: z.string().trim().min(1).max(500).describe('One line'),
  notes: z.string().max(20_000).describe('Markdown'),
  due: Due.nullable(),
  tags: Tags,
  values: FieldValues,
};

export const ListItem = z.object({
  id: Id,
  listId: Id,
  ...itemFields,
  tags: z.array(z.string()),
  doneAt: Timestamp.nullable(),
  rank: z.string().describe('Items are in the order of their ranks, compared by code unit'),
  version: z.int().describe('The version of the list in which the item was last changed'),
  createdAt: Timestamp,
  createdBy: Author,
  updatedAt: Timestamp,
  updatedBy: Author,
});
export type ListItem = z.infer<typeof ListItem>;

export const List = z.object({
  kind: z.literal('list'),
  ...artifactFields,
  description: z.string(),
  fields: z.array(ListField),
  openCount: z.int().describe('Items that are not done'),
  itemCount: z.int(),
});
export type List = z.infer<typeof List>;

export const CreateList = z.strictObject({
  id: NewArtifactId,
  name: ArtifactName,
  description: z.string().max(2000).default(''),
  fields: ListFields.default([]),
});
export type CreateList = z.output<typeof CreateList>;

/** What is not named stays. Values of a field that is left out of `fields` are kept and come back with the field. */
export const PatchList = z.strictObject({
  name: ArtifactName.optional(),
  description: z.string().max(2000).optional(),
  fields: ListFields.optional(),
  base: BaseVersion,
});
export type PatchList = z.infer<typeof PatchList>;

export const ItemPageQuery = z.strictObject({
  after: z.string().max(700).optional().describe('`next` of the page before'),
  done: z.enum(['true', 'false']).optional().describe('Only items that are done, or only those that are not'),
  limit: z.coerce.number().int().min(1).max(1000).default(500),
});

export const ItemPage = z.object({
  items: z.array(ListItem).describe('In the order of their ranks'),
  next: z.string().nullable(),
  version: z.int().describe('Of the list, when the page was read'),
});
export type ItemPage = z.infer<typeof ItemPage>;

export const NewItem = z.strictObject({
  id: Id.optional().describe('Made by the client: the same id and content add the item once'),
  title: itemFields.title,
  notes: itemFields.notes.default(''),
  due: itemFields.due.default(null),
  tags: itemFields.tags.default([]),
  values: itemFields.values.default({}),
  done: z.boolean().default(false),
});
export type NewItem = z.input<typeof NewItem>;

/** Where items go: before or after another one; neither: to the end. */
const place = {
  before: Id.optional(),
  after: Id.optional(),
};

export const AddItems = z
  .strictObject({ items: z.array(NewItem).min(1).max(MOST_AT_ONCE), ...place })
  .refine(({ before, after }) => !(before && after), { error: 'must not be given with before', path: ['after'] });
export type AddItems = z.output<typeof AddItems>;

export const ItemList = z.object({
  items: z.array(ListItem),
  version: z.int().describe('Of the list that the items are in'),
});
export type ItemList = z.infer<typeof ItemList>;

/** What is not named stays; of `values` too. null clears. */
export const PatchItem = z.strictObject({
  title: itemFields.title.optional(),
  notes: itemFields.notes.optional(),
  due: itemFields.due.optional(),
  tags: itemFields.tags.optional(),
  values: itemFields.values.optional(),
  done: z.boolean().optional(),
  base: BaseVersion,
});
export type PatchItem = z.infer<typeof PatchItem>;

export const MoveItems = z
  .strictObject({
    items: z.array(Id).min(1).max(MOST_AT_ONCE).describe('They keep their order among themselves'),
    toListId: Id.optional().describe('Another list; values of fields that it does not have are kept out of sight'),
    ...place,
  })
  .refine(({ before, after }) => !(before && after), { error: 'must not be given with before', path: ['after'] });
export type MoveItems = z.infer<typeof MoveItems>;

export const RemoveItems = z.strictObject({ items: z.array(Id).min(1).max(MOST_AT_ONCE) });

export const RemovedItems = z.object({
  versions: z
    .array(z.int())
    .describe('Those that the deletions made, in the order of the items: undo them to bring the items back'),
});
export type RemovedItems = z.infer<typeof RemovedItems>;
