import { AppError } from '../../contract/errors.ts';
import { type AddItems, type FieldValues, MOST_ITEMS, type MoveItems, type PatchItem } from '../../contract/lists.ts';
import { say } from '../../contract/texts.ts';
import type { ListItemRow } from '../storage/tables.ts';
import { newItemId } from '../tools/plugins/items.ts';
import { selectItemChangesAfter } from './change-store.ts';
import type { ArtifactEdit, Changing } from './changing.ts';
import { hashOf } from './create.ts';
import { assertValues, filledFieldsOf, itemFieldsOf, setItemFields, valueFields } from './item-fields.ts';
import { doubtRank, findItem, insertItemRows, saveItem, selectItemsById } from './item-store.ts';
import { assertNoConflict, basesBefore, type Fields, mergeFields, pick } from './merge-fields.ts';
import { freeRank, ranksAt, requireItem } from './places.ts';
import { indexItem, indexNewItem, unindexItem } from './search-index-store.ts';
import { contentOf, type ListContent, toTime } from './shapes.ts';

type NewItem = AddItems['items'][number] & {
  /** When it was done, of an item from elsewhere. */
  doneAt?: string | null;
};

/** Those that were added before under the same id are given back as they are now. */
export async function addItems(
  edit: ArtifactEdit,
  { items, ...place }: Omit<AddItems, 'items'> & { items: readonly NewItem[] },
): Promise<ListItemRow[]> {
  const { fields } = contentOf<ListContent>(edit.row);
  for (const { values } of items) assertValues(fields, values);
  assertDistinct(items);
  const known = new Map<string, ListItemRow>();
  for (const item of items) if (item.id !== undefined) await noteKnown(edit, item, known);
  const fresh = items.filter(({ id }) => id === undefined || !known.has(id));
  assertRoom(edit, fresh.length);
  const ranks = await ranksAt(edit, place, fresh.length);
  const rows = fresh.map((item, index) => toRow(edit, item, ranks[index]!));
  await insertItemRows(edit.changing.db, rows);
  const stored = await storedById(
    edit.changing,
    rows.map(({ id }) => id),
  );
  for (const row of stored.values()) await indexNewItem(edit.changing.db, row);
  let next = 0;
  return items.map(({ id }) => (id !== undefined && known.get(id)) || stored.get(rows[next++]!.id)!);
}

function assertDistinct(items: readonly NewItem[]): void {
  const seen = new Set<string>();
  for (const { id } of items) {
    if (id !== undefined && seen.has(id)) throw idTaken(id);
    if (id !== undefined) seen.add(id);
  }
}

async function noteKnown({ changing, row: list }: ArtifactEdit, item: NewItem, known: Map<string, ListItemRow>) {
  const row = await findItem(changing.db, changing.owner, item.id!);
  if (!row) return;
  if (row.request_hash !== hashOf([list.id, item]) || row.deleted_at !== null) throw idTaken(row.id);
  known.set(row.id, row);
}

function idTaken(id: string): AppError {
  return new AppError('artifact_item_id_taken', say('artifact_item_id_taken', { id }));
}

export function assertRoom({ row: list }: ArtifactEdit, more: number): void {
  if (list.item_count + more <= MOST_ITEMS) return;
  throw new AppError('too_many_items', say('too_many_items', { limit: MOST_ITEMS }));
}

async function storedById({ db, owner }: Changing, ids: readonly string[]): Promise<Map<string, ListItemRow>> {
  const rows = ids.length === 0 ? [] : await selectItemsById(db, owner, JSON.stringify(ids));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Counts it in the list and records that it was added. */
function toRow(edit: ArtifactEdit, item: NewItem, rank: string): Omit<ListItemRow, 'rid'> {
  const { changing, row: list } = edit;
  const { owner, author, tx } = changing;
  const row = {
    owner,
    id: item.id ?? newItemId(tx.now),
    list_id: list.id,
    title: item.title,
    notes: item.notes,
    due: item.due,
    tags: JSON.stringify(item.tags),
    field_values: JSON.stringify(withoutNulls(item.values)),
    done_at: item.done ? (item.doneAt ? Date.parse(item.doneAt) : tx.now) : null,
    rank,
    version: list.version + 1,
    request_hash: hashOf([list.id, item]),
    created_at: tx.now,
    created_by: author,
    updated_at: tx.now,
    updated_by: author,
    deleted_at: null,
  };
  count(edit, row, 1);
  edit.record({
    type: 'item_added',
    itemId: row.id,
    title: row.title,
    before: null,
    after: filledFieldsOf({ ...row, rid: 0 }),
  });
  return row;
}

function withoutNulls(values: FieldValues): FieldValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function count({ row: list }: ArtifactEdit, item: Pick<ListItemRow, 'done_at'>, by: 1 | -1): void {
  list.item_count += by;
  if (item.done_at === null) list.open_count += by;
}

export async function patchItem(edit: ArtifactEdit, id: string, patch: PatchItem): Promise<ListItemRow> {
  const item = await requireItem(edit, id);
  const { done, values = {}, base, ...plain } = patch;
  assertValues(contentOf<ListContent>(edit.row).fields, values);
  const given = Object.entries(plain).filter(([, value]) => value !== undefined);
  const wanted: Fields = { ...Object.fromEntries(given), ...valueFields(values) };
  if (done !== undefined) wanted.doneAt = done ? toTime(item.done_at ?? edit.changing.tx.now) : null;
  const isOld = base !== undefined && base < item.version;
  const since = isOld ? await selectItemChangesAfter(edit.changing.db, item.owner, edit.row.id, id, base) : [];
  const { changed, conflicts } = mergeFields(itemFieldsOf(item), wanted, basesBefore(since));
  assertNoConflict(conflicts);
  await writeItem(edit, item, changed);
  return item;
}

/** Records the change, if it is one. */
export async function writeItem(edit: ArtifactEdit, item: ListItemRow, changed: Fields): Promise<void> {
  if (Object.keys(changed).length === 0) return;
  const before = pick(itemFieldsOf(item), Object.keys(changed));
  const wasDone = item.done_at !== null;
  setItemFields(item, changed);
  const isDone = item.done_at !== null;
  edit.row.open_count += Number(wasDone) - Number(isDone);
  edit.record({ type: 'item_changed', itemId: item.id, title: item.title, before, after: changed });
  await save(edit, item);
  const isOnlyDone = Object.keys(changed).every((field) => field === 'doneAt' || field === 'due');
  if (!isOnlyDone) await indexItem(edit.changing.db, item);
}

async function save({ changing, row: list }: ArtifactEdit, item: ListItemRow): Promise<void> {
  item.version = list.version;
  item.updated_at = changing.tx.now;
  item.updated_by = changing.author;
  await saveItem(changing.db, item);
}

export async function removeItem(edit: ArtifactEdit, item: ListItemRow): Promise<number> {
  const before = filledFieldsOf(item);
  count(edit, item, -1);
  const { version } = edit.record({ type: 'item_deleted', itemId: item.id, title: item.title, before, after: null });
  item.deleted_at = edit.changing.tx.now;
  await save(edit, item);
  await unindexItem(edit.changing.db, item);
  return version;
}

/** Where it was, as it was. */
export async function restoreItem(edit: ArtifactEdit, item: ListItemRow): Promise<void> {
  assertRoom(edit, 1);
  item.rank = await freeRank(edit, item.rank);
  item.deleted_at = null;
  count(edit, item, 1);
  const after = filledFieldsOf(item);
  edit.record({ type: 'item_restored', itemId: item.id, title: item.title, before: null, after });
  await save(edit, item);
  await indexItem(edit.changing.db, item);
}

/** Within a list, or from one to another: then it is in the history of both. */
export async function moveItems(from: ArtifactEdit, to: ArtifactEdit, { items, before, after }: MoveItems) {
  const ids = [...new Set(items)];
  const rows: ListItemRow[] = [];
  for (const id of ids) rows.push(await requireItem(from, id));
  if (from !== to) assertRoom(to, rows.length);
  const beside = before ?? after;
  if (beside !== undefined && ids.includes(beside)) return rows;
  const ranks = await ranksAt(to, { before, after }, rows.length, from === to ? ids : []);
  for (const [index, row] of rows.entries()) await moveItem(from, to, row, ranks[index]!);
  return rows;
}

export async function moveItem(from: ArtifactEdit, to: ArtifactEdit, item: ListItemRow, rank: string): Promise<void> {
  if (from === to && item.rank === rank) return;
  const before = { listId: from.row.id, rank: item.rank };
  const after = { listId: to.row.id, rank };
  const about = { type: 'item_moved', itemId: item.id, title: item.title, before, after } as const;
  const left = from.record(about);
  if (from !== to) {
    const entered = to.record(about);
    Object.assign(left, { other_artifact_id: to.row.id, other_version: entered.version });
    Object.assign(entered, { other_artifact_id: from.row.id, other_version: left.version });
    count(from, item, -1);
    count(to, item, 1);
  }
  item.list_id = to.row.id;
  item.rank = rank;
  doubtRank(item);
  await save(to, item);
}
