import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import type { Db, KnowledgeAgentRow, KnowledgeSourceRow } from '../storage/tables.ts';
import { findSource } from './source-store.ts';

type Given = 'id' | 'name' | 'kind' | 'format' | 'file_id' | 'note_id' | 'note_version' | 'bytes' | 'sha256';

export function newSource(owner: string, given: Pick<KnowledgeSourceRow, Given>): Omit<KnowledgeSourceRow, 'rid'> {
  const now = Date.now();
  return {
    ...given,
    owner,
    state: 'waiting',
    attempts: 0,
    problem: null,
    pages: null,
    passages: 0,
    characters: 0,
    generation: 0,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  };
}

export function toUse(
  { id, owner }: Pick<KnowledgeSourceRow, 'id' | 'owner'>,
  agentId: string,
  children: boolean,
  now: number,
): KnowledgeAgentRow {
  return { source_id: id, agent_id: agentId, owner, children: children ? 1 : 0, created_at: now };
}

/** Through its owner. */
export async function loadSource(db: Db, owner: string, id: string): Promise<KnowledgeSourceRow> {
  const row = await findSource(db, owner, id);
  if (row) return row;
  throw new AppError('knowledge_not_found', say('knowledge_not_found', { id }));
}
