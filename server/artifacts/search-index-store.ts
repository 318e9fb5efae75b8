import type { ArtifactKind } from '../../contract/artifacts.ts';
import { searchWords } from '../storage/search-words.ts';
import { statement } from '../storage/statement.ts';
import type { ArtifactRow, Db, ListItemRow } from '../storage/tables.ts';

/** Rows of artifacts have even numbers in the search index, items odd ones. */

export async function indexArtifact(db: Db, row: ArtifactRow): Promise<void> {
  const { description = '', tags = [] } = JSON.parse(row.content) as { description?: string; tags?: string[] };
  await index(db, row.rid * 2, tagsOf(row.owner, row.kind), [row.name, description, row.text, ...tags]);
}

export async function indexItem(
  db: Db,
  row: Pick<ListItemRow, 'rid' | 'owner' | 'title' | 'notes' | 'tags' | 'field_values'>,
) {
  const tags = JSON.parse(row.tags) as string[];
  const values = Object.values(JSON.parse(row.field_values) as Record<string, unknown>);
  const words = values.filter((value) => typeof value === 'string');
  await index(db, row.rid * 2 + 1, tagsOf(row.owner, 'item'), [row.title, row.notes, ...tags, ...words]);
}

export async function unindexItem(db: Db, { rid }: { rid: number }): Promise<void> {
  await remove(db, rid * 2 + 1);
}

async function index(db: Db, rowid: number, tags: string, words: readonly string[]): Promise<void> {
  await remove(db, rowid);
  await insert(db, rowid, searchWords(words.filter(Boolean).join('\n')), tags);
}

/** What searches choose by, as tokens of letters and digits. */
export function tagsOf(owner: string, kind: ArtifactKind | 'item'): string {
  return `ownerx${Buffer.from(owner).toString('hex')} kindx${kind}`;
}

const remove = statement('DELETE FROM artifacts_fts WHERE rowid = ?');
const insert = statement('INSERT INTO artifacts_fts (rowid, words, tags) VALUES (?, ?, ?)');
