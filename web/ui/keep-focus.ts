/** A dialog that closes, and anything else that has a better place for the focus, has put it there by then. */
const PATIENCE_MS = 100;

/**
 * From now on, when what has the focus goes away or is hidden, the innermost part of the page in which it was and that can
 * have the focus gets it. Otherwise the keyboard would begin anew, at the top of the page.
 */
export function keepFocus(): void {
  let focused = document.activeElement;
  let places = focused ? placesAround(focused) : [];
  let isWaiting = false;
  const restore = () => {
    isWaiting = false;
    // What is still there was left on purpose: after the last element of the page the focus goes to the browser itself.
    const left = isNowhere() ? focused : document.activeElement;
    if (!isShown(left)) places.find(isShown)?.focus({ preventScroll: true });
  };
  const restoreSoon = () => {
    if (places.length === 0 || isWaiting) return;
    isWaiting = true;
    setTimeout(restore, PATIENCE_MS);
  };
  document.addEventListener('focusin', ({ target }) => {
    focused = target instanceof Element ? target : null;
    places = focused ? placesAround(focused) : [];
  });
  document.addEventListener('focusout', restoreSoon);
  // A click beside everything takes the focus away on purpose.
  document.addEventListener('pointerdown', () => {
    places = [];
  });
  // Not every browser tells of a focus that goes away with its element. Cheap, as it happens with each word that arrives.
  new MutationObserver(() => isNowhere() && restoreSoon()).observe(document.body, { childList: true, subtree: true });
}

/** From the inside out. They are noted beforehand: what was removed does not know any more where it was. */
function placesAround(element: Element): HTMLElement[] {
  const place = element.parentElement?.closest<HTMLElement>('[tabindex]');
  return place ? [place, ...placesAround(place)] : [];
}

function isShown(element: Element | null): boolean {
  return element?.isConnected === true && element.checkVisibility();
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
