import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { closeOverlays } from './panes.ts';

interface Showing {
  /** A session that is to be kept as a template; null shows all templates. */
  readonly sessionId: string | null;
}

const showing = createStore<{ shown: Showing | null }>()(() => ({ shown: null }));

export function useShowing(): Showing | null {
  return useStore(showing, ({ shown }) => shown);
}

export function showTemplates(): void {
  show({ sessionId: null });
}

export function saveAsTemplate(sessionId: string): void {
  show({ sessionId });
}

/** On a narrow screen the list of sessions makes room first. */
function show(shown: Showing): void {
  closeOverlays();
  showing.setState({ shown });
}

export function hideTemplates(): void {
  showing.setState({ shown: null });
}
