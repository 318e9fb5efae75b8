import { shownBox } from './shown-box.ts';

/**
 * Called before messages are hidden. Gives a function that moves the focus to the message after them, or else to the
 * message box. By touch the box would bring up the keyboard of the device, so the transcript gets the focus instead.
 */
export function focusAfter(messageId: string, hides: readonly string[]): () => void {
  const log = rowOf(messageId)?.closest<HTMLElement>('[role="log"]');
  const rows = [...(log?.querySelectorAll<HTMLElement>('[data-index]') ?? [])].sort(byIndex);
  const last = rows.findLastIndex(({ dataset }) => hides.includes(dataset.key!));
  const next = rows.slice(last + 1).find((row) => row.querySelector('article'))?.dataset.key;
  return () => {
    if (next !== undefined && focusMessage(next)) return;
    const box = matchMedia('(pointer: coarse)').matches ? log : shownBox();
    box?.focus({ preventScroll: true });
  };
}

/** False when the message is not drawn. */
export function focusMessage(messageId: string): boolean {
  const article = rowOf(messageId)?.querySelector('article');
  if (!article) return false;
  // For as long as it has the focus: otherwise every click on a message would focus it and keep its toolbar open.
  article.tabIndex = -1;
  article.addEventListener('blur', () => article.removeAttribute('tabindex'), { once: true });
  article.focus({ preventScroll: true });
  return true;
}

function rowOf(messageId: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[role="log"] [data-key="${CSS.escape(messageId)}"]`);
}

function byIndex(one: HTMLElement, other: HTMLElement): number {
  return Number(one.dataset.index) - Number(other.dataset.index);
}
