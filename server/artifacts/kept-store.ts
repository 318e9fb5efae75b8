import { statement } from '../storage/statement.ts';
import type { ArtifactRow, ListItemRow } from '../storage/tables.ts';

// What built-in plugins read: newest first.

/** Items of a list before a moment and an id. */
export const selectItemsBefore = statement<ListItemRow>(`SELECT * FROM list_items
  WHERE owner = ? AND list_id = ? AND deleted_at IS NULL AND created_at <= ? AND (created_at < ? OR id < ?)
  ORDER BY created_at DESC, id DESC LIMIT ?`);

/** The one that has an address; an index finds it. */
export const selectItemOfUrl = statement<ListItemRow>(`SELECT * FROM list_items
  WHERE owner = ? AND list_id = ? AND deleted_at IS NULL AND field_values ->> '$.url' = ? LIMIT 1`);

/** Notes that a plugin keeps, before a moment and an id. */
export const selectNotesBefore = statement<ArtifactRow>(`SELECT * FROM artifacts
  WHERE owner = ? AND plugin = ? AND deleted_at IS NULL AND created_at <= ? AND (created_at < ? OR id < ?)
  ORDER BY created_at DESC, id DESC LIMIT ?`);
