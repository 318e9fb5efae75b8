/**
 * Moves the focus to the dialog before an element in it goes away that may have it. Otherwise the dialog would take the
 * focus a moment later, from whatever has it by then.
 */
export function focusDialog(): void {
  document.activeElement?.closest<HTMLElement>('[role="dialog"]')?.focus();
}

/** Whether what had the focus is gone: also when it is on a dialog as a whole, which takes what was lost in it. */
export function isFocusLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement.matches('body, [role="dialog"]');
}

/** As the ref of a field: what was written before is continued, and not preceded. */
export function caretToEnd(box: HTMLTextAreaElement | null): void {
  box?.setSelectionRange(box.value.length, box.value.length);
}

/** Whether a dialog or a popover is open. A toast has the role of a dialog too, and says that it is not modal. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"]:not([aria-modal="false"])') !== null;
}

/** The tab of the panel that is selected; where panels lie over the conversation, the button that raises it. */
export function focusPanels(): void {
  const places = document.querySelectorAll<HTMLElement>('[data-panels] [data-selected]');
  [...places].find((place) => place.checkVisibility())?.focus();
}

/** Where the person writes in the conversation that is shown: others may be kept behind it. */
export function shownBox(): HTMLTextAreaElement | undefined {
  const boxes = document.querySelectorAll<HTMLTextAreaElement>('[data-composer] textarea');
  return [...boxes].find((box) => box.checkVisibility());
}
