import type { AgentDefinition } from '../../contract/agents.ts';
import { AppError } from '../../contract/errors.ts';
import { say } from '../../contract/texts.ts';
import { createEdit, deleteEdit, type EditBase } from './edits.ts';
import { type Edit, sourceOf } from './home-files.ts';

/** New agents that are created together. */
export function createEdits(base: EditBase, definitions: readonly AgentDefinition[]): Edit[] {
  const twice = definitions.find(({ agentId }, index) =>
    definitions.slice(0, index).some((other) => other.agentId.toLowerCase() === agentId.toLowerCase()),
  );
  if (twice) throw new AppError('agent_exists', say('agent_exists', { id: twice.agentId }));
  return definitions.map((definition) => createEdit(base, definition));
}

/** Agents that were created together, each at the version it had then. One may be the parent of another. */
export function deleteEdits(base: EditBase, versions: ReadonlyMap<string, string>): Edit[] {
  return [...versions].map(([agentId, version]) => {
    if (base.agents.get(agentId)?.source !== sourceOf(agentId))
      throw new AppError('agent_version_stale', say('agent_version_stale', { id: agentId }));
    return deleteEdit(base, agentId, version, new Set(versions.keys()));
  });
}
