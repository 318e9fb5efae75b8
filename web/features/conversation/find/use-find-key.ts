import { type RefObject, useEffect } from 'react';
import { openFind } from '../../../state/find-state.ts';

/** Ctrl+F or ⌘F in the conversation looks here first; from the box itself it is the browser's again. */
export function useFindKey(sessionId: string, place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      if (event.defaultPrevented || !isHere(event.target, place.current)) return;
      event.preventDefault();
      openFind(sessionId);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [sessionId, place]);
}

function isHere(target: EventTarget | null, place: HTMLElement | null): boolean {
  if (!(target instanceof HTMLElement) || target.matches('[data-find]')) return false;
  if (!place?.querySelector('[role="log"]')) return false;
  return target === document.body || place.contains(target);
}
