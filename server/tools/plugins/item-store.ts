import { insertion, statement } from '../../storage/statement.ts';
import type { Db, PluginItemRow } from '../../storage/tables.ts';

/** Whose items. `holder` is the agent whose own they are, else empty. */
export type ItemScope = Pick<PluginItemRow, 'owner' | 'plugin' | 'holder'>;

const IN_SCOPE = 'owner = ? AND plugin = ? AND holder = ?';

const insertRow = insertion<PluginItemRow>('plugin_items');

export async function insertItem(db: Db, row: PluginItemRow): Promise<void> {
  await insertRow(db, row);
}

const selectOne = statement<PluginItemRow>(`SELECT * FROM plugin_items WHERE ${IN_SCOPE} AND id = ?`);

export async function findItem(db: Db, scope: ItemScope, id: string): Promise<PluginItemRow | undefined> {
  return (await selectOne(db, ...keyOf(scope), id))[0];
}

/** By what two items can be found to be the same thing. */
export type Sameness = 'text' | 'url';

const SELECT_SAME = {
  text: statement<PluginItemRow>(`SELECT * FROM plugin_items WHERE ${IN_SCOPE} AND text = ? LIMIT 1`),
  url: statement<PluginItemRow>(
    `SELECT * FROM plugin_items WHERE ${IN_SCOPE} AND json_extract(data, '$.url') = ? LIMIT 1`,
  ),
};

export async function findSameItem(db: Db, scope: ItemScope, by: Sameness, value: string) {
  return (await SELECT_SAME[by](db, ...keyOf(scope), value))[0];
}

const selectPage = statement<PluginItemRow>(
  `SELECT * FROM plugin_items WHERE ${IN_SCOPE} AND id < ? ORDER BY id DESC LIMIT ?`,
);

/** Newest first: ids are made in the order of time. */
export function selectItemsBefore(db: Db, scope: ItemScope, before: string, limit: number) {
  return selectPage(db, ...keyOf(scope), before, limit);
}

const countRows = statement<{ count: number }>(`SELECT count(*) AS count FROM plugin_items WHERE ${IN_SCOPE}`);

export async function countItems(db: Db, scope: ItemScope): Promise<number> {
  return (await countRows(db, ...keyOf(scope)))[0]?.count ?? 0;
}

const updateRow = statement(
  `UPDATE plugin_items SET title = ?, text = ?, data = ?, updated_at = ? WHERE ${IN_SCOPE} AND id = ?`,
);

export async function saveItem(db: Db, row: PluginItemRow): Promise<void> {
  await updateRow(db, row.title, row.text, row.data, row.updated_at, ...keyOf(row), row.id);
}

const deleteRow = statement<{ id: string }>(`DELETE FROM plugin_items WHERE ${IN_SCOPE} AND id = ? RETURNING id`);

export async function deleteItem(db: Db, scope: ItemScope, id: string): Promise<boolean> {
  return (await deleteRow(db, ...keyOf(scope), id)).length > 0;
}

function keyOf({ owner, plugin, holder }: ItemScope): [string, string, string] {
  return [owner, plugin, holder];
}
