import { type RefObject, useEffect, useRef, useSyncExternalStore } from 'react';
import { isWriting } from '../../state/shortcuts.ts';
import { isDialogOpen } from '../../ui/keyboard-focus.ts';

/** How long a card has to have been on screen, first in line, before a key answers it. */
const SETTLE_MS = 500;

/** How much of an element has to be on screen for all of it to be; positions are fractions of pixels. */
const WHOLE = 0.95;

interface Card {
  /** Its row of buttons, of which the first one allows. */
  readonly element: HTMLElement;
  /** The Allow button and the end of what it allows, each with whether all of it is on screen. */
  readonly watched: Map<Element, boolean>;
  observer: IntersectionObserver | null;
  allow(): void;
  deny(): void;
}

/**
 * The keys Y and N answer one approval: the one that has the focus, else the topmost of which the
 * end of the command and the Allow button are on screen. A key that is being held, or is pressed in a text field, or arrives within half a second after the card does, is ignored.
 */
class CardKeys {
  readonly #cards = new Set<Card>();
  readonly #listeners = new Set<() => void>();
  #chosen: Card | null = null;
  #chosenAt = 0;

  add(card: Card): () => void {
    if (this.#cards.size === 0) this.#listen(addEventListener);
    this.#cards.add(card);
    card.observer = new IntersectionObserver(
      (entries) => {
        for (const { target, intersectionRatio } of entries) card.watched.set(target, intersectionRatio >= WHOLE);
        this.#choose();
      },
      { threshold: [0, WHOLE, 1] },
    );
    this.watch(card);
    return () => {
      card.observer?.disconnect();
      this.#cards.delete(card);
      if (this.#cards.size === 0) this.#listen(removeEventListener);
      this.#choose();
    };
  }

  /** What a card shows may have changed: observes what is there now. */
  watch({ element, watched, observer }: Card): void {
    const ends = element.closest('[data-action-card]')?.querySelectorAll('[data-input-end]') ?? [];
    const wanted = [element.querySelector('button'), [...ends].at(-1)].filter((one) => one != null);
    for (const old of watched.keys()) {
      if (wanted.includes(old)) continue;
      observer?.unobserve(old);
      watched.delete(old);
    }
    for (const one of wanted) {
      if (watched.has(one)) continue;
      watched.set(one, false);
      observer?.observe(one);
    }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  isChosen(element: HTMLElement | null): boolean {
    return element !== null && this.#chosen?.element === element;
  }

  #listen(change: typeof addEventListener | typeof removeEventListener): void {
    change('keydown', this.#press as EventListener);
    change('focusin', this.#choose);
  }

  readonly #choose = (): void => {
    const visible = [...this.#cards].filter(isWhollyShown).sort(byPlace);
    const focused = visible.find(({ element }) =>
      element.closest('[data-action-card]')?.contains(document.activeElement),
    );
    const chosen = focused ?? visible[0] ?? null;
    if (chosen === this.#chosen) return;
    this.#chosen = chosen;
    this.#chosenAt = performance.now();
    for (const listener of this.#listeners) listener();
  };

  readonly #press = (event: KeyboardEvent): void => {
    const key = event.key.toLowerCase();
    const isOurs = (key === 'y' || key === 'n') && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isOurs || event.repeat || event.isComposing || event.defaultPrevented || isWriting(event.target)) return;
    const card = this.#chosen;
    if (!card || performance.now() - this.#chosenAt < SETTLE_MS || isDialogOpen()) return;
    event.preventDefault();
    if (key === 'y') card.allow();
    else card.deny();
  };
}

function isWhollyShown({ watched }: Card): boolean {
  return [...watched.values()].every((isShown) => isShown);
}

function byPlace(a: Card, b: Card): number {
  return a.element.compareDocumentPosition(b.element) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

const keys = new CardKeys();

/** Answers by key while it is this card's turn; says whether it is. */
export function useCardKeys(element: RefObject<HTMLElement | null>, verbs: { allow(): void; deny(): void }): boolean {
  const current = useRef(verbs);
  const card = useRef<Card | null>(null);
  useEffect(() => {
    if (!element.current) return;
    card.current = {
      element: element.current,
      watched: new Map(),
      observer: null,
      allow: () => current.current.allow(),
      deny: () => current.current.deny(),
    };
    return keys.add(card.current);
  }, [element]);
  useEffect(() => {
    current.current = verbs;
    if (card.current) keys.watch(card.current);
  });
  return useSyncExternalStore(keys.subscribe, () => keys.isChosen(element.current));
}
