import { useSyncExternalStore } from 'react';

/** Whether the page is dark now. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme === 'dark');
}

function subscribe(listener: () => void): () => void {
  const changes = new MutationObserver(listener);
  changes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => changes.disconnect();
}
