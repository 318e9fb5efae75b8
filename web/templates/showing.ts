import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { closeOverlays } from '../app/panes.ts';

interface Showing {
  /** A session that is to be kept as a template; null shows all templates. */
  readonly sessionId: string | null;
  /** Gives the keyboard back where nobody else would. */
  readonly onClose?: (() => void) | undefined;
}

const showing = createStore<{ shown: Showing | null }>()(() => ({ shown: null }));

export function useShowing(): Showing | null {
  return useStore(showing, ({ shown }) => shown);
}

/** On a narrow screen the list of sessions makes room first. */
export function showTemplates(onClose?: () => void): void {
  closeOverlays();
  showing.setState({ shown: { sessionId: null, onClose } });
}

export function saveAsTemplate(sessionId: string, onClose?: () => void): void {
  closeOverlays();
  showing.setState({ shown: { sessionId, onClose } });
}

export function hideTemplates(): void {
  const { shown } = showing.getState();
  showing.setState({ shown: null });
  if (shown?.onClose) requestAnimationFrame(shown.onClose);
}
