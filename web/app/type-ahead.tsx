import { useEffect } from 'react';
import { takeTyped, typeAhead } from '../state/typed-ahead.ts';

/** In the palette's place while its script is loading: what is typed meanwhile goes into the palette. */
export function TypeAhead({ onClose }: { onClose(): void }) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        takeTyped();
        onClose();
      } else if (!typeAhead(event) && event.key !== 'Enter') return;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, [onClose]);
  return null;
}
