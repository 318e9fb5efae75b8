/**
 * Moves the focus to the dialog before an element in it goes away that may have it. Otherwise the dialog would take the
 * focus a moment later, from whatever has it by then.
 */
export function focusDialog(): void {
  document.activeElement?.closest<HTMLElement>('[role="dialog"]')?.focus();
}

/** Whether a dialog or a popover is open. A toast has the role of a dialog too, and says that it is not modal. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"]:not([aria-modal="false"])') !== null;
}

/** Where the person writes in the conversation that is shown: others may be kept behind it. */
export function shownBox(): HTMLTextAreaElement | undefined {
  const boxes = document.querySelectorAll<HTMLTextAreaElement>('[data-composer] textarea');
  return [...boxes].find((box) => box.checkVisibility());
}
