import type { ArtifactKind } from '../../contract/artifacts.ts';
import { searchWords } from '../storage/search-words.ts';
import { statement } from '../storage/statement.ts';
import type { ArtifactRow, Db, ListItemRow } from '../storage/tables.ts';

/** Rows of artifacts have even numbers in the search index, items odd ones. */

export async function indexArtifact(db: Db, row: ArtifactRow): Promise<void> {
  const { description = '', tags = [] } = JSON.parse(row.content) as { description?: string; tags?: string[] };
  await remove(db, row.rid * 2);
  await add(db, row.rid * 2, tagsOf(row.owner, row.kind), [row.name, description, row.text, ...tags]);
}

type Indexed = Pick<ListItemRow, 'rid' | 'owner' | 'title' | 'notes' | 'tags' | 'field_values'>;

export async function indexItem(db: Db, row: Indexed): Promise<void> {
  await unindexItem(db, row);
  await indexNewItem(db, row);
}

/** One that is not in the index: to look for it there takes longer than to add it. */
export async function indexNewItem(db: Db, row: Indexed): Promise<void> {
  const tags = JSON.parse(row.tags) as string[];
  const values = Object.values(JSON.parse(row.field_values) as Record<string, unknown>);
  const words = values.filter((value) => typeof value === 'string');
  await add(db, row.rid * 2 + 1, tagsOf(row.owner, 'item'), [row.title, row.notes, ...tags, ...words]);
}

export async function unindexItem(db: Db, { rid }: Pick<ListItemRow, 'rid'>): Promise<void> {
  await remove(db, rid * 2 + 1);
}

async function add(db: Db, rowid: number, tags: string, words: readonly string[]): Promise<void> {
  await insert(db, rowid, searchWords(words.filter(Boolean).join('\n')), tags);
}

/** What searches choose by, as tokens of letters and digits. */
export function tagsOf(owner: string, kind: ArtifactKind | 'item'): string {
  return `ownerx${Buffer.from(owner).toString('hex')} kindx${kind}`;
}

const remove = statement('DELETE FROM artifacts_fts WHERE rowid = ?');
const insert = statement('INSERT INTO artifacts_fts (rowid, words, tags) VALUES (?, ?, ?)');
