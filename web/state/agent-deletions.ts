import { useStore } from 'zustand';
import type { ParleyClient } from '../../client/parley-client.ts';
import { leave, UndoableDeletions } from './undoable-deletions.ts';

const deletions = new UndoableDeletions();

/** Agents that are deleted for the person, though not yet on the server. */
export function useDeletedAgents(): ReadonlySet<string> {
  return useStore(deletions.hidden);
}

/** Deletes when the time to undo it is over. Gives back how to undo it; that says whether it still could be undone. */
export function deleteAgentSoon(
  client: ParleyClient,
  agentId: string,
  version: string,
  onFailure: (error: Error) => void,
): () => boolean {
  const agent = {
    id: agentId,
    send: () => client.call('deleteAgent', { agentId, version }),
    gone: async () => undefined,
    sendAndLeave: () => leave(client.call('deleteAgent', { agentId, version, keepalive: true })),
  };
  return deletions.add([agent], onFailure);
}
