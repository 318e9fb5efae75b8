import type { ArtifactKind, ArtifactPlugin } from '../../contract/artifacts.ts';
import { ChangedColumns } from '../storage/changed-columns.ts';
import { insertion, statement } from '../storage/statement.ts';
import type { ArtifactRow, Db } from '../storage/tables.ts';

/** A row that has no number yet. */
export type NewArtifactRow = Omit<ArtifactRow, 'rid'>;

/** Always through the owner. */
export async function findArtifact(db: Db, owner: string, id: string): Promise<ArtifactRow | undefined> {
  return (await selectOne(db, owner, id))[0];
}

const selectOne = statement<ArtifactRow>('SELECT * FROM artifacts WHERE owner = ? AND id = ?');

/** The one that a built-in plugin keeps; the oldest, should there be several. */
export async function findPluginArtifact(db: Db, owner: string, plugin: ArtifactPlugin) {
  return (await selectOfPlugin(db, owner, plugin))[0];
}

const selectOfPlugin = statement<ArtifactRow>(`SELECT * FROM artifacts
  WHERE owner = ? AND plugin = ? AND deleted_at IS NULL ORDER BY id LIMIT 1`);

export async function insertArtifact(db: Db, row: NewArtifactRow): Promise<ArtifactRow> {
  await insertRow(db, row);
  const [stored] = await selectRid(db, row.owner, row.id);
  return { ...row, rid: stored!.rid };
}

const insertRow = insertion<NewArtifactRow>('artifacts', 'rid');
const selectRid = statement<{ rid: number }>('SELECT rid FROM artifacts WHERE owner = ? AND id = ?');

/** The artifact is in the database as it is now. */
export function rememberArtifact(row: ArtifactRow): void {
  rows.remember(row);
}

export function saveArtifact(db: Db, row: ArtifactRow): Promise<void> {
  return rows.save(db, row);
}

const rows = new ChangedColumns<ArtifactRow>('artifacts', 'rid');

export async function countArtifacts(db: Db, owner: string): Promise<number> {
  return (await selectCount(db, owner))[0]!.count;
}

const selectCount = statement<{ count: number }>('SELECT count(*) AS count FROM artifacts WHERE owner = ?');

export async function hasArtifacts(db: Db, owner: string): Promise<boolean> {
  return (await selectAny(db, owner)).length > 0;
}

const selectAny = statement('SELECT 1 FROM artifacts WHERE owner = ? LIMIT 1');

/** What a list of artifacts shows of one: of its text, and of the items of a list, only the beginning. */
export type ArtifactLine = ArtifactRow & { beginning: string };

const OPEN_TITLES = `(SELECT group_concat(title, ' · ') FROM (SELECT substr(title, 1, 100) AS title FROM list_items
  WHERE list_items.owner = artifacts.owner AND list_id = artifacts.id AND deleted_at IS NULL AND done_at IS NULL
  ORDER BY rank LIMIT 5))`;
const LINE = `rid, owner, id, kind, plugin, name, name_key, version, '' AS text, content, item_count, open_count,
  request_hash, created_at, created_by, updated_at, updated_by, deleted_at,
  CASE kind WHEN 'list' THEN coalesce(${OPEN_TITLES}, '') ELSE substr(text, 1, 500) END AS beginning`;

export async function findLine(db: Db, owner: string, id: string): Promise<ArtifactLine | undefined> {
  return (await selectLine(db, owner, id))[0];
}

const selectLine = statement<ArtifactLine>(`SELECT ${LINE} FROM artifacts WHERE owner = ? AND id = ?`);

export interface LineFilter {
  readonly isDeleted: boolean;
  readonly kind: ArtifactKind | null;
  readonly plugin: ArtifactPlugin | null;
  readonly before: { readonly at: number; readonly id: string } | null;
  readonly limit: number;
}

/** Most recently changed first. */
export function selectLines(db: Db, owner: string, filter: LineFilter): Promise<ArtifactLine[]> {
  const { isDeleted, kind, plugin, before, limit } = filter;
  const select = isDeleted ? selectDeleted : selectPresent;
  const at = before?.at ?? Number.MAX_SAFE_INTEGER;
  return select(db, owner, at, at, before?.id ?? '', kind, kind, plugin, plugin, limit);
}

function linesWhere(condition: string) {
  return statement<ArtifactLine>(`SELECT ${LINE} FROM artifacts WHERE owner = ? AND ${condition}
    AND updated_at <= ? AND (updated_at < ? OR id < ?) AND (? IS NULL OR kind = ?) AND (? IS NULL OR plugin = ?)
    ORDER BY updated_at DESC, id DESC LIMIT ?`);
}

const selectPresent = linesWhere('deleted_at IS NULL');
const selectDeleted = linesWhere('deleted_at IS NOT NULL');

export type NamedArtifact = Pick<ArtifactRow, 'id' | 'name' | 'name_key' | 'kind' | 'plugin'>;

/** Those of a name, oldest first: it is the first that a link leads to. */
export const selectNamed = statement<NamedArtifact>(`SELECT id, name, name_key, kind, plugin FROM artifacts
  WHERE owner = ? AND name_key = ? AND deleted_at IS NULL ORDER BY created_at, id LIMIT 20`);

/** Names of the kinds in a JSON list, without those that the plugins of another keep, most recently changed first. */
export const selectNames = statement<NamedArtifact>(`SELECT id, name, name_key, kind, plugin FROM artifacts
  WHERE owner = ? AND deleted_at IS NULL AND kind IN (SELECT value FROM json_each(?))
    AND coalesce(plugin, '') NOT IN (SELECT value FROM json_each(?))
  ORDER BY updated_at DESC, id DESC LIMIT ?`);

const DELETIONS = [
  `DELETE FROM artifacts_fts WHERE rowid IN (SELECT rid * 2 FROM artifacts WHERE owner = ? AND id = ?)`,
  `DELETE FROM artifacts_fts WHERE rowid IN (SELECT rid * 2 + 1 FROM list_items WHERE owner = ? AND list_id = ?)`,
  'DELETE FROM list_items WHERE owner = ? AND list_id = ?',
  'DELETE FROM artifact_changes WHERE owner = ? AND artifact_id = ?',
  'DELETE FROM note_texts WHERE owner = ? AND note_id = ?',
  'DELETE FROM note_links WHERE owner = ? AND note_id = ?',
  'DELETE FROM artifact_files WHERE owner = ? AND artifact_id = ?',
  'DELETE FROM artifacts WHERE owner = ? AND id = ?',
].map((text) => statement(text));

/** With everything that belongs to it. */
export async function deleteArtifactRows(db: Db, owner: string, id: string): Promise<void> {
  for (const remove of DELETIONS) await remove(db, owner, id);
}
