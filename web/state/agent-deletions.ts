import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { ParleyClient } from '../../client/parley-client.ts';
import { agentPath, ifMatch } from '../../client/paths.ts';
import { pageKeyHeaders } from './page-key.ts';

const UNDO_MS = 6000;

interface Pending {
  readonly url: string;
  readonly version: string;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Agents that are deleted for the person, though not yet on the server. */
const pending = createStore<ReadonlyMap<string, Pending>>()(() => new Map());

export function useDeletedAgents(): ReadonlySet<string> {
  return new Set(useStore(pending).keys());
}

/** Deletes when there was time to think better of it. What it gives back takes it back, and says whether it could. */
export function deleteAgentSoon(
  client: ParleyClient,
  agentId: string,
  version: string,
  onFailure: (error: Error) => void,
): () => boolean {
  const send = async () => {
    await client.deleteAgent(agentId, version).catch(onFailure);
    forget(agentId);
  };
  const timer = setTimeout(() => void send(), UNDO_MS);
  const entry = { url: client.baseUrl + agentPath(agentId), version, timer };
  pending.setState(new Map(pending.getState()).set(agentId, entry), true);
  return () => {
    if (pending.getState().get(agentId) !== entry) return false;
    clearTimeout(timer);
    forget(agentId);
    return true;
  };
}

function forget(agentId: string): void {
  const rest = new Map(pending.getState());
  rest.delete(agentId);
  pending.setState(rest, true);
}

/** Whoever leaves the page has thought about it long enough. */
addEventListener('pagehide', () => {
  for (const { url, version, timer } of pending.getState().values()) {
    clearTimeout(timer);
    void fetch(url, { method: 'DELETE', headers: { ...ifMatch(version), ...pageKeyHeaders() }, keepalive: true });
  }
  pending.setState(new Map(), true);
});
