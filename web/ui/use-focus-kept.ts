import { useEffect } from 'react';

/** A dialog that closes, and anything else that has a better place for the focus, has put it there by then. */
const PATIENCE_MS = 100;

/**
 * When what has the focus goes away or is hidden, the innermost part of the page in which it was and that can have the
 * focus gets it. Otherwise the keyboard would begin anew, at the top of the page.
 */
export function useFocusKept(): void {
  useEffect(() => {
    let places: readonly HTMLElement[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const remember = ({ target }: FocusEvent) => {
      places = target instanceof Element ? placesAround(target) : [];
    };
    const forget = () => {
      places = [];
    };
    const restore = () => {
      timer = undefined;
      if (isNowhere() || !document.activeElement?.checkVisibility())
        places.find((place) => place.isConnected && place.checkVisibility())?.focus({ preventScroll: true });
    };
    const restoreSoon = () => {
      if (places.length > 0) timer ??= setTimeout(restore, PATIENCE_MS);
    };
    // Not every browser tells of a focus that goes away with its element. Cheap, as it happens with each word that arrives.
    const observer = new MutationObserver(() => isNowhere() && restoreSoon());
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', remember);
    document.addEventListener('focusout', restoreSoon);
    // A click beside everything takes the focus away on purpose.
    document.addEventListener('pointerdown', forget);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('focusout', restoreSoon);
      document.removeEventListener('pointerdown', forget);
    };
  }, []);
}

/** From the inside out. They are noted beforehand: what was removed does not know any more where it was. */
function placesAround(element: Element): HTMLElement[] {
  const place = element.parentElement?.closest<HTMLElement>('[tabindex]');
  return place ? [place, ...placesAround(place)] : [];
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
