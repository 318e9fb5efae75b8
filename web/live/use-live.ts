import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { SessionState } from '../../client/session-state.ts';
import type { Session } from '../../contract/sessions.ts';
import type { Live } from './live.ts';
import type { LiveState } from './live-state.ts';

export const LiveContext = createContext<Live | null>(null);

/** The one connection of this tab: its client makes changes, its store says what is so. */
export function useLiveConnection(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error('used outside of the app');
  return live;
}

export function useLive<T>(select: (state: LiveState) => T): T {
  return useStore(useLiveConnection().store, select);
}

export function useSession(sessionId: string): Session | undefined {
  return useLive((state) => state.sessions.get(sessionId));
}

/** The conversation, once it is loaded. */
export function useConversation(sessionId: string): SessionState | undefined {
  return useLive((state) => state.states.get(sessionId));
}
