import { ChangedColumns } from '../storage/changed-columns.ts';
import { insertionOfMany, statement } from '../storage/statement.ts';
import type { Db, ListItemRow } from '../storage/tables.ts';

export type NewItemRow = Omit<ListItemRow, 'rid'>;

export const insertItemRows = insertionOfMany<NewItemRow>('list_items', 'rid');

/** Deleted or not, in whatever list. */
export async function findItem(db: Db, owner: string, id: string): Promise<ListItemRow | undefined> {
  const [row] = await selectItem(db, owner, id);
  if (row) rows.remember(row);
  return row;
}

const rows = new ChangedColumns<ListItemRow>('list_items', 'rid');

const selectItem = statement<ListItemRow>('SELECT * FROM list_items WHERE owner = ? AND id = ?');

export const selectItemsById = statement<ListItemRow>(
  'SELECT * FROM list_items WHERE owner = ? AND id IN (SELECT value FROM json_each(?))',
);

export function saveItem(db: Db, row: ListItemRow): Promise<void> {
  return rows.save(db, row);
}

/** The list may have got other ranks since the item was read. */
export function doubtRank(row: ListItemRow): void {
  rows.doubt(row, 'rank');
}

const IN_LIST = 'owner = ? AND list_id = ? AND deleted_at IS NULL';

export async function lastRank(db: Db, owner: string, listId: string): Promise<string | null> {
  return (await selectLastRank(db, owner, listId))[0]?.rank ?? null;
}

const selectLastRank = statement<{ rank: string }>(
  `SELECT rank FROM list_items WHERE ${IN_LIST} ORDER BY rank DESC LIMIT 1`,
);

/** The nearest rank on one side, of items other than some, given as JSON. */
export const selectRankBefore = statement<{ rank: string }>(`SELECT rank FROM list_items WHERE ${IN_LIST} AND rank < ?
  AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY rank DESC LIMIT 1`);
export const selectRankAfter = statement<{ rank: string }>(`SELECT rank FROM list_items WHERE ${IN_LIST} AND rank > ?
  AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY rank LIMIT 1`);
export const selectLastRankWithout = statement<{ rank: string }>(`SELECT rank FROM list_items WHERE ${IN_LIST}
  AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY rank DESC LIMIT 1`);

export async function isRankTaken(db: Db, owner: string, listId: string, rank: string): Promise<boolean> {
  return (await selectAtRank(db, owner, listId, rank)).length > 0;
}

const selectAtRank = statement(`SELECT 1 FROM list_items WHERE ${IN_LIST} AND rank = ?`);

export type Done = boolean | null;

/** In order, from after a rank on. */
export function selectItems(
  db: Db,
  owner: string,
  listId: string,
  { after, done, limit }: { after: string; done: Done; limit: number },
): Promise<ListItemRow[]> {
  const select = done === null ? selectAll : done ? selectDone : selectOpen;
  return select(db, owner, listId, after, limit);
}

function itemsWhere(condition: string) {
  return statement<ListItemRow>(
    `SELECT * FROM list_items WHERE ${IN_LIST}${condition} AND rank > ? ORDER BY rank LIMIT ?`,
  );
}

const selectAll = itemsWhere('');
const selectOpen = itemsWhere(' AND done_at IS NULL');
const selectDone = itemsWhere(' AND done_at IS NOT NULL');

export const selectRanks = statement<{ rid: number }>(`SELECT rid FROM list_items WHERE ${IN_LIST} ORDER BY rank`);
/** Below every rank, so that a new one is never taken meanwhile. */
export const setRanksAside = statement(`UPDATE list_items SET rank = ' ' || rank WHERE ${IN_LIST}`);
export const setRank = statement('UPDATE list_items SET rank = ? WHERE rid = ?');
