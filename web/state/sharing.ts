import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

const sharing = createStore<{ sessionId: string | null }>()(() => ({ sessionId: null }));

/** The session whose links are shown. */
export function useSharing(): string | null {
  return useStore(sharing, ({ sessionId }) => sessionId);
}

export function shareSession(sessionId: string): void {
  sharing.setState({ sessionId });
}

export function stopSharing(): void {
  sharing.setState({ sessionId: null });
}
