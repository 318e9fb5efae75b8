/** Whether a dialog or a popover is open. A toast has the role of a dialog too, and says that it is not modal. */
export function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"]:not([aria-modal="false"])') !== null;
}
