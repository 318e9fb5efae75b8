import type { KnowledgePassage, KnowledgePlace, KnowledgeSource } from '../../contract/knowledge.ts';
import type { KnowledgeAgentRow, KnowledgePassageRow, KnowledgeSourceRow } from '../storage/tables.ts';
import { readProblem } from './problems.ts';

/** What of a source is not in its row. */
export interface SourceFacts {
  readonly uses: readonly Pick<KnowledgeAgentRow, 'agent_id' | 'children'>[];
  readonly fraction: number | null;
  readonly embedded: number | null;
}

export function toSource(row: KnowledgeSourceRow, { uses, fraction, embedded }: SourceFacts): KnowledgeSource {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    format: row.format,
    fileId: row.file_id,
    noteId: row.note_id,
    bytes: row.bytes,
    state: row.state,
    fraction: row.state === 'reading' ? (fraction ?? 0) : null,
    problem: readProblem(row),
    pages: row.pages,
    passages: row.passages,
    characters: row.characters,
    embedded,
    agents: uses.map(({ agent_id, children }) => ({ agentId: agent_id, children: children === 1 })),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

export function toPassage({ number, place, text }: KnowledgePassageRow): KnowledgePassage {
  return { number, place: JSON.parse(place) as KnowledgePlace, text };
}
