import { type RefObject, useEffect, useRef } from 'react';
import { isFocusLost } from './keyboard-focus.ts';

/**
 * For a place in which a button marked `data-edit` opens a form: once that is closed and has taken the focus with it,
 * the button has it again.
 */
export function useFocusBack<Element extends HTMLElement>(isOpen: boolean): RefObject<Element | null> {
  const place = useRef<Element>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen && isFocusLost()) place.current?.querySelector<HTMLElement>('[data-edit]')?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return place;
}
