import { z } from 'zod';
import type { ExportedChange, ExportedHistory, ExportedItem, ExportedPart } from '../../contract/artifact-export.ts';
import { readCursor, writeCursor } from '../storage/cursor.ts';
import type { ArtifactChangeRow, ArtifactRow, Db, ListItemRow } from '../storage/tables.ts';
import { loadArtifact } from './changing.ts';
import { selectChangesAfter, selectItemsAfter } from './export-store.ts';
import {
  artifactOf,
  contentOf,
  type FileContent,
  type ListContent,
  type NoteContent,
  toAuthor,
  toTime,
  type ViewContent,
} from './shapes.ts';

const AT_ONCE = 500;
/** A part is not made larger than this once it has one row; what reads it takes requests of a few megabytes. */
const MOST_BYTES = 3_000_000;

/** Row number of the last item, version of the last change. */
const Place = z.tuple([z.int(), z.int()]);

/** An artifact with some of its items and of its history; `next` leads to more of them. */
export async function exportArtifact(
  db: Db,
  owner: string,
  id: string,
  after: string | undefined,
): Promise<ExportedPart> {
  const row = await loadArtifact(db, owner, id, null);
  const [item, version] = after === undefined ? [0, 0] : readCursor(Place, after);
  const items = cut(row.kind === 'list' ? await selectItemsAfter(db, owner, id, item, AT_ONCE) : [], AT_ONCE);
  // Items first: a part of a large list holds no history.
  const changes = items.isCut
    ? { rows: [], isCut: true }
    : cut(await selectChangesAfter(db, owner, id, version, AT_ONCE), AT_ONCE);
  const next = [items.rows.at(-1)?.rid ?? item, changes.rows.at(-1)?.version ?? version];
  const part = toPart(row, items.rows, changes.rows);
  return { ...part, next: items.isCut || changes.isCut ? writeCursor(next) : null };
}

/** As many rows as fit, and whether there can be more. */
function cut<Row extends object>(rows: Row[], limit: number): { rows: Row[]; isCut: boolean } {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += sizeOf(row);
    return bytes > MOST_BYTES && index > 0;
  });
  return end < 0 ? { rows, isCut: rows.length === limit } : { rows: rows.slice(0, end), isCut: true };
}

function sizeOf(row: object): number {
  return Object.values(row).reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 8), 0);
}

function toPart(
  row: ArtifactRow,
  items: readonly ListItemRow[],
  changes: readonly ArtifactChangeRow[],
): Omit<ExportedPart, 'next'> {
  const { id, name, kind, plugin, text } = row;
  const about = { id, name, history: toHistory(row, changes) };
  const none = { lists: [], notes: [], views: [], files: [] };
  switch (kind) {
    case 'list':
      return { ...none, lists: [{ ...about, plugin, ...contentOf<ListContent>(row), items: items.map(toItem) }] };
    case 'note':
      return { ...none, notes: [{ ...about, plugin, text, ...contentOf<NoteContent>(row) }] };
    case 'view':
      return { ...none, views: [{ ...about, ...contentOf<ViewContent>(row) }] };
    case 'file':
      return { ...none, files: [{ ...about, ...contentOf<FileContent>(row) }] };
  }
}

function toHistory(row: ArtifactRow, changes: readonly ArtifactChangeRow[]): ExportedHistory {
  const { version, createdAt, createdBy, updatedAt, updatedBy, deletedAt } = artifactOf(row);
  const times = { createdAt, createdBy, updatedAt, updatedBy, deletedAt };
  return { version, ...times, changes: changes.map(toChange) };
}

function toItem(row: ListItemRow): ExportedItem {
  return {
    id: row.id,
    title: row.title,
    notes: row.notes,
    due: row.due,
    tags: JSON.parse(row.tags),
    values: JSON.parse(row.field_values),
    doneAt: row.done_at === null ? null : toTime(row.done_at),
    history: {
      rank: row.rank,
      version: row.version,
      createdAt: toTime(row.created_at),
      createdBy: toAuthor(row.created_by),
      updatedAt: toTime(row.updated_at),
      updatedBy: toAuthor(row.updated_by),
      deletedAt: row.deleted_at === null ? null : toTime(row.deleted_at),
    },
  };
}

function toChange(row: ArtifactChangeRow): ExportedChange {
  return {
    version: row.version,
    type: row.type,
    itemId: row.item_id,
    title: row.title,
    before: row.before === null ? null : JSON.parse(row.before),
    after: row.after === null ? null : JSON.parse(row.after),
    textAt: row.text_at,
    linesAdded: row.lines_added,
    linesRemoved: row.lines_removed,
    by: toAuthor(row.author),
    at: toTime(row.at),
    undoes: row.undoes,
    undoneBy: row.undone_by,
    otherArtifactId: row.other_artifact_id,
    otherVersion: row.other_version,
  };
}
