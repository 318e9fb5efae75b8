import { insertion, statement } from '../storage/statement.ts';
import type { Db, KnowledgePassageRow, KnowledgeSourceRow, KnowledgeVectorRow } from '../storage/tables.ts';

export const insertPassage = insertion<Omit<KnowledgePassageRow, 'rid'>>('knowledge_passages', 'rid');
/** Of the passage that was inserted last. */
export const indexLast = statement('INSERT INTO knowledge_fts (rowid, words, tags) VALUES (last_insert_rowid(), ?, ?)');

/** Those that count, from a number on. */
export const selectPassages = statement<KnowledgePassageRow>(
  'SELECT * FROM knowledge_passages WHERE source_id = ? AND generation = ? AND number >= ? ORDER BY number LIMIT ?',
);

/** Deletes some passages of a source that do not count; says whether there may be more. */
export async function deleteStalePassages(db: Db, { id, generation }: KnowledgeSourceRow): Promise<boolean> {
  const rows = await selectStale(db, id, generation, DELETED_AT_ONCE);
  if (rows.length === 0) return false;
  const rids = JSON.stringify(rows.map(({ rid }) => rid));
  await deleteIndexed(db, rids);
  await deleteVectors(db, rids);
  await deleteRows(db, rids);
  return true;
}

const DELETED_AT_ONCE = 200;
const selectStale = statement<{ rid: number }>(
  'SELECT rid FROM knowledge_passages WHERE source_id = ? AND generation <> ? LIMIT ?',
);
const IN_LIST = 'IN (SELECT value FROM json_each(?))';
const deleteIndexed = statement(`DELETE FROM knowledge_fts WHERE rowid ${IN_LIST}`);
const deleteVectors = statement(`DELETE FROM knowledge_vectors WHERE rid ${IN_LIST}`);
const deleteRows = statement(`DELETE FROM knowledge_passages WHERE rid ${IN_LIST}`);

export interface UnembeddedRow {
  readonly rid: number;
  readonly source_id: string;
  readonly place: string;
  readonly text: string;
  /** Of the source. */
  readonly name: string;
}

/** Of the passages after one row and up to another, those that count and have no vector of this model. */
export const selectUnembedded = statement<UnembeddedRow>(
  `SELECT p.rid, p.source_id, p.place, p.text, s.name FROM knowledge_passages p
  JOIN knowledge_sources s ON s.id = p.source_id AND s.generation = p.generation AND s.deleted_at IS NULL
  LEFT JOIN knowledge_vectors v ON v.rid = p.rid AND v.model = ?1
  WHERE p.rid > ?2 AND p.rid <= ?3 AND v.rid IS NULL ORDER BY p.rid LIMIT ?4`,
);

export async function newestPassage(db: Db): Promise<number> {
  return (await selectNewest(db))[0]!.rid;
}

const selectNewest = statement<{ rid: number }>('SELECT coalesce(max(rid), 0) AS rid FROM knowledge_passages');

/** Only of passages that are still there. */
export function saveVector(db: Db, { rid, source_id, model, vector }: KnowledgeVectorRow): Promise<unknown> {
  return upsertVector(db, source_id, model, vector, rid);
}

const upsertVector = statement(`INSERT INTO knowledge_vectors (rid, source_id, model, vector)
  SELECT rid, ?1, ?2, ?3 FROM knowledge_passages WHERE rid = ?4
  ON CONFLICT (rid) DO UPDATE SET model = excluded.model, vector = excluded.vector`);

/** How many vectors of a model sources have. */
export const countVectors = statement<{ source_id: string; count: number }>(
  `SELECT source_id, count(*) AS count FROM knowledge_vectors
  WHERE model = ? AND source_id ${IN_LIST} GROUP BY source_id`,
);
