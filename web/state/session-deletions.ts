import { useStore } from 'zustand';
import type { Live } from '../live/live.ts';
import { type Deletable, leave, UndoableDeletions } from './undoable-deletions.ts';

const deletions = new UndoableDeletions();

/** Sessions that are deleted for the person, though not yet on the server. */
export function useHidden(): ReadonlySet<string> {
  return useStore(deletions.hidden);
}

export function hiddenSessions(): ReadonlySet<string> {
  return deletions.hidden.getState();
}

/** Hides sessions now and deletes them when the time to undo it is over. Gives back how to undo it. */
export function deleteSoon(live: Live, ids: readonly string[], onFailure: (error: Error) => void): () => boolean {
  const all = ids.map((id) => toDeletable(live, id));
  return deletions.add(all, onFailure);
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
