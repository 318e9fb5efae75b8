import { statement } from '../storage/statement.ts';
import type { ArtifactRow, ListItemRow } from '../storage/tables.ts';

// What views read.

/** All lists, or those of a JSON list. */
export const selectAllLists = statement<ArtifactRow>(`SELECT * FROM artifacts
  WHERE owner = ? AND kind = 'list' AND deleted_at IS NULL ORDER BY name_key, id`);
export const selectListsOf = statement<ArtifactRow>(`SELECT * FROM artifacts
  WHERE owner = ? AND kind = 'list' AND deleted_at IS NULL AND id IN (SELECT value FROM json_each(?))`);

function itemsWhere(condition: string) {
  return statement<ListItemRow>(`SELECT * FROM list_items WHERE owner = ? AND list_id = ? AND deleted_at IS NULL
    ${condition} AND rank > ? ORDER BY rank LIMIT ?`);
}

export const selectRowItems = {
  all: itemsWhere(''),
  open: itemsWhere('AND done_at IS NULL'),
  done: itemsWhere('AND done_at IS NOT NULL'),
};

/** Notes page by page, with so many characters of their text. */
export const selectRowNotes = statement<ArtifactRow>(`SELECT rid, owner, id, kind, plugin, name, name_key, version,
    substr(text, 1, ?) AS text, content, item_count, open_count, request_hash, created_at, created_by, updated_at,
    updated_by, deleted_at
  FROM artifacts WHERE owner = ? AND kind = 'note' AND deleted_at IS NULL AND id > ? ORDER BY id LIMIT ?`);
