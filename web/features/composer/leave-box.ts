import { closeFind, isFinding } from '../../state/find-state.ts';
import { isDialogOpen } from '../../ui/open-dialog.ts';

/** To what was said, where arrows scroll and single keys work; the box to find words in goes first. */
export function leaveBox(sessionId: string, box: HTMLElement | null): void {
  // A dialog that has just opened does not have the keyboard yet. Escape closes it, and the box keeps the focus.
  if (isDialogOpen()) return;
  const log = box?.closest('main')?.querySelector<HTMLElement>('[role="log"]');
  if (isFinding(sessionId)) closeFind(sessionId);
  else if (log) log.focus({ preventScroll: true });
  else box?.blur();
}
