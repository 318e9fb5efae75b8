import { useSyncExternalStore } from 'react';

/** Whether there is no room beside the page for a pane that needs this width of the window. */
export function useIsNarrow(width: number): boolean {
  return useSyncExternalStore(
    (listener) => {
      const narrow = queryFor(width);
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => queryFor(width).matches,
  );
}

const queries = new Map<number, MediaQueryList>();

function queryFor(width: number): MediaQueryList {
  const known = queries.get(width) ?? matchMedia(`(max-width: ${width - 1}px)`);
  queries.set(width, known);
  return known;
}
