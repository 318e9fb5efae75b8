import { isDeepStrictEqual } from 'node:util';
import type { ArtifactConflict } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { ArtifactChangeRow, ListItemRow } from '../storage/tables.ts';
import { artifactFieldsOf, writeFields } from './change-artifact.ts';
import { findChange, markUndone, selectItemChangesAfter, selectOwnChangesAfter } from './change-store.ts';
import type { ArtifactEdit, Changing } from './changing.ts';
import { filledFieldsOf, itemFieldsOf } from './item-fields.ts';
import { findItem } from './item-store.ts';
import { moveItem, removeItem, restoreItem, writeItem } from './items.ts';
import { assertNoConflict, type BaseOf, type Fields, mergeFields } from './merge-fields.ts';
import { textAt } from './note-text.ts';
import { freeRank } from './places.ts';
import { readFields, toAuthor, toTime } from './shapes.ts';
import { restore, trash } from './trash.ts';

interface Undoing {
  readonly edit: ArtifactEdit;
  readonly change: ArtifactChangeRow;
  readonly force: boolean;
}

/** Takes changes back, the newest first. The caller's transaction makes it all of them or none. */
export async function undoChanges(
  edit: ArtifactEdit,
  versions: readonly number[],
  force: boolean,
): Promise<ArtifactChangeRow[]> {
  const newestFirst = [...new Set(versions)].sort((a, b) => b - a);
  const made: ArtifactChangeRow[] = [];
  for (const version of newestFirst) {
    const change = await loadChange(edit, version);
    const from = edit.changes.length;
    await undoOne({ edit, change, force });
    const own = edit.changes[from];
    // With force, what was to be taken back may have been gone already.
    if (!own) continue;
    await link(edit.changing, change, own);
    made.push(own);
    await edit.flush();
  }
  return made;
}

async function loadChange({ changing, row, changes }: ArtifactEdit, version: number): Promise<ArtifactChangeRow> {
  const change = await findChange(changing.db, changing.owner, row.id, version);
  if (!change || change.type === 'created')
    throw new AppError('artifact_version_not_found', say('artifact_version_not_found', { version }));
  if (change.undone_by !== null || changes.some(({ undoes }) => undoes === version))
    throw new AppError('artifact_change_undone', say('artifact_change_undone'));
  if (row.deleted_at !== null && change.type !== 'deleted')
    throw new AppError('artifact_deleted', say('artifact_deleted', { name: row.name }));
  return change;
}

async function undoOne(undoing: Undoing): Promise<void> {
  switch (undoing.change.type) {
    case 'created':
      return;
    case 'changed':
      return undoFields(undoing);
    case 'deleted':
      return restore(undoing.edit);
    case 'restored':
      return trash(undoing.edit);
    case 'item_added':
    case 'item_restored':
      return undoAdding(undoing);
    case 'item_changed':
      return undoItemFields(undoing);
    case 'item_moved':
      return undoMove(undoing);
    case 'item_deleted':
      return undoDeletion(undoing);
  }
}

async function undoFields(undoing: Undoing): Promise<void> {
  const { edit, change, force } = undoing;
  const { db, owner } = edit.changing;
  const wanted: Fields = { ...readFields(change.before) };
  const made: Fields = { ...readFields(change.after) };
  // The history has the piece that differs, not the whole text.
  if ('text' in made) {
    wanted.text = await textAt(db, edit.row, change.version - 1);
    made.text = await textAt(db, edit.row, change.version);
  }
  const since = await selectOwnChangesAfter(db, owner, edit.row.id, change.version);
  const { changed, conflicts } = mergeFields(artifactFieldsOf(edit.row), wanted, madeBy(change, made, since));
  if (!force) assertNoConflict(conflicts, 'artifact_conflict.undo');
  await writeFields(edit, changed);
}

async function undoItemFields({ edit, change, force }: Undoing): Promise<void> {
  const item = await requireItemOf(edit, change);
  const { changed, conflicts } = mergeFields(
    itemFieldsOf(item),
    { ...readFields(change.before) },
    madeBy(change, readFields(change.after) ?? {}, await laterChanges(edit, change)),
  );
  if (!force) assertNoConflict(conflicts, 'artifact_conflict.undo');
  await writeItem(edit, item, changed);
}

/** What the change made of each field, and who has changed it last. */
function madeBy(change: ArtifactChangeRow, made: Fields, since: readonly ArtifactChangeRow[]): BaseOf {
  return (field) => {
    const last = since.findLast(({ after }) => field in (readFields(after) ?? {})) ?? change;
    return { value: made[field] ?? null, by: toAuthor(last.author), at: toTime(last.at) };
  };
}

async function undoAdding({ edit, change, force }: Undoing): Promise<void> {
  const item = await findItemOf(edit, change);
  if (!item || item.deleted_at !== null) return force ? undefined : conflict(change, 'deletedAt', false, true);
  const made = readFields(change.after) ?? {};
  const now = filledFieldsOf(item);
  const later = await laterChanges(edit, change);
  const { by, at } = madeBy(change, made, later)('')!;
  const conflicts = [...new Set([...Object.keys(made), ...Object.keys(now)])]
    .filter((field) => field !== 'rank' && !isDeepStrictEqual(made[field], now[field]))
    .map((field) => ({ field, yours: null, theirs: now[field] ?? null, by, at }));
  if (!force) assertNoConflict(conflicts, 'artifact_conflict.undo');
  await removeItem(edit, item);
}

async function undoDeletion({ edit, change, force }: Undoing): Promise<void> {
  const item = await findItemOf(edit, change);
  if (!item) throw new AppError('artifact_item_not_found', say('artifact_item_not_found', { id: change.item_id! }));
  if (item.deleted_at !== null) return restoreItem(edit, item);
  if (!force) conflict(change, 'deletedAt', false, false);
}

async function undoMove({ edit, change, force }: Undoing): Promise<void> {
  const before = readFields(change.before) as { listId: string; rank: string };
  const after = readFields(change.after) as { listId: string; rank: string };
  const item = await findItem(edit.changing.db, edit.changing.owner, change.item_id!);
  if (!item || item.deleted_at !== null) {
    if (!force) conflict(change, 'deletedAt', false, true);
    return;
  }
  if (!force && item.list_id !== after.listId) conflict(change, 'listId', before.listId, item.list_id);
  if (!force && item.rank !== after.rank) conflict(change, 'rank', before.rank, item.rank);
  const [from, to] = [await edit.changing.open(item.list_id, 'list'), await edit.changing.open(before.listId, 'list')];
  await moveItem(
    from,
    to,
    item,
    item.rank === before.rank && from === to ? before.rank : await freeRank(to, before.rank),
  );
}

function conflict(change: ArtifactChangeRow, field: string, yours: unknown, theirs: unknown): void {
  const conflicts: ArtifactConflict[] = [{ field, yours, theirs, by: toAuthor(change.author), at: toTime(change.at) }];
  assertNoConflict(conflicts, 'artifact_conflict.undo');
}

async function findItemOf({ changing, row: list }: ArtifactEdit, change: ArtifactChangeRow) {
  const item = await findItem(changing.db, changing.owner, change.item_id!);
  return item?.list_id === list.id ? item : undefined;
}

async function requireItemOf(edit: ArtifactEdit, change: ArtifactChangeRow): Promise<ListItemRow> {
  const item = await findItemOf(edit, change);
  if (item && item.deleted_at === null) return item;
  throw new AppError('artifact_item_not_found', say('artifact_item_not_found', { id: change.item_id! }));
}

function laterChanges({ changing, row }: ArtifactEdit, change: ArtifactChangeRow): Promise<ArtifactChangeRow[]> {
  return selectItemChangesAfter(changing.db, changing.owner, row.id, change.item_id, change.version);
}

/** Both entries know of each other; of a move between lists, those in the other list, too. */
async function link(changing: Changing, change: ArtifactChangeRow, own: ArtifactChangeRow): Promise<void> {
  own.undoes = change.version;
  await mark(changing, change.artifact_id, change.version, own.version);
  if (change.undoes !== null) await mark(changing, change.artifact_id, change.undoes, null);
  if (change.other_artifact_id === null || own.other_artifact_id === null) return;
  const other = await changing.open(change.other_artifact_id, 'list');
  const entry = other.changes.find(({ version }) => version === own.other_version);
  if (!entry) return;
  entry.undoes = change.other_version;
  await mark(changing, other.row.id, change.other_version!, entry.version);
}

function mark({ db, owner }: Changing, artifactId: string, version: number, by: number | null): Promise<unknown> {
  return markUndone(db, by, owner, artifactId, version);
}
