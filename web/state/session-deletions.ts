import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { sessionPath } from '../../client/paths.ts';
import type { Live } from '../live/live.ts';
import { pageKeyHeaders } from './page-key.ts';

export const UNDO_MS = 6000;

/** Sessions that are deleted for the person, though not yet on the server. */
const hidden = createStore<ReadonlySet<string>>()(() => new Set());

export function useHidden(): ReadonlySet<string> {
  return useStore(hidden);
}

export function hiddenSessions(): ReadonlySet<string> {
  return hidden.getState();
}

interface Pending {
  live: Live;
  ids: readonly string[];
  timer: ReturnType<typeof setTimeout>;
}

const waiting = new Set<Pending>();

/** Hides sessions now and deletes them when there was time to think better of it. The answer takes it back. */
export function deleteSoon(live: Live, ids: readonly string[], onFailure: (error: Error) => void): () => void {
  const pending: Pending = { live, ids, timer: setTimeout(() => void send(pending, onFailure), UNDO_MS) };
  waiting.add(pending);
  hidden.setState(new Set([...hidden.getState(), ...ids]), true);
  return () => {
    if (!waiting.delete(pending)) return;
    clearTimeout(pending.timer);
    show(ids);
  };
}

async function send(pending: Pending, onFailure: (error: Error) => void): Promise<void> {
  if (!waiting.delete(pending)) return;
  for (const id of pending.ids) {
    try {
      await pending.live.client.deleteSession(id);
      whenGone(pending.live, id);
    } catch (error) {
      show([id]);
      onFailure(error as Error);
    }
  }
}

/** It stays out of sight until its end has been heard of; an id may be used again later. */
function whenGone(live: Live, id: string): void {
  const isGone = () => !live.store.getState().sessions.has(id);
  if (isGone()) {
    show([id]);
    return;
  }
  const stop = live.store.subscribe(() => {
    if (!isGone()) return;
    stop();
    show([id]);
  });
}

function show(ids: readonly string[]): void {
  hidden.setState(new Set([...hidden.getState()].filter((id) => !ids.includes(id))), true);
}

/** Whoever leaves the page has thought about it long enough. */
addEventListener('pagehide', () => {
  for (const { live, ids, timer } of waiting) {
    clearTimeout(timer);
    for (const id of ids) {
      const url = live.client.baseUrl + sessionPath(id);
      void fetch(url, { method: 'DELETE', headers: pageKeyHeaders(), keepalive: true });
    }
  }
  waiting.clear();
});
