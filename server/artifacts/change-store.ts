import { insertionOfMany, statement } from '../storage/statement.ts';
import type { ArtifactChangeRow, Db } from '../storage/tables.ts';

export const insertChanges = insertionOfMany<ArtifactChangeRow>('artifact_changes');

export async function findChange(db: Db, owner: string, artifactId: string, version: number) {
  return (await selectChange(db, owner, artifactId, version))[0];
}

const selectChange = statement<ArtifactChangeRow>(
  'SELECT * FROM artifact_changes WHERE owner = ? AND artifact_id = ? AND version = ?',
);

/** Changes of the artifact itself, not of its items, after a version, oldest first. */
export const selectOwnChangesAfter = statement<ArtifactChangeRow>(`SELECT * FROM artifact_changes
  WHERE owner = ? AND artifact_id = ? AND version > ? AND item_id IS NULL ORDER BY version`);

/** Changes of one item after a version, oldest first. */
export const selectItemChangesAfter = statement<ArtifactChangeRow>(`SELECT * FROM artifact_changes
  WHERE owner = ? AND artifact_id = ? AND item_id = ? AND version > ? ORDER BY version`);

export interface ChangeFilter {
  readonly itemId: string | null;
  readonly after: number | null;
  readonly before: number | null;
  readonly limit: number;
}

/** Oldest first after a version; else newest first. */
export function selectChanges(
  db: Db,
  owner: string,
  artifactId: string,
  { itemId, after, before, limit }: ChangeFilter,
): Promise<ArtifactChangeRow[]> {
  const from = after ?? 0;
  const to = before ?? Number.MAX_SAFE_INTEGER;
  const [select, selectOfItem] =
    after === null ? [selectNewest, selectNewestOfItem] : [selectOldest, selectOldestOfItem];
  if (itemId === null) return select(db, owner, artifactId, from, to, limit);
  return selectOfItem(db, owner, artifactId, itemId, from, to, limit);
}

function changesWhere(condition: string, order: string) {
  return statement<ArtifactChangeRow>(`SELECT * FROM artifact_changes WHERE owner = ? AND artifact_id = ?${condition}
    AND version > ? AND version < ? ORDER BY version ${order} LIMIT ?`);
}

const selectNewest = changesWhere('', 'DESC');
const selectOldest = changesWhere('', 'ASC');
const selectNewestOfItem = changesWhere(' AND item_id = ?', 'DESC');
const selectOldestOfItem = changesWhere(' AND item_id = ?', 'ASC');

/** Newest first: changes of the text of a note, before a version and back to another. */
export const selectTextChanges = statement<ArtifactChangeRow>(`SELECT * FROM artifact_changes
  WHERE owner = ? AND artifact_id = ? AND version < ? AND version > ? AND text_at IS NOT NULL ORDER BY version DESC
  LIMIT ?`);

export const markUndone = statement(
  'UPDATE artifact_changes SET undone_by = ? WHERE owner = ? AND artifact_id = ? AND version = ?',
);

export const insertNoteText = statement('INSERT INTO note_texts (owner, note_id, version, text) VALUES (?, ?, ?, ?)');

/** The oldest text that is kept from a version on. */
export const selectNoteText = statement<{ version: number; text: string }>(`SELECT version, text FROM note_texts
  WHERE owner = ? AND note_id = ? AND version >= ? ORDER BY version LIMIT 1`);

/** How many changes of the text there were since it was last kept whole. */
export const countSinceText = statement<{ count: number }>(`SELECT count(*) AS count FROM artifact_changes
  WHERE owner = ?1 AND artifact_id = ?2 AND text_at IS NOT NULL
    AND version > coalesce((SELECT max(version) FROM note_texts WHERE owner = ?1 AND note_id = ?2), 0)`);
