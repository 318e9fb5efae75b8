import { insertion, statement } from '../storage/statement.ts';
import type { Db, KnowledgeAgentRow, KnowledgeSourceRow } from '../storage/tables.ts';

export const insertSource = insertion<Omit<KnowledgeSourceRow, 'rid'>>('knowledge_sources', 'rid');

export const selectSources = statement<KnowledgeSourceRow>(
  'SELECT * FROM knowledge_sources WHERE owner = ? AND deleted_at IS NULL ORDER BY name, id',
);

/** Through its owner. */
export async function findSource(db: Db, owner: string, id: string): Promise<KnowledgeSourceRow | undefined> {
  return (await selectOwned(db, id, owner))[0];
}

const selectOwned = statement<KnowledgeSourceRow>(
  'SELECT * FROM knowledge_sources WHERE id = ? AND owner = ? AND deleted_at IS NULL',
);

export async function readSource(db: Db, id: string): Promise<KnowledgeSourceRow | undefined> {
  return (await selectById(db, id))[0];
}

const selectById = statement<KnowledgeSourceRow>('SELECT * FROM knowledge_sources WHERE id = ?');

export async function findSameFile(db: Db, owner: string, sha256: string): Promise<KnowledgeSourceRow | undefined> {
  return (await selectSame(db, owner, sha256))[0];
}

const selectSame = statement<KnowledgeSourceRow>(
  `SELECT * FROM knowledge_sources WHERE owner = ? AND sha256 = ? AND kind = 'file' AND deleted_at IS NULL`,
);

export async function findSourceOfNote(db: Db, owner: string, noteId: string): Promise<KnowledgeSourceRow | undefined> {
  return (await selectOfNote(db, owner, noteId))[0];
}

const selectOfNote = statement<KnowledgeSourceRow>(
  'SELECT * FROM knowledge_sources WHERE owner = ? AND note_id = ? AND deleted_at IS NULL',
);

export async function countSources(db: Db, owner: string): Promise<{ sources: number; passages: number }> {
  return (await selectCounts(db, owner))[0]!;
}

const selectCounts = statement<{ sources: number; passages: number }>(
  'SELECT count(*) AS sources, coalesce(sum(passages), 0) AS passages FROM knowledge_sources WHERE owner = ?',
);

/**
 * The next one to read that is none of these, the smallest first: what waits, what a stopped server was reading, and
 * notes that have changed since.
 */
export async function nextUnread(db: Db, except: readonly string[]): Promise<KnowledgeSourceRow | undefined> {
  const ids = JSON.stringify(except);
  return (await selectUnread(db, ids))[0] ?? (await selectChangedNotes(db, ids))[0];
}

const selectUnread = statement<KnowledgeSourceRow>(
  `SELECT * FROM knowledge_sources WHERE state IN ('waiting', 'reading') AND deleted_at IS NULL
    AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY bytes, rid LIMIT 1`,
);
const selectChangedNotes = statement<KnowledgeSourceRow>(
  `SELECT knowledge_sources.* FROM knowledge_sources
  LEFT JOIN artifacts ON artifacts.owner = knowledge_sources.owner AND artifacts.id = note_id
  WHERE note_id IS NOT NULL AND knowledge_sources.deleted_at IS NULL AND state IN ('ready', 'failed')
    AND knowledge_sources.id NOT IN (SELECT value FROM json_each(?))
    AND note_version <> CASE WHEN artifacts.deleted_at IS NULL THEN coalesce(artifacts.version, -1) ELSE -1 END
  LIMIT 1`,
);

export const selectDeleted = statement<KnowledgeSourceRow>(
  'SELECT * FROM knowledge_sources WHERE deleted_at IS NOT NULL',
);

export function saveSource(db: Db, row: KnowledgeSourceRow): Promise<unknown> {
  const { name, note_version, bytes, sha256, state, attempts, problem, pages, passages, characters } = row;
  const read = [name, note_version, bytes, sha256, state, attempts, problem, pages, passages, characters];
  return update(db, ...read, row.generation, row.updated_at, row.deleted_at, row.id);
}

const update = statement(`UPDATE knowledge_sources SET name = ?, note_version = ?, bytes = ?, sha256 = ?, state = ?,
  attempts = ?, problem = ?, pages = ?, passages = ?, characters = ?, generation = ?, updated_at = ?, deleted_at = ?
  WHERE id = ?`);

export const deleteSourceRow = statement('DELETE FROM knowledge_sources WHERE id = ?');

/** The file is part of a source from now on. */
export const markUsed = statement('UPDATE files SET sent_at = coalesce(sent_at, ?) WHERE id = ?');

export const selectUses = statement<KnowledgeAgentRow>(
  'SELECT * FROM knowledge_agents WHERE owner = ? ORDER BY source_id, agent_id',
);
export const selectUsesOf = statement<KnowledgeAgentRow>(
  'SELECT * FROM knowledge_agents WHERE source_id = ? ORDER BY agent_id',
);
export const selectAllUses = statement<Pick<KnowledgeAgentRow, 'agent_id' | 'owner' | 'source_id' | 'children'>>(
  `SELECT agent_id, knowledge_agents.owner, source_id, children FROM knowledge_agents
  JOIN knowledge_sources ON knowledge_sources.id = source_id AND deleted_at IS NULL`,
);

export function saveUse(db: Db, row: KnowledgeAgentRow): Promise<unknown> {
  return upsertUse(db, row.source_id, row.agent_id, row.owner, row.children, row.created_at);
}

const upsertUse = statement(`INSERT INTO knowledge_agents (source_id, agent_id, owner, children, created_at)
  VALUES (?, ?, ?, ?, ?) ON CONFLICT (source_id, agent_id) DO UPDATE SET children = excluded.children`);

export const deleteUse = statement('DELETE FROM knowledge_agents WHERE source_id = ? AND agent_id = ?');
export const deleteUsesOfSource = statement('DELETE FROM knowledge_agents WHERE source_id = ?');
export const deleteUsesOfAgent = statement<{ source_id: string; owner: string }>(
  'DELETE FROM knowledge_agents WHERE agent_id = ? RETURNING source_id, owner',
);
