import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

interface Sharing {
  /** The session whose links are shown. */
  readonly sessionId: string;
  /** Gives the keyboard back where nobody else would. */
  readonly onClose?: (() => void) | undefined;
}

const sharing = createStore<{ shown: Sharing | null }>()(() => ({ shown: null }));

export function useSharing(): Sharing | null {
  return useStore(sharing, ({ shown }) => shown);
}

export function shareSession(sessionId: string, onClose?: () => void): void {
  sharing.setState({ shown: { sessionId, onClose } });
}

export function stopSharing(): void {
  const { shown } = sharing.getState();
  sharing.setState({ shown: null });
  if (shown?.onClose) requestAnimationFrame(shown.onClose);
}
