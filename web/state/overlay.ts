import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** What can lie over every page, one at a time. */
export type Overlay = 'palette' | 'help';

const overlay = createStore<{ shown: Overlay | null }>()(() => ({ shown: null }));

export function useOverlay(): Overlay | null {
  return useStore(overlay, ({ shown }) => shown);
}

export function showOverlay(shown: Overlay | null): void {
  overlay.setState({ shown });
}
