import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ParleyClient } from '../../client/parley-client.ts';
import type { Live } from '../live/live.ts';

/** How long something that was deleted can be brought back. */
export const UNDO_MS = 6000;

/** Something that the server still has until the time to undo is over. */
interface Deletable {
  readonly id: string;
  /** Deletes it on the server. */
  send(): Promise<unknown>;
  /** Resolves once the lists of this page no longer have it: until then it stays hidden. */
  gone(): Promise<void>;
  /** The same as `send`, by a request that outlives the page. */
  sendAndLeave(): void;
}

type OnFailure = (error: Error) => void;

interface Pending {
  readonly all: readonly Deletable[];
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Hides things at once and deletes them when the time to undo it is over, or when the person leaves the page. */
export class UndoableDeletions {
  /** The ids of what is deleted for the person, though maybe not yet on the server. */
  readonly hidden: StoreApi<ReadonlySet<string>> = createStore(() => new Set());
  readonly #pending = new Set<Pending>();

  constructor() {
    addEventListener('pagehide', () => this.#leave());
  }

  /** Gives back how to undo it; that says whether it still could be undone. */
  add(all: readonly Deletable[], onFailure: OnFailure): () => boolean {
    const pending: Pending = { all, timer: setTimeout(() => void this.#send(pending, onFailure), UNDO_MS) };
    this.#pending.add(pending);
    this.hidden.setState(new Set([...this.hidden.getState(), ...all.map(({ id }) => id)]), true);
    return () => this.#undo(pending);
  }

  #undo(pending: Pending): boolean {
    if (!this.#pending.delete(pending)) return false;
    clearTimeout(pending.timer);
    for (const one of pending.all) this.#show(one);
    return true;
  }

  async #send(pending: Pending, onFailure: OnFailure): Promise<void> {
    if (!this.#pending.delete(pending)) return;
    for (const one of pending.all) {
      try {
        await one.send();
        void one.gone().then(() => this.#show(one));
      } catch (error) {
        this.#show(one);
        onFailure(error as Error);
      }
    }
  }

  /** An id may be used again later. */
  #show({ id }: Deletable): void {
    this.hidden.setState(new Set([...this.hidden.getState()].filter((other) => other !== id)), true);
  }

  #leave(): void {
    for (const { all, timer } of this.#pending) {
      clearTimeout(timer);
      for (const one of all) one.sendAndLeave();
    }
    this.#pending.clear();
  }
}

/** For a request that the browser still sends when the page is left. What came of it is not heard. */
export function leave(request: Promise<unknown>): void {
  request.catch(() => undefined);
}

const sessionDeletions = new UndoableDeletions();

/** Sessions that are deleted for the person, though not yet on the server. */
export function useHidden(): ReadonlySet<string> {
  return useStore(sessionDeletions.hidden);
}

export function hiddenSessions(): ReadonlySet<string> {
  return sessionDeletions.hidden.getState();
}

/** Hides sessions now and deletes them when the time to undo it is over. Gives back how to undo it. */
export function deleteSoon(live: Live, ids: readonly string[], onFailure: (error: Error) => void): () => boolean {
  const all = ids.map((id) => toDeletable(live, id));
  return sessionDeletions.add(all, onFailure);
}

function toDeletable(live: Live, id: string): Deletable {
  return {
    id,
    send: () => live.client.call('deleteSession', { sessionId: id }),
    gone: () => whenGone(live, id),
    sendAndLeave: () => leave(live.client.call('deleteSession', { sessionId: id, keepalive: true })),
  };
}

function whenGone({ store }: Live, id: string): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (store.getState().sessions.has(id)) return;
      stop();
      resolve();
    };
    const stop = store.subscribe(check);
    check();
  });
}

const agentDeletions = new UndoableDeletions();

/** Agents that are deleted for the person, though not yet on the server. */
export function useDeletedAgents(): ReadonlySet<string> {
  return useStore(agentDeletions.hidden);
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
  return agentDeletions.add([agent], onFailure);
}
