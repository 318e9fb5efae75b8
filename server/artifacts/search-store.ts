import { statement } from '../storage/statement.ts';
import type { ArtifactRow, ListItemRow } from '../storage/tables.ts';

/** Rows of the search index, newest first; what is in the trash is among them. */
export const selectMatching = statement<{ rowid: number }>(
  'SELECT rowid FROM artifacts_fts WHERE artifacts_fts MATCH ? ORDER BY rowid DESC LIMIT ?',
);

/** Of some rows, as JSON, those that the owner has and that are not in the trash: the most recently changed first. */
export const selectFoundArtifacts = statement<ArtifactRow>(`SELECT * FROM artifacts
  WHERE rid IN (SELECT value FROM json_each(?)) AND owner = ? AND deleted_at IS NULL
  ORDER BY updated_at DESC, id DESC LIMIT ?`);

export const selectFoundItems = statement<ListItemRow>(`SELECT list_items.* FROM list_items
  JOIN artifacts ON artifacts.owner = list_items.owner AND artifacts.id = list_id AND artifacts.deleted_at IS NULL
  WHERE list_items.rid IN (SELECT value FROM json_each(?)) AND list_items.owner = ? AND list_items.deleted_at IS NULL
  ORDER BY list_items.updated_at DESC, list_items.id DESC LIMIT ?`);
