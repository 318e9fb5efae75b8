import { insertionOfMany, statement } from '../storage/statement.ts';
import type { NoteLinkRow } from '../storage/tables.ts';
import type { NamedArtifact } from './artifact-store.ts';

export const deleteLinks = statement('DELETE FROM note_links WHERE owner = ? AND note_id = ?');
export const insertLinks = insertionOfMany<NoteLinkRow>('note_links');

const MOST_LINKING = 200;

/** Notes that link to a name, most recently changed first. */
export const selectLinking = statement<NamedArtifact>(`SELECT id, name, artifacts.name_key, kind FROM note_links
  JOIN artifacts ON artifacts.owner = note_links.owner AND artifacts.id = note_id
  WHERE note_links.owner = ? AND note_links.name_key = ? AND deleted_at IS NULL AND id <> ?
  ORDER BY updated_at DESC, id LIMIT ${MOST_LINKING}`);

/** For every name of a JSON list that artifacts have, the oldest of them. */
export const selectTargets = statement<{ id: string; name_key: string }>(`SELECT id, name_key FROM artifacts
  WHERE owner = ? AND deleted_at IS NULL AND name_key IN (SELECT value FROM json_each(?))
  ORDER BY created_at DESC, id DESC`);
