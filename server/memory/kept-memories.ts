import type { Author } from '../../contract/artifacts.ts';
import { AppError } from '../../contract/errors.ts';
import type { Keeping } from '../tools/plugins/items.ts';
import type { KeptMemories, Remembered } from '../tools/plugins/memory/memory.ts';
import { ToolFailure } from '../tools/tool.ts';
import type { Memories, NewText } from './memories.ts';

/** The memories of agents as their tools keep them: who it was, and in which turn, is noted. */
export class MemoriesForTools implements KeptMemories {
  readonly #memories: Memories;

  constructor(memories: Memories) {
    this.#memories = memories;
  }

  add(keeping: Keeping, holder: string, memory: NewText): Promise<{ id: string; isNew: boolean }> {
    return this.#memories.add(keeping.owner, holder, memory, authorOf(keeping), keeping.tx).catch(failTool);
  }

  all({ owner }: Keeping, holder: string, before?: string): AsyncIterable<Remembered> {
    return this.#memories.all(owner, holder, before);
  }

  remove(keeping: Keeping, holder: string, id: string): Promise<void> {
    return this.#memories.delete(keeping.owner, id, authorOf(keeping), holder).catch((error) => {
      if (error instanceof AppError && error.code === 'memory_not_found')
        throw new ToolFailure(`No memory with the ID ${id}.`, 'not_found');
      return failTool(error);
    });
  }
}

function authorOf({ agentId, sessionId, turnId }: Keeping): Author {
  if (agentId === null) return { kind: 'person', agentId: null, sessionId: null, turnId: null };
  return { kind: 'agent', agentId, sessionId, turnId };
}

function failTool(error: unknown): never {
  throw error instanceof AppError ? new ToolFailure(error.message, error.code) : error;
}
