import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** What can lie over every page, one at a time. */
type Overlay = 'palette' | 'help' | 'import';

const overlay = createStore<{ shown: Overlay | null }>()(() => ({ shown: null }));

export function useOverlay(): Overlay | null {
  return useStore(overlay, ({ shown }) => shown);
}

export function showOverlay(shown: Overlay | null): void {
  overlay.setState({ shown });
}

/** What a person is asked before something is done with sessions. */
type Asking = { kind: 'move'; ids: readonly string[] } | { kind: 'clear' | 'workspace' | 'saveTeam'; id: string };

const dialogs = createStore<{ asking: Asking | null }>()(() => ({ asking: null }));

/** The dialog that is open, if one is. */
export function useAsking(): Asking | null {
  return useStore(dialogs, ({ asking }) => asking);
}

export function ask(asking: Asking | null): void {
  dialogs.setState({ asking });
}

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

/** The turn whose request is shown, and the session it belongs to. */
interface ShownInput {
  sessionId: string;
  turnId: string;
}

const shown = createStore<{ input: ShownInput | null }>()(() => ({ input: null }));

export function useShownInput(): ShownInput | null {
  return useStore(shown, ({ input }) => input);
}

export function showModelInput(sessionId: string, turnId: string): void {
  shown.setState({ input: { sessionId, turnId } });
}

export function hideModelInput(): void {
  shown.setState({ input: null });
}
