import type { ArtifactFile, FileContents } from '../../contract/artifact-files.ts';
import type { ArtifactChange, ArtifactSummary, Author } from '../../contract/artifacts.ts';
import type { List, ListField, ListItem } from '../../contract/lists.ts';
import type { View } from '../../contract/views.ts';
import type { ArtifactChangeRow, ArtifactRow, ListItemRow } from '../storage/tables.ts';
import type { ArtifactLine } from './artifact-store.ts';

// Rows as clients read them.

export interface ListContent {
  description: string;
  fields: ListField[];
}

export interface NoteContent {
  tags: string[];
  date: string | null;
  mood: string | null;
}

export interface FileContent {
  tags: string[];
  contents: FileContents;
}

export type ViewContent = Pick<View, 'query' | 'layout' | 'columns' | 'dateField'>;

export function contentOf<Content>({ content }: Pick<ArtifactRow, 'content'>): Content {
  return JSON.parse(content) as Content;
}

export function toTime(at: number): string {
  return new Date(at).toISOString();
}

const MOST_AUTHORS = 500;
const authors = new Map<string, Author>();

/** The same few authors are on thousands of items: each is read once. */
export function toAuthor(json: string): Author {
  const known = authors.get(json);
  if (known) return known;
  if (authors.size >= MOST_AUTHORS) authors.clear();
  const author = Object.freeze(JSON.parse(json) as Author);
  authors.set(json, author);
  return author;
}

/** What all kinds have. */
export function artifactOf(row: ArtifactRow) {
  return {
    id: row.id,
    name: row.name,
    plugin: row.plugin,
    version: row.version,
    createdAt: toTime(row.created_at),
    createdBy: toAuthor(row.created_by),
    updatedAt: toTime(row.updated_at),
    updatedBy: toAuthor(row.updated_by),
    deletedAt: row.deleted_at === null ? null : toTime(row.deleted_at),
  };
}

export function toList(row: ArtifactRow): List {
  const { item_count: itemCount, open_count: openCount } = row;
  return { kind: 'list', ...artifactOf(row), ...contentOf<ListContent>(row), itemCount, openCount };
}

export function toView(row: ArtifactRow): View {
  return { kind: 'view', ...artifactOf(row), ...contentOf<ViewContent>(row) };
}

export function toFile(row: ArtifactRow): ArtifactFile {
  return { kind: 'file', ...artifactOf(row), ...contentOf<FileContent>(row) };
}

const MOST_SNIPPET = 200;

export function toSummary(row: ArtifactLine): ArtifactSummary {
  const { tags = [] } = contentOf<{ tags?: string[] }>(row);
  const snippet = row.kind === 'view' ? describeView(contentOf<ViewContent>(row)) : row.beginning;
  return {
    kind: row.kind,
    ...artifactOf(row),
    tags,
    snippet: snippetOf(snippet),
    count: row.kind === 'list' ? row.open_count : null,
  };
}

function describeView({ layout, query }: ViewContent): string {
  const filters = query.filters.map(({ field, test, value }) =>
    `${field} ${test.replace('_', ' ')} ${value ?? ''}`.trim(),
  );
  const words = query.words ? [`“${query.words}”`] : [];
  const group = query.group ? [`by ${query.group}`] : [];
  return [layout, ...filters, ...words, ...group].join(' · ');
}

/** One line. */
export function snippetOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MOST_SNIPPET ? line : `${line.slice(0, MOST_SNIPPET - 1).toWellFormed()}…`;
}

/** Values of fields that the list does not have are kept, but not shown. */
export function toItem(row: ListItemRow, fields: ReadonlySet<string>): ListItem {
  return {
    id: row.id,
    listId: row.list_id,
    title: row.title,
    notes: row.notes,
    due: row.due,
    tags: row.tags === '[]' ? [] : (JSON.parse(row.tags) as string[]),
    values: row.field_values === '{}' ? {} : shownValues(row, fields),
    doneAt: row.done_at === null ? null : toTime(row.done_at),
    rank: row.rank,
    version: row.version,
    createdAt: toTime(row.created_at),
    createdBy: toAuthor(row.created_by),
    updatedAt: toTime(row.updated_at),
    updatedBy: toAuthor(row.updated_by),
  };
}

function shownValues(row: ListItemRow, fields: ReadonlySet<string>): ListItem['values'] {
  const values = Object.entries(JSON.parse(row.field_values) as ListItem['values']);
  return Object.fromEntries(values.filter(([id]) => fields.has(id)));
}

export function fieldIdsOf(list: Pick<ArtifactRow, 'content'>): ReadonlySet<string> {
  return new Set(contentOf<ListContent>(list).fields.map(({ id }) => id));
}

export function toChange(row: ArtifactChangeRow): ArtifactChange {
  return {
    artifactId: row.artifact_id,
    version: row.version,
    type: row.type,
    itemId: row.item_id,
    title: row.title,
    before: readFields(row.before),
    after: readFields(row.after),
    textAt: row.text_at,
    by: toAuthor(row.author),
    at: toTime(row.at),
    undoes: row.undoes,
    undoneBy: row.undone_by,
  };
}

export function readFields(json: string | null): Record<string, unknown> | null {
  return json === null ? null : (JSON.parse(json) as Record<string, unknown>);
}
