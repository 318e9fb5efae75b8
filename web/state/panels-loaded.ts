import { useSyncExternalStore } from 'react';
import { PANELS_KEY, recall } from './device-memory.ts';

type Loaded = typeof import('./panel-runtime.ts');

let loaded: Loaded | null = null;
let loading: Promise<Loaded> | null = null;
const listeners = new Set<() => void>();

/** A conversation is shown without what panels are made of: that is loaded when there is time, or when a panel is opened. */
export function loadPanels(): Promise<Loaded> {
  loading ??= import('./panel-runtime.ts').then(
    (runtime) => {
      loaded = runtime;
      for (const listener of listeners) listener();
      return runtime;
    },
    (error: unknown) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}

/** Null until it is loaded: then no panel is open yet. */
export function loadedPanels(): Loaded | null {
  return loaded;
}

export function usePanelsLoaded(): boolean {
  return useSyncExternalStore(subscribe, () => loaded !== null);
}

/** Whether panels were open beside a session when the page was left. */
export function hadPanels(sessionId: string): boolean {
  return Object.hasOwn(recall<Readonly<Record<string, unknown>>>(PANELS_KEY, {}), sessionId);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
