import { statement } from '../storage/statement.ts';
import type { ArtifactChangeRow, ListItemRow } from '../storage/tables.ts';

// What an export reads: also what was deleted.

export const selectItemsAfter = statement<ListItemRow>(`SELECT * FROM list_items
  WHERE owner = ? AND list_id = ? AND rid > ? ORDER BY rid LIMIT ?`);

export const selectChangesAfter = statement<ArtifactChangeRow>(`SELECT * FROM artifact_changes
  WHERE owner = ? AND artifact_id = ? AND version > ? ORDER BY version LIMIT ?`);

/** Items are counted anew once some have been added as they were. */
export const countItemsAnew = statement(`UPDATE artifacts SET
    item_count = (SELECT count(*) FROM list_items
      WHERE list_items.owner = artifacts.owner AND list_id = artifacts.id AND list_items.deleted_at IS NULL),
    open_count = (SELECT count(*) FROM list_items
      WHERE list_items.owner = artifacts.owner AND list_id = artifacts.id AND list_items.deleted_at IS NULL
        AND done_at IS NULL)
  WHERE rid = ?`);

export const selectVersions = statement<{ version: number }>(`SELECT version FROM artifact_changes
  WHERE owner = ? AND artifact_id = ? AND version IN (SELECT value FROM json_each(?))`);
