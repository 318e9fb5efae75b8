import type { Author } from '../../contract/artifacts.ts';
import type { ExportedMemories, Memory, MemoryChange } from '../../contract/memory.ts';
import { toTime } from '../sessions/views.ts';
import type { MemoryChangeRow } from '../storage/tables.ts';
import type { ShownMemoryRow } from './memory-store.ts';

export function toMemory(row: ShownMemoryRow): Memory {
  return {
    id: row.id,
    agentId: row.holder,
    topic: row.topic,
    text: row.text,
    tags: listed(row.tags),
    version: row.version,
    createdAt: toTime(row.created_at),
    createdBy: authorIn(row.created_by),
    origin: originOf(row),
    updatedAt: toTime(row.updated_at),
    updatedBy: authorIn(row.updated_by),
    deletedAt: toTime(row.deleted_at),
  };
}

function originOf({ origin_session_id, origin_title, origin_message_id }: ShownMemoryRow): Memory['origin'] {
  if (origin_session_id === null) return null;
  return { sessionId: origin_session_id, sessionTitle: origin_title ?? '', messageId: origin_message_id };
}

export function toChange({ version, type, topic, text, tags, author, at }: MemoryChangeRow): MemoryChange {
  return { version, type, topic, text, tags: listed(tags), by: authorIn(author), at: toTime(at) };
}

export function toExported(memory: Memory): ExportedMemories['memories'][number] {
  const { agentId, topic, text, tags, createdAt, updatedAt } = memory;
  return { agentId, topic, text, tags, createdAt, updatedAt };
}

function listed(json: string): string[] {
  return JSON.parse(json) as string[];
}

function authorIn(json: string | null): Author | null {
  return json === null ? null : (JSON.parse(json) as Author);
}
