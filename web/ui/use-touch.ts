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
