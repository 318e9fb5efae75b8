/**
 * Before something in a dialog goes away that may have the keyboard: the dialog takes it. Otherwise it would fetch it a
 * moment later, from whatever has it by then.
 */
export function holdKeyboard(): void {
  document.activeElement?.closest<HTMLElement>('[role="dialog"]')?.focus();
}
