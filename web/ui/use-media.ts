import { useSyncExternalStore } from 'react';

/** The same condition as the `touch:` variant in `app.css`: no pointer that can hover. */
const query = matchMedia('(hover: none), (pointer: coarse)');

export function useIsTouch(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Whether the main pointer is a finger: taking the focus would bring up the on-screen keyboard. */
export function isTouch(): boolean {
  return matchMedia('(pointer: coarse)').matches;
}

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
