import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 759px)');

/** Whether there is no room for a pane beside the page. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
}
