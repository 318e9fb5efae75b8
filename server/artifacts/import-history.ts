import type {
  ExportedChange,
  ExportedFile,
  ExportedHistory,
  ExportedItem,
  ExportedList,
  ExportedNote,
  ExportedView,
} from '../../contract/artifact-export.ts';
import { type ArtifactKind, type ArtifactPlugin, MOST_ARTIFACTS } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import { MOST_ITEMS } from '../../contract/lists.ts';
import { say } from '../../contract/texts.ts';
import { nameKey } from '../storage/name-key.ts';
import type { ArtifactChangeRow, ArtifactRow } from '../storage/tables.ts';
import { countArtifacts, findArtifact, insertArtifact } from './artifact-store.ts';
import { insertChanges } from './change-store.ts';
import type { Changing } from './changing.ts';
import { countItemsAnew, selectVersions } from './export-store.ts';
import { findItem, insertItemRows, lastRank, type NewItemRow } from './item-store.ts';
import { saveLinks } from './note-links.ts';
import { freeRank } from './places.ts';
import { isRank, ranksBetween } from './ranks.ts';
import { indexArtifact, indexItem } from './search-index-store.ts';

type Exported = ExportedList | ExportedNote | ExportedView | ExportedFile;
export type WithHistory<T extends Exported> = T & { history: ExportedHistory };

/** What an import adds of an artifact that comes with its history. */
export interface Whole {
  readonly kind: ArtifactKind;
  readonly text?: string;
  readonly content: object;
}

/**
 * The artifact as it was: with the versions, the authors and the times that it had. One that is there already stays as it
 * is, but for what an earlier part of the same import did not bring. Null: another artifact has its id.
 */
export async function openWithHistory(
  changing: Changing,
  { id, name, history, ...rest }: WithHistory<Exported>,
  whole: Whole,
): Promise<{ row: ArtifactRow; isNew: boolean } | null> {
  const { db, owner } = changing;
  const known = await findArtifact(db, owner, id);
  if (known) return isSame(known, whole.kind, history) ? { row: known, isNew: false } : null;
  if ((await countArtifacts(db, owner)) >= MOST_ARTIFACTS)
    throw new AppError('too_many_artifacts', say('too_many_artifacts', { limit: MOST_ARTIFACTS }));
  const row = await insertArtifact(db, {
    owner,
    id,
    kind: whole.kind,
    plugin: 'plugin' in rest ? (rest.plugin as ArtifactPlugin | null) : null,
    name,
    name_key: nameKey(name),
    version: history.version,
    text: whole.text ?? '',
    content: JSON.stringify(whole.content),
    item_count: 0,
    open_count: 0,
    request_hash: '',
    ...timesOf(history),
  });
  await indexArtifact(db, row);
  if (row.kind === 'note') await saveLinks(db, row);
  changing.readAnew(row);
  return { row, isNew: true };
}

/** Only what came from the same place: an id says little, made by a client as it may be. */
function isSame(row: ArtifactRow, kind: ArtifactKind, { version, createdAt, createdBy }: ExportedHistory): boolean {
  const isOld = row.created_at === Date.parse(createdAt) && row.created_by === authorOf(createdBy);
  return row.kind === kind && isOld && row.version >= version;
}

function timesOf({
  createdAt,
  createdBy,
  updatedAt,
  updatedBy,
  deletedAt,
}: Omit<ExportedHistory, 'changes' | 'version'>) {
  return {
    created_at: Date.parse(createdAt),
    created_by: authorOf(createdBy),
    updated_at: Date.parse(updatedAt),
    updated_by: authorOf(updatedBy),
    deleted_at: deletedAt === null ? null : Date.parse(deletedAt),
  };
}

/** Always in the same order, so that the same author is the same text. */
function authorOf({ kind, agentId, sessionId, turnId }: ExportedHistory['createdBy']): string {
  return JSON.stringify({ kind, agentId, sessionId, turnId });
}

/** Entries of the history that are not there yet; returns how many those are. */
export async function addChanges(
  changing: Changing,
  row: ArtifactRow,
  changes: readonly ExportedChange[],
): Promise<number> {
  const { db, owner } = changing;
  const versions = JSON.stringify(changes.map(({ version }) => version));
  const known = new Set((await selectVersions(db, owner, row.id, versions)).map(({ version }) => version));
  const missing = new Map<number, ExportedChange>();
  for (const change of changes) if (!known.has(change.version)) missing.set(change.version, change);
  await insertChanges(
    db,
    [...missing.values()].map((change) => toRow(row, change)),
  );
  return missing.size;
}

function toRow({ owner, id }: ArtifactRow, change: ExportedChange): ArtifactChangeRow {
  return {
    owner,
    artifact_id: id,
    version: change.version,
    type: change.type,
    item_id: change.itemId,
    title: change.title,
    before: change.before && JSON.stringify(change.before),
    after: change.after && JSON.stringify(change.after),
    text_at: change.textAt,
    lines_added: change.linesAdded,
    lines_removed: change.linesRemoved,
    author: authorOf(change.by),
    at: Date.parse(change.at),
    undoes: change.undoes,
    undone_by: change.undoneBy,
    other_artifact_id: change.otherArtifactId,
    other_version: change.otherVersion,
  };
}

export type ItemWithHistory = ExportedItem & { history: NonNullable<ExportedItem['history']> };

/** Items as they were, also deleted ones; returns how many were not there yet. */
export async function addItemsWithHistory(
  changing: Changing,
  list: ArtifactRow,
  items: readonly ItemWithHistory[],
): Promise<number> {
  const { db, owner } = changing;
  let added = 0;
  for (const item of items) {
    if (await findItem(db, owner, item.id)) continue;
    if (list.item_count + added >= MOST_ITEMS)
      throw new AppError('too_many_items', say('too_many_items', { limit: MOST_ITEMS }));
    const { rank: _, version, ...times } = item.history;
    const free = await placeOf(changing, list, item.history);
    const row = { ...toItemRow(list, item), rank: free, version, ...timesOf(times) };
    await insertItemRows(db, [row]);
    if (row.deleted_at === null) await indexItem(db, (await findItem(db, owner, row.id))!);
    added += 1;
  }
  if (added === 0) return 0;
  await countItemsAnew(db, list.rid);
  changing.readAnew(list);
  return added;
}

/** Where it was, if nothing else is there by now. */
async function placeOf(changing: Changing, list: ArtifactRow, { rank, deletedAt }: ItemWithHistory['history']) {
  if (!isRank(rank)) return ranksBetween(await lastRank(changing.db, changing.owner, list.id), null, 1)[0]!;
  return deletedAt === null ? freeRank({ changing, row: list }, rank) : rank;
}

function toItemRow(list: ArtifactRow, { id, title, notes, due, tags, values, doneAt }: ExportedItem) {
  const filled = Object.entries(values).filter(([, value]) => value !== null);
  return {
    owner: list.owner,
    id,
    list_id: list.id,
    title,
    notes,
    due,
    tags: JSON.stringify(tags),
    field_values: JSON.stringify(Object.fromEntries(filled)),
    done_at: doneAt === null ? null : Date.parse(doneAt),
    request_hash: '',
  } satisfies Partial<NewItemRow>;
}
